//! Looks whether a picture or a page is well formed: every element is closed in order, and text has
//! no sign that would begin another one.

/// The first thing that is wrong with it.
pub(super) fn fault(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        if let Some(fault) = text_fault(&rest[..start]) {
            return Some(fault);
        }
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        let Some((tag, after)) = split_tag(rest) else {
            return Some(format!("a tag is not closed: {rest:.60}"));
        };
        rest = after;
        if let Some(fault) = take_tag(tag, &mut open) {
            return Some(fault);
        }
        // What a browser takes as it is, up to the end of the element.
        if let Some(name @ ("script" | "style")) = open.last().copied() {
            let end = format!("</{name}>");
            let Some(place) = rest.find(&end) else {
                return Some(format!("{name} is not closed"));
            };
            rest = &rest[place..];
        }
    }
    text_fault(rest).or_else(|| open.pop().map(|name| format!("{name} is not closed")))
}

fn take_tag<'a>(tag: &'a str, open: &mut Vec<&'a str>) -> Option<String> {
    let name = tag.split([' ', '\n', '/']).find(|part| !part.is_empty());
    let name = name.unwrap_or_default();
    if tag.starts_with('!') {
        None
    } else if let Some(name) = tag.strip_prefix('/') {
        let last = open.pop();
        (last != Some(name)).then(|| format!("{last:?} is closed by {name}"))
    } else {
        if !tag.ends_with('/') {
            open.push(name);
        }
        // Between the quotes there is nothing to find; outside there are only names.
        let outside: String = tag.split('"').step_by(2).collect();
        let good = |c: char| c.is_ascii_alphanumeric() || " \n-=/:".contains(c);
        (!outside.chars().all(good)).then(|| format!("attributes of {tag}"))
    }
}

/// A tag ends with the first `>` that is not in quotes.
fn split_tag(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    for (place, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '<' => return None,
            '>' if !quoted => return Some((&text[..place], &text[place + 1..])),
            _ => {}
        }
    }
    None
}

fn text_fault(text: &str) -> Option<String> {
    let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let mut signs = text.split('&').skip(1);
    let bad = signs.find(|sign| !known.iter().any(|known| sign.starts_with(known)));
    let control = text.chars().find(|c| c.is_control() && *c != '\n');
    bad.map(|sign| format!("&{sign:.20}"))
        .or_else(|| control.map(|c| format!("{c:?} in the text")))
        .or_else(|| text.contains('>').then(|| format!("> in {text:.60}")))
}

#[test]
fn faults_are_found() {
    for good in [
        "",
        "<a/>",
        "<a b=\"x > y\"><c>1 &lt; 2</c></a>",
        "<!-- <x> --><a></a>",
    ] {
        assert_eq!(fault(good), None, "{good}");
    }
    for bad in [
        "<a>",
        "<a></b>",
        "<a b=\"></a>",
        "<a>&x</a>",
        "<a>1 > 2</a>",
        "<a <b/>",
        "<a b='1'/>",
    ] {
        assert!(fault(bad).is_some(), "{bad}");
    }
}
