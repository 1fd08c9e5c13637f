//! An error and why it came about, in one line.

use std::error::Error;
use std::iter::successors;

/// What went wrong, then its causes, the nearest first.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let chain = successors(Some(error), |&error| error.source());
    let chain: Vec<_> = chain.map(ToString::to_string).collect();
    chain.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot read the file")]
    struct Outer(#[source] io::Error);

    #[test]
    fn the_nearest_cause_comes_first() {
        let error = Outer(io::Error::other("no room"));
        assert_eq!(with_causes(&error), "cannot read the file: no room");
    }
}
