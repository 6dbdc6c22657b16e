//! Selectors of Prometheus samples as `[partition.fields]` writes them: `http_requests_total{code="200"}`.
//!
//! A name and labels that must be equal, nothing more. Refused: `!=`, `=~` and `!~`, because one selector is to mean one series
//! or the sum of a few, and not what happens to match; an empty value, which PromQL takes for a label that is not there.

use std::iter::Peekable;
use std::str::Chars;

/// What is asked of a sample: its name, and values of some of its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// The name.
    pub name: String,
    /// Names and values that its labels must have, in the order written; a sample may have further labels.
    pub labels: Vec<(String, String)>,
}

impl Selector {
    /// Reads a selector. Blanks may stand between its parts and a comma behind the last label, as in PromQL.
    ///
    /// # Errors
    /// What is wrong and what to write instead.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let mut rest = text.chars().peekable();
        let name = word(&mut rest, |c| c == ':');
        if name.is_empty() {
            return Err(format!("`{text}` does not begin with a name, {EXAMPLE}"));
        }
        let mut labels: Vec<(String, String)> = Vec::new();
        if next_is(&mut rest, '{') {
            while !next_is(&mut rest, '}') {
                let (label, value) = matcher(text, &mut rest)?;
                if labels.iter().any(|(other, _)| *other == label) {
                    return Err(format!("`{text}` names the label `{label}` twice, name it once"));
                }
                labels.push((label, value));
                if !next_is(&mut rest, ',') && rest.peek() != Some(&'}') {
                    return Err(format!("`{text}` has neither a comma nor `}}` behind a label, {EXAMPLE}"));
                }
            }
        }
        skip_blanks(&mut rest);
        match rest.next() {
            None => Ok(Selector { name, labels }),
            Some(c) => Err(format!("`{text}` goes on with `{c}` where it should end, {EXAMPLE}")),
        }
    }
}

const EXAMPLE: &str = "write it like `http_requests_total{code=\"200\"}`";

fn matcher(text: &str, rest: &mut Peekable<Chars<'_>>) -> Result<(String, String), String> {
    let label = word(rest, |_| false);
    if label.is_empty() {
        return Err(format!("`{text}` has no name of a label where one should stand, {EXAMPLE}"));
    }
    skip_blanks(rest);
    let equal = rest.next() == Some('=');
    skip_blanks(rest);
    if !equal || rest.peek() == Some(&'~') {
        return Err(format!("`{label}` in `{text}` is not followed by `=`, which is all that is understood, {EXAMPLE}"));
    }
    match quoted(rest) {
        Some(value) if !value.is_empty() => Ok((label, value)),
        Some(_) => Err(format!("`{label}` in `{text}` is empty, write the value it has or leave it out")),
        None => Err(format!("the value of `{label}` in `{text}` is no text in quotation marks, {EXAMPLE}")),
    }
}

/// A name of letters, digits and underscores that begins with no digit; empty where there is none.
fn word(rest: &mut Peekable<Chars<'_>>, also: impl Fn(char) -> bool) -> String {
    skip_blanks(rest);
    let mut word = String::new();
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || also(c);
    while let Some(c) = rest.next_if(|&c| first(c) || (!word.is_empty() && c.is_ascii_digit())) {
        word.push(c);
    }
    word
}

/// A text in quotation marks; `\"`, `\\` and `\n` stand for what they stand for in PromQL.
fn quoted(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    rest.next_if_eq(&'"')?;
    let mut value = String::new();
    loop {
        value.push(match rest.next()? {
            '"' => return Some(value),
            '\\' => match rest.next()? {
                'n' => '\n',
                c @ ('"' | '\\') => c,
                _ => return None,
            },
            c => c,
        });
    }
}

fn next_is(rest: &mut Peekable<Chars<'_>>, wanted: char) -> bool {
    skip_blanks(rest);
    rest.next_if_eq(&wanted).is_some()
}

fn skip_blanks(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::Selector;

    fn check(text: &str, name: &str, labels: &[(&str, &str)]) {
        let labels = labels.iter().map(|&(label, value)| (label.to_owned(), value.to_owned())).collect();
        assert_eq!(Selector::parse(text), Ok(Selector { name: name.to_owned(), labels }));
    }

    #[test]
    fn a_name_and_labels_that_are_equal() {
        check("up", "up", &[]);
        check("up{}", "up", &[]);
        check("job:requests_total:sum2", "job:requests_total:sum2", &[]);
        check("http_requests_total{code=\"200\"}", "http_requests_total", &[("code", "200")]);
        check(" a { b = \"1\" , c_2=\"x,}\" , } ", "a", &[("b", "1"), ("c_2", "x,}")]);
        check(r#"a{b="C:\\d \"e\"\n"}"#, "a", &[("b", "C:\\d \"e\"\n")]);
    }

    #[test]
    fn what_is_refused_says_what_to_write() {
        const LIKE: &str = "write it like `http_requests_total{code=\"200\"}`";
        let equal = |text: &str| format!("`b` in `{text}` is not followed by `=`, which is all that is understood, {LIKE}");
        let quotes = |text: &str| format!("the value of `b` in `{text}` is no text in quotation marks, {LIKE}");
        for (text, what) in [
            ("", format!("`` does not begin with a name, {LIKE}")),
            ("2a", format!("`2a` does not begin with a name, {LIKE}")),
            ("a b", format!("`a b` goes on with `b` where it should end, {LIKE}")),
            ("a{b=\"1\"} + c", format!("`a{{b=\"1\"}} + c` goes on with `+` where it should end, {LIKE}")),
            ("a{b=\"1\" c=\"2\"}", format!("`a{{b=\"1\" c=\"2\"}}` has neither a comma nor `}}` behind a label, {LIKE}")),
            ("a{,}", format!("`a{{,}}` has no name of a label where one should stand, {LIKE}")),
            ("a{b=\"1\"", format!("`a{{b=\"1\"` has neither a comma nor `}}` behind a label, {LIKE}")),
            ("a{c:d=\"1\"}", format!("`c` in `a{{c:d=\"1\"}}` is not followed by `=`, which is all that is understood, {LIKE}")),
            ("a{b!=\"1\"}", equal("a{b!=\"1\"}")),
            ("a{b=~\"1\"}", equal("a{b=~\"1\"}")),
            ("a{b=1}", quotes("a{b=1}")),
            ("a{b=\"1}", quotes("a{b=\"1}")),
            ("a{b=\"\\d\"}", quotes("a{b=\"\\d\"}")),
            ("a{b=\"\"}", "`b` in `a{b=\"\"}` is empty, write the value it has or leave it out".to_owned()),
            ("a{b=\"1\",b=\"2\"}", "`a{b=\"1\",b=\"2\"}` names the label `b` twice, name it once".to_owned()),
        ] {
            assert_eq!(Selector::parse(text), Err(what));
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

        #[test]
        fn no_text_panics(text in "[a-z0-9{}=\"\\\\,~! ]{0,40}") {
            let _ = Selector::parse(&text);
        }
    }
}
