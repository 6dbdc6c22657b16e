//! What somebody may have meant: the known name nearest to the one they typed.

/// The nearest of the known names, if it is near: with up to a third of its letters wrong a word is still that word.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = name.chars().count() / 3;
    let distance = |other: &'a str| (strsim::damerau_levenshtein(name, other), other);
    known.into_iter().map(distance).filter(|(distance, _)| *distance <= near).min().map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_forgiven_and_another_word_is_not() {
        let known = ["interval", "zone", "web", "Europe/Berlin"];
        let near = |name| nearest(name, known);
        assert_eq!(
            (near("intreval"), near("Europe/Berlni"), near("wbe")),
            (Some("interval"), Some("Europe/Berlin"), Some("web"))
        );
        assert_eq!((near("Mars/Olympus"), near("x"), near("")), (None, None, None));
        assert_eq!(nearest("zone", []), None);
    }
}
