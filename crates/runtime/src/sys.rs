//! The few calls that neither the standard library nor rustix offers safely.

#![expect(
    unsafe_code,
    reason = "fork, signals, namespaces and descriptors for the next program"
)]

mod caught;
mod memory;
mod program;

pub(crate) use caught::catch;
pub(crate) use memory::give_back;
pub(crate) use program::Program;

use rustix::net::{AddressFamily, SocketType, socket};
use rustix::process::Pid;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Which of the two processes this is.
pub(crate) enum Forked {
    /// The new one.
    Child,
    /// The old one.
    Parent(Pid),
}

/// Signals that are read as data instead of interrupting.
#[derive(Debug)]
pub(crate) struct SignalFd(OwnedFd);

/// Makes a second process of this one.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: the guard has one thread only, so the child finds no lock held by anybody else.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid if pid > 0 => Pid::from_raw(pid)
            .map(Forked::Parent)
            .ok_or_else(|| io::Error::other("a process without a number")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sends a process a signal by its number: those of real time have no names to go by.
pub(crate) fn signal(process: Pid, number: i32) -> io::Result<()> {
    send(process.as_raw_pid(), number)
}

/// The same to a whole group, by the process that leads it.
pub(crate) fn signal_group(leader: Pid, number: i32) -> io::Result<()> {
    send(-leader.as_raw_pid(), number)
}

fn send(target: i32, number: i32) -> io::Result<()> {
    // SAFETY: it takes two numbers and touches nothing of ours.
    match unsafe { libc::kill(target, number) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Lets all signals through again, with their usual meaning.
pub(crate) fn let_signals_through() {
    // SAFETY: the set is initialised before it is used.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        // Rust ignores it; programs expect to die of it.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Gives the signals that whoever started this process has had ignored their usual meaning, for the programs that it will
/// start: what is ignored stays so in all of them, and a shell cannot even trap it.
pub(crate) fn heed_signals() {
    for number in 1..=libc::SIGRTMAX() {
        if is_ignored(number) && number != libc::SIGPIPE {
            // SAFETY: nothing of ours is called for it.
            unsafe { libc::signal(number, libc::SIG_DFL) };
        }
    }
}

/// Whether a signal to this process is lost.
pub(crate) fn is_ignored(number: i32) -> bool {
    // SAFETY: what is asked for is written where there is room for it, and zeros are valid there.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(number, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Gives a descriptor a second number, under which the next program finds it. Whatever had that number is closed, so this
/// is only for a process that is about to become another program.
pub(crate) fn place(descriptor: BorrowedFd<'_>, number: i32) -> io::Result<()> {
    // SAFETY: the caller is about to become another program and uses nothing that had that number.
    match unsafe { libc::dup2(descriptor.as_raw_fd(), number) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Keeps all descriptors but the first three from the programs that this process will start.
pub(crate) fn keep_descriptors() {
    let (first, last) = (3_u32, u32::MAX);
    // SAFETY: it closes nothing here; and what it marks is wanted by nobody after an exec. An older kernel refuses.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            last,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
}

/// Ends a forked process without running what the first one has prepared for its own end.
pub(crate) fn end_fork() -> ! {
    // SAFETY: it only ends this process.
    unsafe { libc::_exit(127) }
}

/// Leaves namespaces for new ones.
pub(crate) fn unshare(kinds: UnshareFlags) -> io::Result<()> {
    // SAFETY: nobody asks for a table of descriptors of its own, which is what would be unsafe.
    Ok(unsafe { unshare_unsafe(kinds - UnshareFlags::FILES) }?)
}

/// Brings up the loopback interface.
pub(crate) fn raise_loopback() -> io::Result<()> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: an interface request is plain data, for which zeros are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = libc::c_char::from_ne_bytes([from]);
    }
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_UP).unwrap_or(1);
    // SAFETY: the request lives as long as the call and is what this call takes.
    match unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Lets nobody write to what is mounted there, nor to what is mounted below.
pub(crate) fn make_read_only(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: path and attributes live as long as the call, and the size is theirs.
    let made = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    match made {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

// === impl SignalFd ===

impl SignalFd {
    /// Reads this signal as data from now on.
    pub(crate) fn new(signal: i32) -> io::Result<Self> {
        Self::of(&[signal])
    }

    /// Reads these signals as data from now on.
    pub(crate) fn of(signals: &[i32]) -> io::Result<Self> {
        // SAFETY: the set is initialised before it is used.
        let fd = unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in signals {
                libc::sigaddset(&raw mut set, *signal);
            }
            libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made, and nobody else has it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The numbers of the signals that have come.
    pub(crate) fn read(&self) -> Vec<i32> {
        let mut numbers = Vec::new();
        let mut buffer = [0; size_of::<libc::signalfd_siginfo>()];
        while rustix::io::read(&self.0, &mut buffer).is_ok_and(|read| read == buffer.len()) {
            // The number is the first field.
            let (first, _) = buffer.split_first_chunk().expect("it is longer than that");
            numbers.push(i32::from_ne_bytes(*first));
        }
        numbers
    }

    /// Forgets the signals that have come.
    pub(crate) fn drain(&self) {
        let mut buffer = [0; 8 * size_of::<libc::signalfd_siginfo>()];
        while rustix::io::read(&self.0, &mut buffer).is_ok_and(|read| read > 0) {}
    }
}

impl AsFd for SignalFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
