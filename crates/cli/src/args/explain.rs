//! `pillion explain`

/// Tell what the code of a problem means
///
/// Every problem that `pillion lint` finds has a code, such as L0102. This tells what it means, why
/// it matters and what to do. Without a code, all of them are listed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The code, in upper or lower case
    #[arg(value_name = "CODE")]
    pub(crate) topic: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  pillion explain L0102
  pillion explain               all codes
";
