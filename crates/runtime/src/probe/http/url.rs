//! Where a request goes: from the fields of a probe, and from there by redirects.
//!
//! Paths are read with the lenience of the kubelet: what is no valid path is sent with its odd bytes escaped, and what
//! comes after a `#` is not sent.

use std::fmt::Write as _;

/// Whom to ask for what.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::probe) struct Url {
    pub(super) secure: bool,
    /// A name or an address, IPv6 without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// What the request line asks for: begins with `/`, and holds nothing that would break the line.
    pub(super) target: String,
}

/// Where a redirect leads.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Leads {
    /// To the same host.
    To(Url),
    /// To another, or to something that has none.
    Away,
    /// It cannot be read or not be followed.
    Nowhere,
}

// === impl Url ===

impl Url {
    pub(in crate::probe) fn new(secure: bool, host: &str, port: u16, path: &str) -> Self {
        Self {
            secure,
            host: host.to_owned(),
            port,
            target: target(path),
        }
    }

    /// What the `Host` header says.
    pub(super) fn authority(&self) -> String {
        authority(&self.host, self.port)
    }

    /// Where a `Location` leads from here.
    pub(super) fn join(&self, location: &str) -> Leads {
        let location = location.split('#').next().unwrap_or_default();
        if let Some((scheme, rest)) = scheme(location) {
            return self.join_absolute(scheme, rest);
        }
        if let Some(rest) = location.strip_prefix("//") {
            return self.compare(Self::elsewhere(self.secure, rest));
        }
        let (path, _) = halves(location);
        let first = path.split('/').next().unwrap_or_default();
        if first.contains(':') || !has_valid_percents(path) {
            return Leads::Nowhere;
        }
        Leads::To(Self {
            target: self.relative(location),
            ..self.clone()
        })
    }

    fn join_absolute(&self, scheme: &str, rest: &str) -> Leads {
        let Some(rest) = rest.strip_prefix("//") else {
            return Leads::Away;
        };
        let secure = is_secure(scheme);
        match self.compare(Self::elsewhere(secure.unwrap_or_default(), rest)) {
            // The host is right, but nobody there is asked in another language.
            Leads::To(_) if secure.is_none() => Leads::Nowhere,
            leads @ (Leads::To(_) | Leads::Away | Leads::Nowhere) => leads,
        }
    }

    fn compare(&self, place: Option<Self>) -> Leads {
        match place {
            Some(url) if url.host == self.host => Leads::To(url),
            Some(_) => Leads::Away,
            None => Leads::Nowhere,
        }
    }

    /// From an authority and what follows it.
    fn elsewhere(secure: bool, rest: &str) -> Option<Self> {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (_, authority) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (host, port) = split_port(authority);
        let port = match port {
            Some("") | None => [80, 443][usize::from(secure)],
            Some(port) => port.parse().ok()?,
        };
        let host = host
            .strip_prefix('[')
            .map_or(Some(host), |host| host.strip_suffix(']'))?;
        let is_odd = |c: char| c.is_ascii_whitespace() || c.is_ascii_control();
        let is_readable = !host.contains(is_odd) && has_valid_percents(path);
        is_readable.then(|| Self::new(secure, host, port, &tidy(path)))
    }

    fn relative(&self, location: &str) -> String {
        let (path, _) = halves(&self.target);
        match location.chars().next() {
            None => self.target.clone(),
            Some('?') => target(&format!("{path}{location}")),
            Some('/') => target(&tidy(location)),
            Some(_) => {
                let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
                target(&tidy(&format!("{folder}{location}")))
            }
        }
    }
}

/// A host with a port, as it is written in URLs and headers.
pub(in crate::probe) fn authority(host: &str, port: u16) -> String {
    // The zone of an IPv6 address means nothing to the other side.
    let host = host.split('%').next().unwrap_or_default();
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// Whether a location names its protocol, and so is complete.
pub(super) fn is_absolute(location: &str) -> bool {
    scheme(location).is_some()
}

fn scheme(location: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = location.split_once(':')?;
    let is_first = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_rest = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    (is_first && scheme.chars().all(is_rest)).then_some((scheme, rest))
}

fn is_secure(scheme: &str) -> Option<bool> {
    match scheme.to_ascii_lowercase().as_str() {
        "http" => Some(false),
        "https" => Some(true),
        _ => None,
    }
}

/// The colons inside brackets belong to the address.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    }
}

fn halves(target: &str) -> (&str, Option<&str>) {
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// Takes the `.` and `..` out of a path, with the query left as it is.
fn tidy(reference: &str) -> String {
    let (path, query) = halves(reference);
    let mut kept: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        match part {
            ".." => drop(kept.pop()),
            "." => {}
            part => kept.push(part),
        }
        // `/a/.` names a folder, as `/a/` does.
        if is_last && matches!(part, "." | "..") {
            kept.push("");
        }
    }
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("/{}{query}", kept.join("/"))
}

/// What the request line asks for.
fn target(reference: &str) -> String {
    let (path, query) = parse(reference);
    let mut target = String::with_capacity(reference.len() + 1);
    if !path.starts_with('/') {
        target.push('/');
    }
    let keeps_percent = has_valid_percents(path);
    escape(path, &mut target, |byte| {
        byte.is_ascii_alphanumeric()
            || b"-_.~$&+,/:;=@!'()*[]".contains(&byte)
            || (byte == b'%' && keeps_percent)
    });
    if let Some(query) = query {
        target.push('?');
        escape(query, &mut target, |byte| byte.is_ascii_graphic());
    }
    target
}

