//! A timeline as a page: one file that needs no network.
//!
//! On top how it ended and where the time went; then the picture, which can be zoomed and moved, the
//! graph beside it, and all that was told below. Whatever is chosen tells why it came to be, step by
//! step back to the start of the pod. Without scripts it still shows everything. The same timeline
//! gives the same text, and nothing in it can get out of its place: there is no data in the script.

mod graph;
mod records;

use crate::facts::{facts, sentence, verdict};
use crate::gantt::Shade;
use crate::svg::chart::Chart;
use crate::svg::escape::escape;
use crate::svg::{GENERATOR, STYLE, description, key, patterns, tone_class};
use crate::text::tame;
use crate::timeline::Timeline;
use std::fmt::Write as _;

/// The page.
pub fn page(timeline: &Timeline) -> String {
    let pod = escape(&tame(&timeline.header().pod));
    let (word, _) = verdict(timeline);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <!-- {GENERATOR} -->\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <title>{pod} {word}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n\
         <body class=\"pl\">\n{}<main>\n{}{}{}</main>\n\
         <div id=\"tip\" role=\"tooltip\" hidden=\"\"></div>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        top(timeline),
        picture(timeline),
        aside(timeline),
        records::records(timeline),
    )
}

/// The name, the result and what to know first.
fn top(timeline: &Timeline) -> String {
    let (word, tone) = verdict(timeline);
    let started = timeline.header().started;
    let started = started.map_or_else(String::new, |wall| {
        format!(
            " <span class=\"dim\">started {}</span>",
            escape(&wall.to_string())
        )
    });
    let mut out = format!(
        "<header>\n<h1>{} <span class=\"verdict {}\">{word}</span></h1>\n<p>{}{started}</p>\n\
         <dl>\n",
        escape(&tame(&timeline.header().pod)),
        tone_class(tone),
        escape(&sentence(timeline)),
    );
    for fact in facts(timeline) {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            fact.label,
            escape(&fact.value)
        );
    }
    out.push_str("</dl>\n</header>\n");
    out
}

/// The picture with what moves it and what it means.
fn picture(timeline: &Timeline) -> String {
    let chart = Chart::new(timeline, WIDTH);
    let (width, height) = (chart.width(), chart.height());
    let shades = chart.shades().into_iter().map(Some);
    let path = chart.has_path().then_some(None);
    let keys: String = shades.chain(path).map(legend_entry).collect();
    format!(
        "<section class=\"card\" aria-labelledby=\"h-timeline\">\n<div class=\"bar-top\">\
         <h2 id=\"h-timeline\">Timeline</h2>{TOOLS}</div>\n\
         <div id=\"box\" tabindex=\"0\" aria-describedby=\"keys\">\
         <svg id=\"picture\" role=\"group\" aria-labelledby=\"pl-title pl-desc\" \
         viewBox=\"0 0 {width} {height}\">\n{}{}{}</svg></div>\n\
         <ul class=\"legend\">{keys}</ul>\n\
         <p id=\"keys\" class=\"dim hint\">{KEYS}</p>\n</section>\n",
        description(timeline),
        patterns(),
        chart.draw(),
    )
}

fn legend_entry(shade: Option<Shade>) -> String {
    let word = shade.map_or("critical path", Shade::word);
    format!(
        "<li><svg width=\"24\" height=\"16\" aria-hidden=\"true\">{}</svg>{word}</li>",
        key(shade)
    )
}

/// Why, and the graph.
fn aside(timeline: &Timeline) -> String {
    let graph = graph::graph(timeline);
    let graph = if graph.is_empty() {
        graph
    } else {
        format!(
            "<section class=\"card\" aria-labelledby=\"h-graph\">\n<h2 id=\"h-graph\">Graph</h2>\n\
             <div class=\"graph\">{graph}</div>\n\
             <p class=\"dim hint\">From what starts first to what waits for it; dashed: goes on \
             without it too. What follows from other lines is left out.</p>\n</section>\n"
        )
    };
    format!(
        "<aside>\n<section class=\"card\" id=\"why\" aria-labelledby=\"h-why\" aria-live=\"polite\">\n\
         <h2 id=\"h-why\">Why?</h2>\n<p class=\"dim\" id=\"why-what\">Choose a bar or a line to see \
         what led to it.</p>\n<ol id=\"chain\"></ol>\n</section>\n{graph}</aside>\n"
    )
}

/// Nothing is loaded from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

const PAGE_STYLE: &str = include_str!("html/page.css");

const SCRIPT: &str = include_str!("html/page.js");

/// How wide the picture is where no script lays it out.
const WIDTH: u32 = 960;

const TOOLS: &str = "<div class=\"tools\" role=\"group\" aria-label=\"Zoom\">\
    <button type=\"button\" data-do=\"out\" aria-label=\"Zoom out\">\u{2212}</button>\
    <button type=\"button\" data-do=\"in\" aria-label=\"Zoom in\">+</button>\
    <button type=\"button\" data-do=\"start\">To ready</button>\
    <button type=\"button\" data-do=\"fit\">All</button></div>";

const KEYS: &str = "Drag to move, Ctrl and wheel to zoom. Keys: + \u{2212} 0 zoom, \
    arrows go from bar to bar, with Shift they move, Esc lets go.";
