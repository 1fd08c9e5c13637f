//! Amounts of resources, such as `350m` or `1Gi`, with the meaning Kubernetes gives them.

/// An amount, exact to a billionth.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

/// How an amount is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// In thousands: `m`, `k`, `M`.
    DecimalSi,
    /// In 1024s: `Ki`, `Mi`.
    BinarySi,
    /// With an exponent: `1e3`.
    DecimalExponent,
}

// === impl Quantity ===

impl Quantity {
    /// The amount in billionths.
    pub fn nanos(self) -> i128 {
        self.nanos
    }

    /// How it is written.
    pub fn format(self) -> Format {
        self.format
    }
}
