//! The little statistics that a benchmark needs.

/// The middle of the values.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The exponent of the growth from `x` to `y`: the slope of the best line through their logarithms.
pub(super) fn exponent(points: &[(f64, f64)]) -> f64 {
    let points: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count: f64 = points.iter().map(|_| 1.0).sum();
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let together: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let alone: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    together / alone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let points = [10.0, 100.0, 1000.0].map(|x: f64| (x, 3.0 * x * x));

        assert!((exponent(&points) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_slow_round_does_not_move_the_median() {
        assert!((median(vec![1.0, 900.0, 2.0]) - 2.0).abs() < 1e-9);
    }
}
