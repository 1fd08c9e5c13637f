//! The Go that is there, and whether it is new enough.

use super::command::{command, is_there, output};
use super::recipe::GO;
use anyhow::{Context as _, ensure};
use std::path::Path;

/// Whether there is a Go that can build Kubernetes; a folder without a module of its own to ask it in.
pub(super) fn check(folder: &Path) -> anyhow::Result<()> {
    let (major, minor) = GO;
    let needed = format!("get {major}.{minor} or newer from https://go.dev/dl");
    ensure!(
        is_there("go"),
        "Kubernetes is built from Go modules, and there is no `go` on the path: {needed}"
    );
    let mut go = command("go", ["env", "GOVERSION"]);
    let found = output(go.current_dir(folder).env("GOWORK", "off"))
        .with_context(|| format!("the `go` on the path does not say which one it is: {needed}"))?;
    let found = found.trim();
    ensure!(
        is_new_enough(found),
        "Kubernetes needs Go {major}.{minor} or newer, and the `go` on the path is {found}: {needed}"
    );
    Ok(())
}

/// One that was built from its sources between two releases names none, and is left to try.
fn is_new_enough(found: &str) -> bool {
    release(found).map_or(found.starts_with("devel "), |release| release >= GO)
}

/// The numbers in `go1.26.8`, `go1.27rc1` or `devel go1.27-3f4a`.
fn release(text: &str) -> Option<(u32, u32)> {
    let text = text.strip_prefix("devel ").unwrap_or(text);
    let (major, rest) = text.strip_prefix("go")?.split_once('.')?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_with_whatever_follows() {
        let all = [
            ("go1.26.8", (1, 26)),
            ("go1.27rc1", (1, 27)),
            ("go1.26.1 X:boringcrypto", (1, 26)),
            ("devel go1.27-3f4a Tue Feb 3", (1, 27)),
            ("go2.0", (2, 0)),
        ];
        for (text, wanted) in all {
            assert_eq!(release(text), Some(wanted), "{text}");
        }
        assert_eq!(release("devel +3f4a"), None);
    }

    #[test]
    fn an_old_go_is_not_taken() {
        for old in ["go1.19.8", "go1.25.12", "go1.9", "", "go version go1.19.8"] {
            assert!(!is_new_enough(old), "{old}");
        }
        for new in ["go1.26", "go1.26.0", "go1.30.1", "go2.0", "devel +3f4a"] {
            assert!(is_new_enough(new), "{new}");
        }
    }
}
