//! A guard by itself, for the tests.

fn main() -> std::io::Result<()> {
    pillion_runtime::guard::serve()
}