/// Path and query of what was given as a path. What cannot be read is a path from end to end.
fn parse(reference: &str) -> (&str, Option<&str>) {
    let (path, query) = halves(reference.split('#').next().unwrap_or_default());
    if reference.contains(|c: char| c.is_ascii_control()) || !has_valid_percents(path) {
        return (reference, None);
    }
    // Whole addresses are taken, too; two slashes begin a host, and that is known already.
    let address = scheme(path).map(|(_, rest)| rest);
    let path = address
        .filter(|rest| rest.starts_with("//"))
        .unwrap_or(path);
    let path = match path.strip_prefix("//") {
        Some(rest) if !rest.starts_with('/') => rest.find('/').map_or("", |end| &rest[end..]),
        Some(_) | None => path,
    };
    (path, query)
}

fn has_valid_percents(path: &str) -> bool {
    let mut parts = path.split('%').skip(1);
    parts.all(|part| {
        let digits = part.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn escape(text: &str, into: &mut String, is_kept: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if is_kept(byte) {
            into.push(char::from(byte));
        } else {
            write!(into, "%{byte:02X}").expect("a string takes all");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(path: &str) -> Url {
        Url::new(false, "localhost", 8080, path)
    }

    fn target_of(path: &str) -> String {
        base(path).target
    }

    fn joined(path: &str, location: &str) -> String {
        let Leads::To(url) = base(path).join(location) else {
            panic!("{location}");
        };
        let scheme = ["http", "https"][usize::from(url.secure)];
        format!("{scheme}://{}{}", url.authority(), url.target)
    }

    #[test]
    fn a_path_is_sent_as_it_is_with_a_slash_before_it() {
        assert_eq!(target_of(""), "/");
        assert_eq!(target_of("healthz"), "/healthz");
        assert_eq!(target_of("/a/%2f?q=1&r=a/b#part"), "/a/%2f?q=1&r=a/b");
    }

    #[test]
    fn what_a_request_line_cannot_hold_is_escaped() {
        assert_eq!(target_of("/a b?c d"), "/a%20b?c%20d");
        assert_eq!(target_of("/a\r\nX: y"), "/a%0D%0AX:%20y");
        assert_eq!(target_of("/é"), "/%C3%A9");
    }

    #[test]
    fn a_path_that_cannot_be_read_has_no_query() {
        assert_eq!(target_of("/%zz?a"), "/%25zz%3Fa");
        assert_eq!(target_of("/%4"), "/%254");
    }

    #[test]
    fn two_slashes_begin_a_host_which_is_known_already() {
        assert_eq!(target_of("//other/path"), "/path");
        assert_eq!(target_of("http://other/path"), "/path");
        assert_eq!(target_of("///path"), "///path");
    }

    #[test]
    fn a_location_may_be_relative() {
        let cases = [
            ("/new", "/new"),
            ("new", "/a/new"),
            ("./new?x=1", "/a/new?x=1"),
            ("../new/..", "/"),
            ("/../../x/./", "/x/"),
            ("?x=2", "/a/b?x=2"),
            ("", "/a/b?q"),
            ("#part", "/a/b?q"),
        ];
        for (location, expected) in cases {
            let expected = format!("http://localhost:8080{expected}");
            assert_eq!(joined("/a/b?q", location), expected, "{location}");
        }
    }

    #[test]
    fn a_location_may_name_a_server() {
        let cases = [
            ("http://localhost", "http://localhost:80/"),
            ("HTTPS://localhost/x", "https://localhost:443/x"),
            ("//me:secret@localhost:81?q", "http://localhost:81/?q"),
            ("http://localhost:/a/../b", "http://localhost:80/b"),
        ];
        for (location, expected) in cases {
            assert_eq!(joined("/", location), expected, "{location}");
        }
    }

    #[test]
    fn brackets_are_no_part_of_an_address() {
        let base = Url::new(true, "::1", 443, "/");

        assert!(matches!(base.join("http://[::1]:82/"), Leads::To(url) if url.port == 82));
        assert!(matches!(base.join("//[::1]"), Leads::To(url) if url.port == 443));
    }

    #[test]
    fn a_location_may_lead_away() {
        for location in [
            "http://other/",
            "//other",
            "ftp://other/",
            "mailto:me",
            "http:",
            "http:/x",
            "http://",
            "http://:80/",
        ] {
            assert_eq!(base("/").join(location), Leads::Away, "{location}");
        }
    }

    #[test]
    fn a_location_that_cannot_be_read_or_followed_leads_nowhere() {
        for location in [
            "ftp://localhost/",
            "http://localhost:99999/",
            "http://localhost:x/",
            "http://[::1/",
            "http://a b/",
            "http://other/%zz",
            "/%zz",
            ":x",
            "1http://localhost/",
        ] {
            assert_eq!(base("/").join(location), Leads::Nowhere, "{location}");
        }
    }

    #[test]
    fn a_zone_stays_at_home() {
        assert_eq!(authority("fe80::1%eth0", 80), "[fe80::1]:80");
    }
}
