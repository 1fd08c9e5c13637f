//! Which pods run, and which of them is meant.

use super::client::{Client, NotAnswered};
use super::message::{Hello, title};
use crate::hint::Hint;
use crate::running::room::{self, control};
use crate::state::{Holder, StateFolder};
use pillion_spec::nearest;
use std::io;
use std::path::Path;

/// How a person names a pod that runs: `orders`, `shop/orders`; with a container, `orders/app`, `shop/orders/app`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Named<'a> {
    namespace: Option<&'a str>,
    name: &'a str,
}

/// A pod is meant that does not run, or it is not clear which.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRunning {
    #[error("no pod is running")]
    None,
    #[error("there is no running pod `{wanted}`")]
    Unknown { wanted: String, names: Vec<String> },
    #[error("there are {} running pods", .names.len())]
    Several { names: Vec<String> },
    #[error("cannot list the pods that run")]
    Unlisted { source: io::Error },
    #[error(transparent)]
    NotAnswered(#[from] NotAnswered),
}

/// What all pods of this user that run and answer say, by namespace and name; and what is wrong with those that do not. Each is
/// asked before the next one is looked for: one that waits for another that is stuck hears nothing, and hangs up.
pub(crate) fn each<T>(
    mut ask: impl FnMut(&mut Client) -> Result<T, NotAnswered>,
) -> Result<(Vec<T>, Vec<NotAnswered>), NotRunning> {
    those(|_| true, |mut client| ask(&mut client))
}

/// All of them.
fn all() -> Result<(Vec<Client>, Vec<NotAnswered>), NotRunning> {
    those(|_| true, Ok)
}

