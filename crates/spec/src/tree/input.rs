//! The text as the parser sees it.
//!
//! The parser refuses a tab alone between a colon and its value; `kubectl` takes it, and so do
//! files in the wild. All else is handed through to the parser's own input.

use saphyr_parser::input::SkipTabs;
use saphyr_parser::{Input, StrInput};

/// A text in which tabs separate as well as spaces do.
pub(super) struct TabbedInput<'t>(StrInput<'t>);

// === impl TabbedInput ===

impl<'t> TabbedInput<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self(StrInput::new(text))
    }
}

impl Input for TabbedInput<'_> {
    fn skip_ws_to_eol(&mut self, skip_tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>) {
        let (consumed, result) = self.0.skip_ws_to_eol(skip_tabs);
        let result = result.map(|skipped| {
            let tabs = skipped.found_tabs();
            SkipTabs::Result(tabs, tabs || skipped.has_valid_yaml_ws())
        });
        (consumed, result)
    }

    fn lookahead(&mut self, count: usize) {
        self.0.lookahead(count);
    }

    fn buflen(&self) -> usize {
        self.0.buflen()
    }

    fn bufmaxlen(&self) -> usize {
        self.0.bufmaxlen()
    }

    fn raw_read_ch(&mut self) -> char {
        self.0.raw_read_ch()
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        self.0.raw_read_non_breakz_ch()
    }

    fn skip(&mut self) {
        self.0.skip();
    }

    fn skip_n(&mut self, count: usize) {
        self.0.skip_n(count);
    }

    fn peek(&self) -> char {
        self.0.peek()
    }

    fn peek_nth(&self, n: usize) -> char {
        self.0.peek_nth(n)
    }

    fn peek_opt(&self) -> Option<char> {
        self.0.peek_opt()
    }

    fn look_ch(&mut self) -> char {
        self.0.look_ch()
    }

    fn buf_is_empty(&self) -> bool {
        self.0.buf_is_empty()
    }

    fn next_char_is(&self, c: char) -> bool {
        self.0.next_char_is(c)
    }

    fn nth_char_is(&self, n: usize, c: char) -> bool {
        self.0.nth_char_is(n, c)
    }

    fn next_is_document_indicator(&self) -> bool {
        self.0.next_is_document_indicator()
    }

    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        self.0.next_can_be_plain_scalar(in_flow)
    }

    fn next_is_blank_or_breakz(&self) -> bool {
        self.0.next_is_blank_or_breakz()
    }

    fn next_is_blank(&self) -> bool {
        self.0.next_is_blank()
    }

    fn next_is_breakz(&self) -> bool {
        self.0.next_is_breakz()
    }

    fn skip_while_non_breakz(&mut self) -> usize {
        self.0.skip_while_non_breakz()
    }

    fn skip_while_blank(&mut self) -> usize {
        self.0.skip_while_blank()
    }

    fn fetch_while_is_alpha(&mut self, out: &mut String) -> usize {
        self.0.fetch_while_is_alpha(out)
    }

    fn fetch_while_is_yaml_non_space(&mut self, out: &mut String) -> usize {
        self.0.fetch_while_is_yaml_non_space(out)
    }
}
