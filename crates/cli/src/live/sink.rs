//! Where a run is shown, without ever waiting for whoever reads: `| less`, Ctrl-S, a program that takes its time.
//!
//! What is not taken is kept, and whoever writes can see that and write less. The file itself is not set to refuse instead of
//! waiting: others have it, too, who would not know what to do then. A pipe or a terminal is opened once more for that; a
//! socket can be asked each time; where neither is possible, so little is written at a time that there is room for it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::rc::Rc;

/// An end that never waits. All copies are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Sink(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    file: File,
    way: Way,
    waiting: RefCell<Vec<u8>>,
    /// What this one must not overtake, because both lead to the same place.
    before: Option<Sink>,
}

/// How not to wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    /// Nobody has to read it: a file on a disk.
    Never,
    /// It was opened for us, and refuses.
    Refuses,
    Socket,
    /// So many bytes at a time.
    Little(usize),
}

/// A pipe that has room at all has it for this.
const PIPE: usize = 4096;
/// Nobody says how much room a terminal has.
const TERMINAL: usize = 256;

// === impl Sink ===

impl Sink {
    /// Does not overtake the other one if both lead to the same place.
    pub(crate) fn new(stream: impl AsFd, before: Option<&Self>) -> io::Result<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned()?);
        let about = fstat(&file)?;
        let same =
            |other: &&Self| fstat(&other.0.file).is_ok_and(|its| place(&its) == place(&about));
        let (file, way) = way(file, &about);
        Ok(Self(Rc::new(Inner {
            file,
            way,
            waiting: RefCell::default(),
            before: before.filter(same).cloned(),
        })))
    }

    /// How many bytes nobody has taken yet.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting.borrow().len()
    }

    /// Writes what waits, as far as it is taken. If nobody ever will, it is forgotten.
    pub(crate) fn pour(&self) -> io::Result<()> {
        if self
            .0
            .before
            .as_ref()
            .is_some_and(|other| other.waiting() > 0)
        {
            return Ok(());
        }
        let mut waiting = self.0.waiting.borrow_mut();
        let mut done = 0;
        while done < waiting.len() {
            match self.try_write(&waiting[done..]) {
                Ok(count) => done += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => {
                    *waiting = Vec::new();
                    return Err(error.into());
                }
            }
        }
        waiting.drain(..done);
        if waiting.is_empty() {
            // A flood is over; its room is given back.
            *waiting = Vec::new();
        }
        Ok(())
    }

    fn try_write(&self, bytes: &[u8]) -> Result<usize, Errno> {
        let file = &self.0.file;
        match self.0.way {
            Way::Never | Way::Refuses => rustix::io::write(file, bytes),
            Way::Socket => send(file, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL),
            Way::Little(most) => {
                let mut events = [PollFd::new(file, PollFlags::OUT)];
                if poll(&mut events, Some(&Timespec::default()))? == 0 {
                    return Err(Errno::AGAIN);
                }
                rustix::io::write(file, &bytes[..bytes.len().min(most)])
            }
        }
    }
}

impl AsFd for Sink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.file.as_fd()
    }
}

impl Write for Sink {
    /// Takes everything.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.waiting.borrow_mut().extend_from_slice(bytes);
        self.pour()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn place(about: &Stat) -> (u64, u64) {
    (about.st_dev, about.st_ino)
}

fn way(file: File, about: &Stat) -> (File, Way) {
    let most = match FileType::from_raw_mode(about.st_mode) {
        FileType::Fifo => PIPE,
        FileType::CharacterDevice => TERMINAL,
        FileType::Socket => return (file, Way::Socket),
        FileType::RegularFile
        | FileType::Directory
        | FileType::Symlink
        | FileType::BlockDevice
        | FileType::Unknown => return (file, Way::Never),
    };
    let again = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    // It may be somebody else's, or its reader is gone already.
    match open(again, flags, Mode::empty()) {
        Ok(opened) => (File::from(opened), Way::Refuses),
        Err(_) => (file, Way::Little(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn what_nobody_reads_is_kept_in_order_and_written_later() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut out = Sink::new(&writer, None).unwrap();
        let mut err = Sink::new(&writer, Some(&out)).unwrap();
        let flood = vec![b'x'; 1 << 20];

        out.write_all(&flood).unwrap();
        err.write_all(b"last").unwrap();

        let taken = flood.len() - out.waiting();
        assert!(taken > 0 && out.waiting() > 0);
        assert_eq!(err.waiting(), 4);
        drop(writer);
        let mut read = Vec::new();
        let mut bytes = vec![0; 1 << 16];
        while out.waiting() + err.waiting() > 0 {
            let count = reader.read(&mut bytes).unwrap();
            read.extend_from_slice(&bytes[..count]);
            out.pour().unwrap();
            err.pour().unwrap();
        }
        drop((out, err));
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(read.len(), flood.len() + 4);
        assert!(read.ends_with(b"xlast"));
    }

    #[test]
    fn a_socket_does_not_keep_anybody_waiting_either() {
        let (_reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut out = Sink::new(&writer, None).unwrap();

        out.write_all(&vec![b'x'; 4 << 20]).unwrap();

        assert!(out.waiting() > 0);
    }

    #[test]
    fn that_nobody_reads_any_more_is_told() {
        let (reader, writer) = io::pipe().unwrap();
        let mut out = Sink::new(&writer, None).unwrap();
        drop(reader);

        let error = out.write_all(b"x").unwrap_err();

        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(out.waiting(), 0);
    }
}
