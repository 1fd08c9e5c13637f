//! A signal handler that does nothing but tell which signal has come.

use std::io::{self, PipeWriter};
use std::os::fd::IntoRawFd as _;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// Where numbers of signals are written to; none before anything is caught.
static PIPE: AtomicI32 = AtomicI32::new(-1);

/// The process that catches them: a fork of it has the handler as well until it becomes another program.
static OWNER: AtomicI32 = AtomicI32::new(-1);

/// Writes the number of each of these signals there when it comes, instead of what else it would do. Nothing is blocked,
/// and other programs that are started do not inherit it. Once in a process.
pub(crate) fn catch(signals: &[i32], pipe: PipeWriter) -> io::Result<()> {
    // SAFETY: it asks for a number.
    let own = unsafe { libc::getpid() };
    let unset = OWNER.compare_exchange(-1, own, Ordering::SeqCst, Ordering::SeqCst);
    unset.map_err(|_| io::Error::from(io::ErrorKind::AlreadyExists))?;
    // The handler may use it at any time, so that it is open as long as the process lives.
    PIPE.store(pipe.into_raw_fd(), Ordering::SeqCst);
    for signal in signals {
        // SAFETY: zeros are valid for an action without flags; the handler has the type that an action without
        // `SA_SIGINFO` has, and does only what a handler may.
        let done = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = tell as extern "C" fn(i32) as libc::sighandler_t;
            // Calls that it comes in the middle of go on.
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(*signal, &raw const action, ptr::null_mut())
        };
        if done == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

extern "C" fn tell(number: i32) {
    // SAFETY: each of these calls is one that a handler may make; the error number of whoever was interrupted is put back.
    unsafe {
        if libc::getpid() != OWNER.load(Ordering::SeqCst) {
            // It means what it has always meant, as soon as this returns.
            libc::signal(number, libc::SIG_DFL);
            libc::raise(number);
            return;
        }
        let error = *libc::__errno_location();
        let byte = u8::try_from(number).unwrap_or(u8::MAX);
        // A pipe that is full has been told of often enough.
        libc::write(
            PIPE.load(Ordering::SeqCst),
            (&raw const byte).cast(),
            size_of_val(&byte),
        );
        *libc::__errno_location() = error;
    }
}
