//! A timeline as a picture: one SVG that needs nothing else.
//!
//! Rows of bars over a time axis, in the order of the starts, with the reason behind each bar where a
//! pointer rests on it; above them how it ended and where the time went, below them what the colours
//! mean. It follows the reader's choice of light or dark. The same timeline gives the same text.

pub(crate) mod chart;
pub(crate) mod escape;
pub(crate) mod row;

use crate::facts::{facts, sentence, verdict};
use crate::gantt::Shade;
use crate::text::{Line, Style, Tone, tame};
use crate::timeline::Timeline;
use chart::{Chart, class};
use escape::escape;
use std::fmt::Write as _;

/// What every picture and page says about where it comes from, near its beginning.
pub const GENERATOR: &str = "made by pillion trace";

/// What the colours are and what the text looks like.
pub(crate) const STYLE: &str = include_str!("svg/style.css");

/// Text, line by line from the top.
struct Head {
    out: String,
    y: u32,
}

/// The picture.
pub fn svg(timeline: &Timeline) -> String {
    let chart = Chart::new(timeline, WIDTH - 2 * PAD);
    let head = head(timeline);
    let keys = legend(&chart);
    let below = head.y + chart.height() + 14;
    let height = below + keys.y + PAD;
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pl\" role=\"img\" \
         aria-labelledby=\"pl-title pl-desc\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\">\n<!-- {GENERATOR} -->\n{}<style>\n{STYLE}</style>\n{}\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{}\
         <g transform=\"translate({PAD} {})\">\n{}</g>\n\
         <g transform=\"translate({PAD} {below})\">\n{}</g>\n</svg>\n",
        description(timeline),
        patterns(),
        head.out,
        head.y,
        chart.draw(),
        keys.out
    );
    out
}

/// What a reader hears who cannot see it.
pub(crate) fn description(timeline: &Timeline) -> String {
    let facts: Vec<_> = facts(timeline)
        .iter()
        .map(|fact| format!("{}: {}", fact.label, fact.value))
        .collect();
    format!(
        "<title id=\"pl-title\">Timeline of {}</title>\n<desc id=\"pl-desc\">{}. {}.</desc>\n",
        escape(&tame(&timeline.header().pod)),
        escape(&sentence(timeline)),
        escape(&facts.join(". "))
    )
}

/// Stripes, so that states can be told apart without colours.
pub(crate) fn patterns() -> String {
    let striped = |name: &str, stripe: &str| {
        format!(
            "<pattern id=\"pl-{name}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect class=\"b-{name}\" width=\"8\" height=\"8\"/>\
             <path class=\"stripe\" d=\"{stripe}\"/></pattern>\n"
        )
    };
    let dotted = "<pattern id=\"pl-backoff\" width=\"6\" height=\"8\" \
                  patternUnits=\"userSpaceOnUse\">\
                  <rect class=\"b-backoff\" width=\"4\" height=\"8\"/></pattern>\n";
    format!(
        "<defs>\n{}{}{}{dotted}</defs>\n",
        striped("starting", "M-2 10L10 -2M-2 2L2 -2M6 10L10 6"),
        striped("unready", "M0 2H8M0 6H8"),
        striped("stopping", "M-2 -2L10 10M-2 6L2 10M6 -2L10 2"),
    )
}

/// The name of the pod, how it ended, and where the time went.
fn head(timeline: &Timeline) -> Head {
    let mut head = Head {
        out: String::new(),
        y: PAD + 16,
    };
    let (_, tone) = verdict(timeline);
    head.text("h1", PAD, &tame(&timeline.header().pod));
    head.y += 22;
    head.wrapped(tone_class(tone), PAD, &sentence(timeline));
    head.y += 6;
    for fact in facts(timeline) {
        head.text("dim", PAD, fact.label);
        head.wrapped("", PAD + LABEL, &fact.value);
    }
    head.y += 2;
    head
}

/// What the shapes mean, as many in a line as have room.
fn legend(chart: &Chart<'_>) -> Head {
    let mut keys = Head {
        out: String::new(),
        y: 0,
    };
    let mut x = 0;
    let shades = chart.shades().into_iter().map(Some);
    let path = chart.has_path().then_some(None);
    for shade in shades.chain(path) {
        let word = shade.map_or("critical path", Shade::word);
        let room = 34 + 7 * u32::try_from(word.len()).unwrap_or_default() + 18;
        if x + room > WIDTH - 2 * PAD {
            (x, keys.y) = (0, keys.y + 20);
        }
        let _ = writeln!(
            keys.out,
            "<g transform=\"translate({x} {})\">{}<text class=\"dim\" x=\"30\" y=\"12\">{word}\
             </text></g>",
            keys.y,
            key(shade)
        );
        x += room;
    }
    keys.y += 16;
    keys
}

/// The shape of a state; `None` is the critical path.
pub(crate) fn key(shade: Option<Shade>) -> String {
    match shade {
        None => "<g class=\"key path\"><path d=\"M0 8H22\"/></g>".to_owned(),
        Some(Shade::Failed) => "<g class=\"key mark failed\" transform=\"translate(11 8)\">\
                                <path d=\"M-4 -4L4 4M4 -4L-4 4\"/></g>"
            .to_owned(),
        Some(shade) => {
            let thin = matches!(shade, Shade::Waiting | Shade::Pulling | Shade::BackingOff);
            let (y, height) = if thin { (6, 4) } else { (2, 12) };
            format!(
                "<g class=\"key {}\"><rect class=\"fill\" y=\"{y}\" width=\"22\" \
                 height=\"{height}\" rx=\"2\"/></g>",
                class(shade)
            )
        }
    }
}

pub(crate) const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Strong => "plain",
        Tone::Good => "good",
        Tone::Waiting => "waiting",
        Tone::Bad => "bad",
        Tone::Dim => "dim",
    }
}

// === impl Head ===

impl Head {
    /// A text in the line that is being written.
    fn text(&mut self, class: &str, x: u32, text: &str) {
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{}\">{}</text>",
            self.y,
            escape(text)
        );
    }

    /// A text that goes on below where it is too long, and the end of its last line.
    fn wrapped(&mut self, class: &str, x: u32, text: &str) {
        let columns = usize::try_from((WIDTH - PAD - x) / 7).unwrap_or(1);
        for line in Style::unicode(columns).wrap(&Line::new(Tone::Plain, text), 0) {
            self.text(class, x, &line.to_string());
            self.y += 19;
        }
    }
}

const WIDTH: u32 = 1000;
/// Around everything.
const PAD: u32 = 24;
/// The room of the words before each fact.
const LABEL: u32 = 96;
