//! A timeline as a page: one file that needs no network.

use crate::svg::escape::escape;
use crate::svg::{GENERATOR, svg};
use crate::text::tame;
use crate::timeline::Timeline;

/// The page.
pub fn page(timeline: &Timeline) -> String {
    let pod = escape(&tame(&timeline.header().pod));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <!-- {GENERATOR} -->\n<title>{pod}</title>\n</head>\n<body>\n{}</body>\n</html>\n",
        svg(timeline)
    )
}
