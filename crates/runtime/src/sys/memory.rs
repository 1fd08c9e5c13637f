//! Memory that can be had again.

/// Gives back the pages of programs and libraries that are only ever read, and what is free on the heap.
///
/// The kernel maps much more of a program than is used while it begins. Whoever is about to wait for long needs none of
/// it, and gets it back from the page cache, a little at a time, when something happens.
pub(crate) fn give_back() {
    // SAFETY: the callback has the type that is asked for, and uses what it gets only while it runs.
    unsafe { libc::dl_iterate_phdr(Some(give_back_of), std::ptr::null_mut()) };
    #[cfg(target_env = "gnu")]
    // SAFETY: it touches only what is free.
    unsafe {
        libc::malloc_trim(0)
    };
}

/// Gives back what one program or library has mapped and cannot write to.
unsafe extern "C" fn give_back_of(
    object: *mut libc::dl_phdr_info,
    _: libc::size_t,
    _: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: whoever calls hands over a valid description, and as many headers as it says.
    let (object, headers) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        (object, std::slice::from_raw_parts(object.dlpi_phdr, count))
    };
    for header in headers {
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 {
            let begin = object.dlpi_addr + header.p_vaddr;
            let of_page = begin % PAGE;
            let length = usize::try_from(header.p_memsz + of_page).unwrap_or(0);
            let begin = usize::try_from(begin - of_page).unwrap_or(0);
            let begin = std::ptr::with_exposed_provenance_mut(begin);
            // SAFETY: nobody has ever written there, so that the file has the same bytes. If it fails, they stay.
            unsafe { libc::madvise(begin, length, libc::MADV_DONTNEED) };
        }
    }
    0
}

/// If pages are larger, a beginning that is not one's is refused, and they stay.
const PAGE: u64 = 4096;
