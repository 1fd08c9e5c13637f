//! What a container serves: the hooks and probes of its pod that go over the network.
//!
//! ```text
//! a port ─▶ a connection ─▶ http ─┬─▶ which part? ─▶ its script ─▶ an answer
//!                           grpc ─┘
//!           tcp: the port is open as long as the probe is to pass
//! ```
//!
//! One thread for each port, and one for each connection: nobody is asked often.

mod grpc;
mod http;
mod tcp;
mod tls;

use super::Actor;
use super::attempt::Caller;
use crate::processes::network::{Protocol, Service};
use crate::processes::stage::Stage;
use pillion_simulator::line::Who;
use rustls::ServerConfig;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Who asks for something, on a stage.
struct Visitor {
    stage: Stage,
    stream: TcpStream,
}

/// What came of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Outcome {
    Good,
    Bad,
    /// There is nobody to tell it to.
    GivenUp,
}

/// What is spoken in a connection.
#[derive(Clone)]
enum Language {
    Grpc,
    Http,
    Https(Arc<ServerConfig>),
}

/// Begins to serve what the container of that name has to. All that can be asked is there when this is done.
pub(super) fn open(stage: &Stage, name: &str) -> io::Result<()> {
    for Service { address, protocol } in stage.services(name)? {
        let stage = stage.clone();
        let language = match protocol {
            Protocol::Tcp(who) => {
                thread::spawn(move || tcp::serve(&stage, address, &who));
                continue;
            }
            Protocol::Grpc => Language::Grpc,
            Protocol::Http => Language::Http,
            Protocol::Https => Language::Https(tls::config()?),
        };
        let listener = TcpListener::bind(address)?;
        thread::spawn(move || serve(&stage, &listener, &language));
    }
    Ok(())
}

fn serve(stage: &Stage, listener: &TcpListener, language: &Language) {
    for stream in listener.incoming().flatten() {
        let stage = stage.clone();
        let language = language.clone();
        let visitor = Visitor { stage, stream };
        thread::spawn(move || visitor.receive(language));
    }
}

// === impl Visitor ===

impl Visitor {
    /// Whatever goes wrong is the visitor's to notice.
    fn receive(self, language: Language) -> io::Result<()> {
        match language {
            Language::Grpc => grpc::converse(&self),
            Language::Http => http::converse(&mut &self.stream, &self),
            Language::Https(config) => tls::converse(config, &self),
        }?;
        self.stream.shutdown(Shutdown::Write)?;
        hear_out(&mut &self.stream)
    }

    /// Plays the part that the visitor asks for.
    fn ask(&self, who: &Who) -> io::Result<Outcome> {
        let actor = Actor::new(self.stage.clone(), who)?;
        let code = actor.attempt(&Caller::Peer(&self.stream))?;
        Ok(match code {
            Some(0) => Outcome::Good,
            Some(_) => Outcome::Bad,
            None => Outcome::GivenUp,
        })
    }
}

/// Listens until the other side hangs up: to go first might take back what was said last.
fn hear_out(stream: &mut impl Read) -> io::Result<()> {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests;
