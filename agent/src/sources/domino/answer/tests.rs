//! Answers whole and otherwise, and what is said of each.

use proptest::prelude::*;

use super::*;

const WHOLE: &str = "> show stat\n  Mail.Dead = 0\n  Server.Users = 12\n  2 statistics found\n\n";

fn said(bytes: &[u8]) -> String {
    newest(&text(bytes)).expect_err("there is no whole listing").refused("`x`").to_string()
}

#[test]
fn the_newest_of_several_is_taken() {
    let two = format!("{WHOLE}{}", WHOLE.replace("12", "13"));
    let listing = newest(&two).unwrap();
    assert_eq!(listing.stats, [("Mail.Dead".to_owned(), "0".to_owned()), ("Server.Users".to_owned(), "13".to_owned())]);
    assert_eq!(listing.trailer, Some(2));
}

#[test]
fn the_blank_of_french_numbers_stops_nothing() {
    for blank in [b'\xff', b'\xa0'] {
        let mut bytes = b"\xef\xbb\xbf  Disk.C.Free = 199".to_vec();
        bytes.push(blank);
        bytes.extend(b"281\n  1 statistiques trouv\xe9es\n");
        assert_eq!(newest(&text(&bytes)).unwrap().stats, [("Disk.C.Free".to_owned(), "199\u{fffd}281".to_owned())]);
    }
}

#[test]
fn every_flaw_says_what_it_is_and_what_to_do() {
    for (bytes, what, next) in [
        (&b""[..], "`x` is empty", "see whether what writes it still runs"),
        (b" \r\n\n", "`x` is empty", "disk is not full"),
        (b"  Mail.Dead = 0\n  Server.Users = 12\n", "lacks its end", "comes to its end"),
        // The trailer's own line is cut.
        (b"  Mail.Dead = 0\n  Server.Users = 12\n  2 statistics fo", "lacks its end", "comes to its end"),
        (b"nonsense\n", "holds 9 bytes, and neither a listing of `show stat` nor Prometheus text in them", "`path` or `url`"),
        (b"<html><body>Sign in</body></html>\n", "holds 34 bytes, and neither", "leads to its statistics"),
        (b"# HELP a b\nDomino_Server_Users 12\n", "holds Prometheus text", "\"prom_file\""),
        (b"07:92: 0A:0A\n0B:11: 0C:0D\n", "message numbers", "LANG"),
        (b"Enter password (press the Esc key to abort): ", "asks for the password", "console"),
        (b"Server not running -- Command ignored\n", "`x` says that no server runs; start it", "data folder"),
        (b"\x7fELF\x02\x01\0\0\0\0", "`x` is no text", "leads to its statistics"),
        (b"\x80\x81\x82\x83 abc \x90\n", "`x` is no text", "leads to its statistics"),
    ] {
        let said = said(bytes);
        assert!(said.contains(what) && said.contains(next), "{said}");
    }
}

/// What is said of a text stands where everybody may read it.
#[test]
fn nothing_that_stands_in_a_text_is_repeated() {
    for text in ["root:s3cret:1:0\n", "the server s3cret is not running\n", "enter password s3cret\n", "s3cret\0\n", "<s3cret>"] {
        let said = said(text.as_bytes());
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[test]
fn an_older_listing_does_not_stand_for_one_that_is_not_whole() {
    assert!(said(format!("{WHOLE}  Mail.Dead = 0\n  Server.Users = 13\n").as_bytes()).contains("lacks its end"));
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = newest(&text(&bytes)).map_err(|flaw| flaw.refused("`x`"));
    }
}

/// Cut anywhere, it is not taken; with its end it is.
#[test]
fn a_cut_answer_is_never_a_listing() {
    let whole = WHOLE.trim_end().len();
    for end in 0..=whole {
        assert!(newest(&WHOLE[..end]).is_err(), "{end}");
    }
    assert!(newest(&WHOLE[..=whole]).is_ok());
}
