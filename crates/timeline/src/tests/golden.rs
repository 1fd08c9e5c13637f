//! Texts that are kept in files, so that a change of them is seen in review.

use std::path::Path;

/// Compares a text with the file of that name. With `BLESS=1` in the environment the file is
/// written instead, to be looked at before it is committed.
pub(super) fn golden(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/tests/testdata")
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "{} differs from what is made now:\n{text}",
        file.display()
    );
}
