//! What was measured, as a table that can be put into a document.

use std::fmt::Write as _;

/// One figure, of everybody who has it.
pub(super) struct Row {
    what: String,
    unit: &'static str,
    bar: Bar,
    /// Pillion must be ahead of all peers that can do it.
    pub(super) ahead_of_peers: bool,
    measured: Vec<(&'static str, Measured)>,
}

/// What Pillion must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bar {
    AtMost(f64),
    /// So many times as much as the bare loop.
    TimesBare(f64),
    /// It is only told.
    None,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) enum Measured {
    Value(f64),
    CannotDoThat,
    Failed(String),
}

/// The whole table, for a document.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = "| what | Pillion | bar | beside |\n| --- | ---: | --- | --- |\n".to_owned();
    for row in rows {
        row.write(&mut text);
    }
    text
}

// === impl Row ===

impl Row {
    pub(super) fn new(what: &str, unit: &'static str, bar: Bar) -> Self {
        Self {
            what: what.to_owned(),
            unit,
            bar,
            ahead_of_peers: false,
            measured: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, who: &'static str, measured: Measured) {
        self.measured.push((who, measured));
    }

    /// Whether Pillion keeps to its bar, and is ahead of those that it must be ahead of.
    pub(super) fn is_met(&self) -> bool {
        let Some(own) = self.value("Pillion") else {
            return false;
        };
        let within = match self.bar {
            Bar::AtMost(most) => own <= most,
            Bar::TimesBare(times) => self.value("bare").is_some_and(|bare| own <= times * bare),
            Bar::None => true,
        };
        let ahead = self.measured.iter().all(|(who, measured)| match measured {
            Measured::Value(value) => matches!(*who, "bare" | "Pillion") || own < *value,
            Measured::CannotDoThat | Measured::Failed(_) => true,
        });
        within && (ahead || !self.ahead_of_peers)
    }

    /// Everything on one line, as it is measured.
    pub(super) fn print(&self) {
        let verdict = if self.is_met() { "ok" } else { "MISSED" };
        say!("    {verdict:<6} {}: {}", self.what, self.all());
    }

    fn value(&self, wanted: &str) -> Option<f64> {
        let found = self.measured.iter().find(|(who, _)| *who == wanted);
        match found {
            Some((_, Measured::Value(value))) => Some(*value),
            Some((_, Measured::CannotDoThat | Measured::Failed(_))) | None => None,
        }
    }

    fn all(&self) -> String {
        let parts = self.measured.iter().map(|(who, measured)| match measured {
            Measured::Value(value) => format!("{who} {}", self.number(*value)),
            Measured::CannotDoThat => format!("{who} –"),
            Measured::Failed(why) => format!("{who} failed ({why})"),
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    fn write(&self, text: &mut String) {
        let own = self.value("Pillion");
        let ratio = own.zip(self.value("bare")).map(|(own, bare)| own / bare);
        let bar = match (self.bar, ratio) {
            (Bar::AtMost(most), _) => format!("≤ {}", self.number(most)),
            (Bar::TimesBare(times), Some(ratio)) => format!("≤ {times} × bare: {ratio:.2} ×"),
            (Bar::TimesBare(times), None) => format!("≤ {times} × bare"),
            (Bar::None, _) => String::new(),
        };
        let missed = if self.is_met() { "" } else { " (missed)" };
        let others = self
            .measured
            .iter()
            .filter_map(|(who, measured)| match measured {
                Measured::Value(value) if *who != "Pillion" => {
                    Some(format!("{who} {}", self.number(*value)))
                }
                Measured::Value(_) | Measured::CannotDoThat | Measured::Failed(_) => None,
            });
        let others = others.collect::<Vec<_>>().join(", ");
        let own = own.map(|own| self.number(own)).unwrap_or_default();
        let what = &self.what;
        let _ = writeln!(text, "| {what} | {own} | {bar}{missed} | {others} |");
    }

    fn number(&self, value: f64) -> String {
        let digits = match value {
            value if value >= 100.0 || value == 0.0 => 0,
            value if value >= 10.0 => 1,
            _ => 2,
        };
        format!("{value:.digits$} {}", self.unit).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(own: f64, bare: f64, peer: Measured) -> Row {
        let mut row = Row::new("hop", "ms", Bar::TimesBare(2.0));
        row.ahead_of_peers = true;
        row.add("bare", Measured::Value(bare));
        row.add("Pillion", Measured::Value(own));
        row.add("peer", peer);
        row
    }

    #[test]
    fn the_bar_is_relative_to_the_bare_loop() {
        assert!(row(1.9, 1.0, Measured::CannotDoThat).is_met());
        assert!(!row(2.1, 1.0, Measured::CannotDoThat).is_met());
    }

    #[test]
    fn a_peer_that_is_ahead_is_a_miss() {
        assert!(!row(1.5, 1.0, Measured::Value(1.4)).is_met());
        assert!(row(1.5, 1.0, Measured::Value(1.6)).is_met());
    }
}