/// The same, of those whose sockets look right. Some have their sockets elsewhere than whoever asks would have them: the state
/// folder tells where, and who has lost them.
fn those<T>(
    looks_right: impl Fn(&Path) -> bool,
    mut take: impl FnMut(Client) -> Result<T, NotAnswered>,
) -> Result<(Vec<T>, Vec<NotAnswered>), NotRunning> {
    let mut sockets = room::control_sockets().map_err(|source| NotRunning::Unlisted { source })?;
    let state = StateFolder::locate().ok();
    let running = state.as_ref().map(StateFolder::running).unwrap_or_default();
    let announced = running.iter().map(|(_, holder)| control(&holder.sockets));
    sockets.extend(announced);
    sockets.sort();
    sockets.dedup();
    sockets.retain(|socket| looks_right(socket));
    let mut found = Vec::new();
    let mut silent = Vec::new();
    for socket in sockets {
        let at = running
            .iter()
            .find(|(_, holder)| control(&holder.sockets) == socket);
        let taken = Client::connect(&socket).and_then(|client| {
            let Hello {
                namespace, name, ..
            } = &client.hello;
            let key = (namespace.clone(), name.clone());
            Ok((key, take(client)?))
        });
        match taken {
            Ok(taken) => found.push(taken),
            // Left behind by one that was killed, about to go, or taken away.
            Err(NotAnswered::Nobody { .. }) => {
                // It may have ended just now.
                let now = state.as_ref().map(StateFolder::running).unwrap_or_default();
                let lost = at.filter(|pod| now.contains(pod));
                silent.extend(lost.map(unreachable));
            }
            Err(NotAnswered::Gone { .. }) => {}
            Err(
                error @ (NotAnswered::Foreign { .. }
                | NotAnswered::Suspended { .. }
                | NotAnswered::Silent { .. }
                | NotAnswered::Version { .. }
                | NotAnswered::Cut { .. }
                | NotAnswered::Unreachable { .. }
                | NotAnswered::Refused { .. }),
            ) => silent.push(match at {
                Some(((namespace, name), _)) => error.of(title(namespace, name)),
                None => error,
            }),
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    let found = found.into_iter().map(|(_, taken)| taken);
    Ok((found.collect(), silent))
}

/// The pod that is meant: the only one if nobody says.
pub(crate) fn one(wanted: Option<&str>) -> Result<Client, NotRunning> {
    let Some(wanted) = wanted else {
        let (clients, silent) = all()?;
        return only(clients, silent);
    };
    let named = Named::parse(wanted);
    // One that is stuck must not keep anybody from talking to another.
    let (likely, mut silent) = those(|socket| room::may_be_of(socket, named.name), Ok)?;
    let mut likely: Vec<_> = likely.into_iter().filter(|one| named.is(one)).collect();
    silent.retain(|one| named.may_be(one));
    match (likely.len(), silent.pop()) {
        (1, _) => return Ok(likely.remove(0)),
        // Nobody waits a second time for one that does not answer.
        (0, Some(silent)) => return Err(silent.into()),
        (_, _) => {}
    }
    let (clients, silent) = all()?;
    let all = names(&clients, &silent);
    let mut meant: Vec<_> = clients.into_iter().filter(|one| named.is(one)).collect();
    let silent = silent.into_iter().rfind(|one| named.may_be(one));
    match (meant.len(), silent) {
        (0, Some(silent)) => Err(silent.into()),
        (0, None) if all.is_empty() => Err(NotRunning::None),
        (0, None) => Err(NotRunning::Unknown {
            wanted: wanted.to_owned(),
            names: all,
        }),
        (1, _) => Ok(meant.remove(0)),
        (_, _) => Err(NotRunning::Several {
            names: full_names(&meant),
        }),
    }
}

/// The pod that is meant, and the container if there is one: `shop/orders` may be a pod in a namespace, or a container
/// `orders` of a pod `shop`; what runs decides.
pub(crate) fn one_with_container(
    wanted: Option<&str>,
) -> Result<(Client, Option<String>), NotRunning> {
    let Some((pod, container)) = wanted.and_then(|wanted| wanted.rsplit_once('/')) else {
        return one(wanted).map(|client| (client, None));
    };
    match one(wanted) {
        Err(error @ (NotRunning::None | NotRunning::Unknown { .. })) => match one(Some(pod)) {
            Ok(client) => Ok((client, Some(container.to_owned()))),
            Err(
                lost @ NotRunning::NotAnswered(
                    NotAnswered::Unreachable { .. }
                    | NotAnswered::Suspended { .. }
                    | NotAnswered::Silent { .. },
                ),
            ) => Err(lost),
            Err(_) => Err(error),
        },
        found => found.map(|client| (client, None)),
    }
}

fn only(mut clients: Vec<Client>, mut silent: Vec<NotAnswered>) -> Result<Client, NotRunning> {
    let names = names(&clients, &silent);
    match (clients.len(), silent.pop()) {
        (0, Some(silent)) if names.len() <= 1 => Err(silent.into()),
        (0, None) => Err(NotRunning::None),
        (1, None) => Ok(clients.remove(0)),
        (_, _) => Err(NotRunning::Several { names }),
    }
}

/// All that are known by name.
fn names(clients: &[Client], silent: &[NotAnswered]) -> Vec<String> {
    let silent = silent.iter().filter_map(NotAnswered::name);
    let silent = silent.map(str::to_owned);
    clients.iter().map(Client::pod).chain(silent).collect()
}

fn unreachable(((namespace, name), holder): &((String, String), Holder)) -> NotAnswered {
    NotAnswered::Unreachable {
        pod: title(namespace, name),
        process: holder.process,
        folder: holder.sockets.clone(),
    }
}

fn full_names(clients: &[Client]) -> Vec<String> {
    let hellos = clients.iter().map(|client| &client.hello);
    hellos
        .map(|hello| format!("{}/{}", hello.namespace, hello.name))
        .collect()
}

// === impl Named ===

impl<'a> Named<'a> {
    fn parse(text: &'a str) -> Self {
        match text.split_once('/') {
            Some((namespace, name)) => Self {
                namespace: Some(namespace),
                name,
            },
            None => Self {
                namespace: None,
                name: text,
            },
        }
    }

    fn is(self, client: &Client) -> bool {
        self.is_of(&client.hello.namespace, &client.hello.name)
    }

    /// Whether it may be one that does not answer. Of some of these nobody knows the name.
    fn may_be(self, silent: &NotAnswered) -> bool {
        silent.name().is_none_or(|pod| {
            let (namespace, name) = pod.split_once('/').unwrap_or(("default", pod));
            self.is_of(namespace, name)
        })
    }

    fn is_of(self, namespace: &str, name: &str) -> bool {
        let wanted = self.namespace;
        name == self.name && wanted.is_none_or(|wanted| wanted == namespace)
    }
}

// === impl NotRunning ===

impl Hint for NotRunning {
    fn hint(&self) -> Option<String> {
        match self {
            Self::None => Some("`pillion run pod.yaml` runs one".to_owned()),
            Self::Unknown { wanted, names } => {
                let near = nearest(wanted, names.iter().map(String::as_str));
                let above = wanted.rsplit_once('/').map(|(pod, _)| pod);
                let pod = above.filter(|pod| names.iter().any(|name| name == pod));
                Some(match (pod, near) {
                    (Some(pod), _) => format!("the whole pod is meant here: `{pod}`"),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => format!("these run: {}", names.join(", ")),
                })
            }
            Self::Several { names } => Some(format!("say which one: {}", names.join(" or "))),
            Self::Unlisted { .. } => None,
            Self::NotAnswered(error) => error.hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_about_a_pod_that_does_not_run_is_told() {
        let hint = |wanted: &str| {
            let names = vec!["orders".to_owned(), "shop/web".to_owned()];
            let wanted = wanted.to_owned();
            NotRunning::Unknown { wanted, names }.hint().unwrap()
        };
        assert_eq!(hint("order"), "did you mean `orders`?");
        assert_eq!(hint("something"), "these run: orders, shop/web");
        assert_eq!(hint("orders/app"), "the whole pod is meant here: `orders`");
        assert_eq!(
            hint("shop/web/app"),
            "the whole pod is meant here: `shop/web`"
        );
    }

    #[test]
    fn pods_are_named_with_or_without_their_namespace() {
        let named = |namespace, name| Named { namespace, name };
        assert_eq!(Named::parse("orders"), named(None, "orders"));
        assert_eq!(Named::parse("shop/orders"), named(Some("shop"), "orders"));
        assert_eq!(title("default", "orders"), "orders");
        assert_eq!(title("shop", "orders"), "shop/orders");
    }
}
