//! Starts a program without copying this process first.

use rustix::process::Pid;
use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr;

/// A program, and what it begins with.
pub(crate) struct Program<'a> {
    /// Where it is.
    pub(crate) path: &'a str,
    /// What it is called by, and its arguments.
    pub(crate) words: &'a [String],
    /// All of its environment.
    pub(crate) environment: &'a [(String, String)],
    /// Standard input, output and error.
    pub(crate) stdio: [BorrowedFd<'a>; 3],
}

/// What is to be done in the new process, freed when it is done.
struct Actions(libc::posix_spawn_file_actions_t);

/// How the new process begins, freed when it has.
struct Attributes(libc::posix_spawnattr_t);

// === impl Program ===

impl Program<'_> {
    /// Starts it in a session of its own, with all signals let through.
    pub(crate) fn start(&self) -> io::Result<Pid> {
        let path = CString::new(self.path)?;
        let words = strings(self.words.iter().cloned())?;
        let variables = self.environment.iter();
        let variables = strings(variables.map(|(name, value)| format!("{name}={value}")))?;
        let actions = Actions::new(self.stdio)?;
        let attributes = Attributes::new()?;
        let mut pid = 0;
        // SAFETY: everything is initialised, lives as long as the call, and the lists end with a null.
        check(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                path.as_ptr(),
                &raw const actions.0,
                &raw const attributes.0,
                pointers(&words).as_ptr(),
                pointers(&variables).as_ptr(),
            )
        })?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("a process without a number"))
    }
}

fn strings(texts: impl Iterator<Item = String>) -> io::Result<Vec<CString>> {
    Ok(texts.map(CString::new).collect::<Result<_, _>>()?)
}

fn pointers(strings: &[CString]) -> Vec<*mut libc::c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
    pointers.chain([ptr::null_mut()]).collect()
}

fn check(number: libc::c_int) -> io::Result<()> {
    match number {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number)),
    }
}

// === impl Actions ===

impl Actions {
    fn new(stdio: [BorrowedFd<'_>; 3]) -> io::Result<Self> {
        let mut new = MaybeUninit::uninit();
        // SAFETY: it is what initialises it.
        check(unsafe { libc::posix_spawn_file_actions_init(new.as_mut_ptr()) })?;
        // SAFETY: it was initialised.
        let mut actions = Self(unsafe { new.assume_init() });
        // The standard input may stand in for the others, so it goes last.
        for (number, from) in (0..3).zip(stdio).rev() {
            let from = from.as_raw_fd();
            // SAFETY: it is initialised, and numbers are all that is kept.
            check(unsafe {
                libc::posix_spawn_file_actions_adddup2(&raw mut actions.0, from, number)
            })?;
        }
        Ok(actions)
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: it is initialised, and not used any more.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

// === impl Attributes ===

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut new = MaybeUninit::uninit();
        // SAFETY: it is what initialises it.
        check(unsafe { libc::posix_spawnattr_init(new.as_mut_ptr()) })?;
        // SAFETY: it was initialised.
        let mut attributes = Self(unsafe { new.assume_init() });
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF | SETSID;
        let flags = libc::c_short::try_from(flags).map_err(io::Error::other)?;
        // SAFETY: the sets are initialised before they are used, and copied.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            check(libc::posix_spawnattr_setsigmask(
                &raw mut attributes.0,
                &raw const set,
            ))?;
            // Rust ignores it; programs expect to die of it.
            libc::sigaddset(&raw mut set, libc::SIGPIPE);
            check(libc::posix_spawnattr_setsigdefault(
                &raw mut attributes.0,
                &raw const set,
            ))?;
            check(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: it is initialised, and not used any more.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

/// `POSIX_SPAWN_SETSID`, the same in glibc and musl.
const SETSID: libc::c_int = 0x80;
