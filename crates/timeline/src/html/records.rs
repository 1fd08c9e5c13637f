//! The list of all that was told, in the order of its numbers.

use crate::quantity::moment;
use crate::record::Record;
use crate::story::{Detail, Told};
use crate::svg::escape::escape;
use crate::svg::tone_class;
use crate::text::tame;
use crate::timeline::Timeline;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The list, with what chooses from it.
pub(super) fn records(timeline: &Timeline) -> String {
    let mut out = String::from(
        "<section class=\"card\" aria-labelledby=\"h-records\">\n<div class=\"bar-top\">\
         <h2 id=\"h-records\">What happened</h2>\
         <label class=\"every\"><input type=\"checkbox\" id=\"every\"/> every record</label>\
         <input type=\"search\" id=\"search\" placeholder=\"Search\" aria-label=\"Search\"/></div>\n",
    );
    out.push_str(&chips(timeline));
    out.push_str("<ol id=\"records\">\n");
    let brief = timeline.story(Detail::Brief).into_iter();
    let brief: BTreeMap<_, _> = brief.map(|told| (told.seq, told)).collect();
    let full = timeline.story(Detail::Full);
    for (record, told) in timeline.records().iter().zip(&full) {
        write_record(&mut out, record, told, brief.get(&record.seq));
    }
    out.push_str(
        "</ol>\n<p id=\"none\" class=\"dim\" hidden=\"\">Nothing matches.</p>\n</section>\n",
    );
    out
}

/// One for each container, to see it alone.
fn chips(timeline: &Timeline) -> String {
    let mut out = String::from("<div class=\"chips\" role=\"group\" aria-label=\"Containers\">");
    let all = [("", "all".to_owned()), (POD, "pod".to_owned())];
    let containers = timeline.containers();
    let containers = containers.iter().map(|name| (*name, tame(name)));
    for (value, word) in all.into_iter().chain(containers) {
        let pressed = value.is_empty();
        let _ = write!(
            out,
            "<button type=\"button\" data-name=\"{}\" aria-pressed=\"{pressed}\">{}</button>",
            escape(value),
            escape(&word)
        );
    }
    out.push_str("</div>\n");
    out
}

/// Stands for the pod itself; no container can have this name.
const POD: &str = ".pod";

fn write_record(out: &mut String, record: &Record, full: &Told, brief: Option<&Told>) {
    let text = escape(&full.text);
    let text = match brief {
        Some(brief) if brief.text != full.text => format!(
            "<span class=\"short\">{}</span><span class=\"full\">{text}</span>",
            escape(&brief.text)
        ),
        Some(_) | None => format!("<span>{text}</span>"),
    };
    let because = record.because.filter(|because| *because < record.seq);
    let because = because.map_or_else(String::new, |seq| format!(" data-because=\"{seq}\""));
    let _ = writeln!(
        out,
        "<li><button type=\"button\" class=\"rec{}\" data-seq=\"{}\" data-name=\"{}\" \
         data-a=\"{}\"{because}><time>{}</time><i class=\"dot {}\"></i>{text}</button></li>",
        if brief.is_some() { " brief" } else { "" },
        record.seq,
        escape(record.container.as_deref().unwrap_or(POD)),
        record.at.as_micros(),
        moment(record.at),
        tone_class(full.tone),
    );
}
