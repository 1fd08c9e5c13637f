//! How many files this process can have open.
//!
//! A pod of a few hundred containers takes more descriptors than the 1024 that most systems give a process at first. That
//! number is so low for programs that wait by `select`, which this one does not: it takes as many as it can have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets this process open as many files as it may. Whoever it starts from now on may, too: so first comes the
/// [`Guard`](crate::guard::Guard), which gives containers what there was before.
pub fn raise_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    // Where it cannot be raised, it is as it was.
    let _ = setrlimit(Resource::Nofile, raised);
}
