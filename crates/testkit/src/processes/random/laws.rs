//! What every pod keeps, one law per function: each takes a case and says what is wrong with it.

mod end;
mod restart;
mod reversal;
mod single;
mod start;
mod stop;

use super::case::Case;

/// Says what is wrong, in sentences.
type Law = fn(&Case) -> Vec<String>;

const LAWS: [Law; 16] = [
    single::lives_once,
    single::leaves_nobody,
    start::requirements_hold,
    start::waits_for_what_may_come,
    start::nobody_waits_in_vain,
    start::no_main_begins_in_an_ending_pod,
    stop::outlives_who_requires_it,
    stop::sidecars_outlive_mains,
    stop::nobody_is_told_for_nothing,
    restart::nobody_returns_after_a_stop,
    restart::what_is_over_stays_over,
    restart::what_failed_comes_back,
    restart::goes_with_its_target,
    reversal::only_success_is_reversed,
    end::ends_in_time,
    end::has_the_right_result,
];

/// Everything that is wrong with a case.
pub(super) fn breaches(case: &Case) -> Vec<String> {
    LAWS.iter().flat_map(|law| law(case)).collect()
}
