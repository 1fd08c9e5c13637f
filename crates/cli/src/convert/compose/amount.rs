//! CPU and memory, as Kubernetes writes them.

use super::reader::Reader;
use crate::convert::draft::Amounts;
use pillion_spec::tree::Node;

// === impl Reader ===

impl Reader<'_> {
    /// `limits` or `reservations`.
    pub(super) fn amounts(&mut self, node: Node<'_>) -> Amounts {
        let mut amounts = Amounts::default();
        for (key, span, value) in self.entries(node) {
            match key {
                "cpus" => amounts.cpu = self.cpus(value),
                "memory" => amounts.memory = self.memory(value),
                key => {
                    let message = format!("`{key}` of resources is not converted");
                    self.notes.left_out(span, message, "left out");
                }
            }
        }
        amounts
    }

    /// A number of processors.
    pub(super) fn cpus(&mut self, node: Node<'_>) -> Option<String> {
        let cpus = self.text(node)?.parse().ok().and_then(cpu_quantity);
        if cpus.is_none() {
            self.refuse(node, "a number of processors");
        }
        cpus
    }

    /// A size in bytes.
    pub(super) fn memory(&mut self, node: Node<'_>) -> Option<String> {
        let size = byte_quantity(&self.text(node)?);
        if size.is_none() {
            self.refuse(node, "a size such as `512m`");
        }
        size
    }
}

/// In thousandths of a processor, unless it is a whole number.
fn cpu_quantity(cpus: f64) -> Option<String> {
    if !(0.001..1_000_000.0).contains(&cpus) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "in range"
    )]
    let milli = (cpus * 1000.0).round() as u64;
    Some(if milli.is_multiple_of(1000) {
        (milli / 1000).to_string()
    } else {
        format!("{milli}m")
    })
}

/// `512m`, `1gb`, `1024`: units are powers of 1024, whatever they are called.
pub(super) fn byte_quantity(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = match unit.trim_start() {
        "" | "b" => "",
        "k" | "kb" | "kib" => "Ki",
        "m" | "mb" | "mib" => "Mi",
        "g" | "gb" | "gib" => "Gi",
        "t" | "tb" | "tib" => "Ti",
        _ => return None,
    };
    let valid = number.parse::<f64>().is_ok() && number.len() < 16;
    valid.then(|| format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_in_thousandths() {
        assert_eq!(cpu_quantity(0.5).as_deref(), Some("500m"));
        assert_eq!(cpu_quantity(2.0).as_deref(), Some("2"));
        assert_eq!(cpu_quantity(-1.0), None);
        assert_eq!(cpu_quantity(f64::NAN), None);
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(byte_quantity("512M").as_deref(), Some("512Mi"));
        assert_eq!(byte_quantity("1.5gb").as_deref(), Some("1.5Gi"));
        assert_eq!(byte_quantity("1024").as_deref(), Some("1024"));
        assert_eq!(byte_quantity("much"), None);
    }
}
