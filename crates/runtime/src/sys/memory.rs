//! Memory that can be had again.

/// Gives back the pages of programs and libraries that are only ever read, and what is free on the heap.
///
/// The kernel maps much more of a program than is used while it begins. Whoever is about to wait for long needs none of
/// it, and gets it back from the page cache, a little at a time, when something happens.
pub(crate) fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it touches only what is free.
    unsafe {
        libc::malloc_trim(0)
    };
    let mut ranges = Ranges {
        found: [(0, 0); MOST],
        count: 0,
    };
    // SAFETY: the callback has the type that is asked for, and gets what it expects, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(find_ranges), (&raw mut ranges).cast()) };
    // Last of all, and in one place: whatever runs afterwards is mapped again.
    for (begin, length) in &ranges.found[..ranges.count] {
        let begin = std::ptr::with_exposed_provenance_mut(*begin);
        // SAFETY: nobody has ever written there, so that the file has the same bytes. If it fails, they stay.
        unsafe { libc::madvise(begin, *length, libc::MADV_DONTNEED) };
    }
}

/// Where programs and libraries are mapped that cannot be written to: beginnings and lengths.
struct Ranges {
    found: [(usize, usize); MOST],
    count: usize,
}

/// More than there are in any build of ours; what is beyond stays.
const MOST: usize = 64;

/// Finds what one program or library has mapped and cannot write to.
unsafe extern "C" fn find_ranges(
    object: *mut libc::dl_phdr_info,
    _: libc::size_t,
    ranges: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: whoever calls hands over a valid description, as many headers as it says, and what it was given for us.
    let (object, headers, ranges) = unsafe {
        let object = &*object;
        let count = usize::from(object.dlpi_phnum);
        let headers = std::slice::from_raw_parts(object.dlpi_phdr, count);
        (object, headers, &mut *ranges.cast::<Ranges>())
    };
    for header in headers {
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 {
            let begin = object.dlpi_addr + header.p_vaddr;
            let of_page = begin % PAGE;
            let begin = usize::try_from(begin - of_page).unwrap_or(0);
            let length = usize::try_from(header.p_memsz + of_page).unwrap_or(0);
            if let Some(free) = ranges.found.get_mut(ranges.count) {
                *free = (begin, length);
                ranges.count += 1;
            }
        }
    }
    0
}

/// If pages are larger, a beginning that is not one's is refused, and they stay.
const PAGE: u64 = 4096;
