//! `[[partition]]`: what an entry may say, key by key and together.

use std::path::Path;

use super::check;
use crate::config::selector::Selector;
use crate::config::*;

/// An entry that is right, to which a test adds.
const CONSOLE: &str =
    "[[partition]]\nname = \"mail1\"\nsource = \"console\"\nprogram = \"/opt/server\"\ndata = \"/local/notesdata\"\n";
const SHOP: &str = "[[partition]]\nname = \"shop\"\nkind = \"prometheus\"\nsource = \"url\"\nurl = \"http://shop/metrics\"\n";

fn partition(text: &str) -> Partition {
    Config::parse(text).unwrap().partitions.remove(0)
}

/// The problems of one right entry with more in it, from line 6 on.
fn with(entry: &str, more: &str, problems: &[&str]) {
    check(&format!("{entry}{more}"), problems);
}

#[test]
fn an_entry_says_what_differs_and_the_defaults_the_rest() {
    let expected = Partition {
        name: "mail1".to_owned(),
        kind: Kind::Domino,
        source: Some(Way::Console),
        program: Some("/opt/server".into()),
        data: Some("/local/notesdata".into()),
        path: None,
        url: None,
        token_file: None,
        basic_auth_file: None,
        ca_file: None,
        user: None,
        host: None,
        zone: None,
        every: None,
        timeout: Duration::from_secs(10),
        registered_users: None,
        fields: Vec::new(),
    };
    assert_eq!(Config::parse(CONSOLE).unwrap().partitions, [expected]);
}

#[test]
fn every_way_in_takes_its_keys() {
    let more = "user = \"notes\"\nhost = \"mail-a\"\ntimeout = \"5m\"\nregistered_users = 2120\n";
    let console = partition(&format!("{CONSOLE}{more}"));
    assert_eq!((console.user.as_deref(), console.host.as_deref()), (Some("notes"), Some("mail-a")));
    assert_eq!((console.timeout, console.registered_users), (Duration::from_secs(300), Some(Registered::Figure(2120))));
    let text = "[[partition]]\nname = \"a\"\nsource = \"file\"\npath = \"a.txt\"\nevery = \"5m\"\ndata = \"d\"\n\
        registered_users = { file = \"users.csv\" }\n\
        [[partition]]\nname = \"b\"\nsource = \"console_log\"\npath = \"console.log\"\nzone = \"Europe/Berlin\"\nevery = \"15m\"\n\
        [[partition]]\nname = \"c\"\nsource = \"push\"\ntoken_file = \"token\"\nevery = \"1m\"\n\
        [[partition]]\nname = \"d\"\nsource = \"prom_file\"\npath = \"domino.prom\"\nevery = \"1m\"\n\
        [[partition]]\nname = \"e\"\nsource = \"url\"\nurl = \"https://e:9100/m\"\ntoken_file = \"t\"\nca_file = \"ca.pem\"\ntimeout = \"1s\"\n\
        [[partition]]\nname = \"f\"\nsource = \"url\"\nurl = \"http://[::1]/\"\nbasic_auth_file = \"b\"\n\
        [[partition]]\nname = \"Server 7, ä\"\ndata = \"/local/g\"\n";
    let all = Config::parse(text).unwrap().partitions;
    let ways = all.iter().map(|partition| partition.source).collect::<Vec<_>>();
    assert_eq!(
        ways,
        [Some(Way::File), Some(Way::ConsoleLog), Some(Way::Push), Some(Way::PromFile), Some(Way::Url), Some(Way::Url), None]
    );
    assert_eq!(all[0].registered_users, Some(Registered::File("users.csv".into())));
    assert_eq!((all[0].every, all[1].every), (Some(Duration::from_secs(300)), Some(Duration::from_secs(900))));
    assert_eq!(all[1].zone, Some(chrono_tz::Europe::Berlin));
    assert_eq!((all[4].url.as_deref(), all[4].ca_file.as_deref()), (Some("https://e:9100/m"), Some(Path::new("ca.pem"))));
}

#[test]
fn users_may_be_counted_by_an_address() {
    let counted = |more: &str| {
        partition(&format!("{CONSOLE}registered_users = {{ url = \"https://mail1/names.nsf/Mine?x\"{more} }}")).registered_users
    };
    let mut expected = UsersUrl {
        url: "https://mail1/names.nsf/Mine?x".to_owned(),
        token_file: None,
        basic_auth_file: None,
        ca_file: None,
        timeout: Duration::from_secs(10),
    };
    assert_eq!(counted(", file = \"\", token_file = \"\""), Some(Registered::Url(expected.clone())));
    (expected.basic_auth_file, expected.ca_file) = (Some("b".into()), Some("c".into()));
    expected.timeout = Duration::from_secs(60);
    let more = ", basic_auth_file = \"b\", ca_file = \"c\", timeout = \"1m\"";
    assert_eq!(counted(more), Some(Registered::Url(expected)));
    let text = format!("{CONSOLE}registered_users.url = \"http://mail1/\"\nregistered_users.token_file = \"t\"\n");
    assert!(matches!(partition(&text).registered_users, Some(Registered::Url(url)) if url.token_file == Some("t".into())));
}

#[test]
fn an_address_that_counts_is_checked_with_what_stands_beside_it() {
    let like = "write it like `https://mail1.example.com/names.nsf/MailUsers?ReadViewEntries&Count=1`";
    for (table, what) in [
        ("url = \"u:s3cret\"", format!("`url` `u` is not fetched, only http and https, {like}")),
        ("url = \"mail1/s3cret\"", format!("`url` is no URL (relative URL without a base), {like}")),
        (
            "url = \"http://a:s3cret@b/\"",
            "`url` holds a user or a password, take it out and name a `basic_auth_file` with `user:password`".to_owned(),
        ),
        ("url = \"http://a/\", file = \"u\"", "names both a file and a URL, take one of them out".to_owned()),
        ("file = \"u\", ca_file = \"c\"", "`ca_file` has no effect with a file, take it out".to_owned()),
        (
            "url = \"http://a/\", tokenfile = \"t\"",
            "unknown setting `tokenfile` with a URL, did you mean `token_file`?".to_owned(),
        ),
        (
            "url = \"http://a/\", ldap = \"t\"",
            "unknown setting `ldap` with a URL, there are token_file, basic_auth_file, ca_file, timeout".to_owned(),
        ),
        (
            "url = \"http://a/\", token_file = \"t\", basic_auth_file = \"b\"",
            "`basic_auth_file` cannot be sent together with `token_file`, take one of them out".to_owned(),
        ),
        (
            "url = \"http://a/\", ca_file = \"c\"",
            "`ca_file` has no effect with a URL of http, take it out or fetch by https".to_owned(),
        ),
        ("url = \"http://a/\", timeout = \"6m\"", "`timeout`: `6m` is not between 1s and 5m".to_owned()),
        ("url = 3", "invalid type: integer `3`, expected a string".to_owned()),
    ] {
        let line = format!("line 6: `registered_users` in [[partition]]: {what}");
        with(CONSOLE, &format!("registered_users = {{ {table} }}"), &[&line]);
    }
    let beside = "is a URL, which has no effect without `source`, write a number or { file = \"users.csv\" }";
    check(
        "[[partition]]\nname = \"a\"\ndata = \"d\"\nregistered_users = { url = \"http://a/\" }\n",
        &[&format!("line 4: `registered_users` in [[partition]]: {beside}")],
    );
}

/// A shared token serves every push; another section may stand behind the partitions.
#[test]
fn a_push_may_use_the_token_of_the_web_section() {
    let push = "[[partition]]\nname = \"a\"\nsource = \"push\"\n";
    let config = Config::parse(&format!("{push}[web]\npush_token_file = \"token\"\n")).unwrap();
    assert_eq!(config.push_token_file.as_deref(), Some(Path::new("token")));
    let needs = "`source` in [[partition]]: \"push\" needs a token, \
        name a file with one as `token_file` here or `push_token_file` in [web]";
    check(push, &[&format!("line 3: {needs}")]);
    check(&format!("{push}[web]\npush_token_file = \"\"\n"), &[&format!("line 3: {needs}")]);
}

#[test]
fn every_problem_of_every_entry_is_found_with_its_line() {
    check(
        "[[partition]]\nname = \"a/b\"\nsoruce = \"file\"\ntimeout = \"10m\"\n\n\
        [[metrics]]\n\n\
        [[partition]]\nname = \"mail2\"\nsource = \"consol\"\nurl = 3\nhost = \"a\\tb\"\n\
        [[partition]]\nsource = \"file\"\nprogram = \"x\"\nevery = \"0s\"\n\
        [wbe]\n",
        &[
            "line 1: [[partition]] without `data`, name `source` or at least `data`, else nothing can be read",
            "line 2: `name` in [[partition]]: `a/b` cannot stand in a URL and in a label, write it without `/` and quotation marks",
            "line 3: unknown setting `soruce` in [[partition]], did you mean `source`?",
            "line 4: `timeout` in [[partition]]: `10m` is not between 1s and 5m",
            "line 4: `timeout` in [[partition]]: has no effect without `source`, take it out",
            "line 6: unknown section `metrics`, did you mean `metric`?",
            "line 10: `source` in [[partition]]: unknown source `consol`, did you mean `console`?",
            "line 11: `url` in [[partition]]: invalid type: integer `3`, expected a string",
            "line 12: `host` in [[partition]]: \"a\\tb\" holds characters that cannot be seen or blanks at an end, write it without them",
            "line 13: [[partition]] without `name`, give it the name its series are to have, like \"mail1\"",
            "line 14: `source` in [[partition]]: \"file\" needs `path`, like path = \"/var/lib/domino/mail1.txt\"",
            "line 15: `program` in [[partition]]: has no effect with source = \"file\", take it out",
            "line 16: `every` in [[partition]]: `0s` is no duration, write it like `60s`, `15m`, `2h`, `30d`, `8w` or `3y`",
            "line 17: unknown section `wbe`, did you mean `web`?",
        ],
    );
}

#[test]
fn single_values_are_refused_with_what_to_write() {
    let name = |text: &str| format!("[[partition]]\nname = {text}\ndata = \"d\"\n");
    let cannot = "cannot stand in a URL and in a label, write it without `/` and quotation marks";
    let unseen = "holds characters that cannot be seen or blanks at an end, write it without them";
    let at = "line 2: `name` in [[partition]]:";
    for (text, what) in [
        ("'a\"b'", format!("{at} `a\"b` {cannot}")),
        ("\"..\"", format!("{at} `..` {cannot}")),
        ("\"a\\u001bb\"", format!("{at} \"a\\u{{1b}}b\" {unseen}")),
        ("\"a\\u202eb\"", format!("{at} \"a\\u{{202e}}b\" {unseen}")),
        ("\" a\"", format!("{at} \" a\" {unseen}")),
    ] {
        check(&name(text), &[&what]);
    }
    let (long, longer) = ("ä".repeat(64), "ä".repeat(65));
    assert_eq!(partition(&name(&format!("\"{long}\""))).name, long);
    check(&name(&format!("\"{longer}\"")), &[&format!("{at} `{longer}` has 65 characters, choose one of at most 64")]);
    check(&name("\"\""), &["line 1: [[partition]] without `name`, give it the name its series are to have, like \"mail1\""]);
    let at = "line 6: `registered_users` in [[partition]]:";
    let like = "write a number, { file = \"users.csv\" } or { url = \"https://…\" }";
    with(CONSOLE, "registered_users = -1", &[&format!("{at} -1 is no number of users, {like}")]);
    with(CONSOLE, "registered_users = {}", &[&format!("{at} names neither a file nor a URL, {like}")]);
    with(CONSOLE, "registered_users = { path = \"u\" }", &[&format!("{at} names neither a file nor a URL, {like}")]);
    let expected = "expected a number of users like 2120, { file = \"users.csv\" } or { url = \"https://…\" }";
    with(CONSOLE, "registered_users = \"u\"", &[&format!("{at} invalid type: string \"u\", {expected}")]);
    with(CONSOLE, "kind = \"sametime\"", &["line 6: `kind` in [[partition]]: `sametime` is neither `domino` nor `prometheus`"]);
    check(
        "[[partition]]\nname = \"a\"\nsource = \"ssh\"\n",
        &["line 3: `source` in [[partition]]: unknown source `ssh`, write console, file, console_log, push, prom_file, url"],
    );
    check(
        "[[partition]]\nname = \"a\"\nsource = \"console_log\"\npath = \"p\"\nzone = \"Mars\"\nevery = \"2h\"\n",
        &[
            "line 5: `zone` in [[partition]]: unknown zone `Mars`, write an IANA name like `Europe/Berlin`, or `schedule`",
            "line 6: `every` in [[partition]]: `2h` is not between 1s and 1h",
        ],
    );
}

#[test]
fn urls_are_of_http_and_hold_no_password() {
    let url = |url: &str| format!("[[partition]]\nname = \"a\"\nsource = \"url\"\nurl = \"{url}\"\n");
    let (at, next) = ("line 4: `url` in [[partition]]:", "write it like `https://mail1.example.com:9100/metrics`");
    check(&url("mail1/metrics"), &[&format!("{at} is no URL (relative URL without a base), {next}")]);
    check(&url("http://"), &[&format!("{at} is no URL (empty host), {next}")]);
    check(&url("ftp://mail1/"), &[&format!("{at} `ftp` is not fetched, only http and https, {next}")]);
    let password = format!("{at} holds a user or a password, take it out and name a `basic_auth_file` with `user:password`");
    check(&url("https://me:secret@mail1/"), &[&password]);
    check(&url("https://me@mail1/"), &[&password]);
    with(
        &url("http://mail1/"),
        "token_file = \"t\"\nbasic_auth_file = \"b\"\nca_file = \"c\"\n",
        &[
            "line 6: `basic_auth_file` in [[partition]]: cannot be sent together with `token_file`, take one of them out",
            "line 7: `ca_file` in [[partition]]: has no effect with a URL of http, take it out or fetch by https",
        ],
    );
    assert_eq!(partition(&format!("{}ca_file = \"c\"\n", url("HTTPS://mail1/"))).source, Some(Way::Url));
}

/// Which keys say something beside which source, written out by hand.
#[test]
fn what_has_no_effect_is_told_and_what_is_needed_is_asked_for() {
    let values = [
        ("program", "\"p\""),
        ("data", "\"d\""),
        ("path", "\"f\""),
        ("url", "\"https://a/\""),
        ("token_file", "\"t\""),
        ("basic_auth_file", "\"b\""),
        ("ca_file", "\"c\""),
        ("user", "\"u\""),
        ("zone", "\"UTC\""),
        ("every", "\"5m\""),
        ("timeout", "\"20s\""),
    ];
    for (source, needed, other) in [
        ("console", &["program", "data"][..], &["user", "timeout"][..]),
        ("file", &["path"], &["every"]),
        ("console_log", &["path"], &["every", "zone"]),
        ("push", &[], &["token_file", "every"]),
        ("prom_file", &["path"], &["every"]),
        ("url", &["url"], &["token_file", "ca_file", "every", "timeout"]),
    ] {
        let mut text = format!("[[partition]]\nname = \"a\"\nsource = \"{source}\"\n");
        let mut expected = Vec::new();
        for (line, (key, value)) in (4..).zip(values.iter().filter(|(key, _)| source != "url" || *key != "basic_auth_file")) {
            text.push_str(&[key, " = ", value, "\n"].concat());
            if *key != "data" && !needed.contains(key) && !other.contains(key) {
                let vain =
                    format!("line {line}: `{key}` in [[partition]]: has no effect with source = \"{source}\", take it out");
                expected.push(vain);
            }
        }
        check(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
        let bare = format!("[web]\npush_token_file = \"t\"\n[[partition]]\nname = \"a\"\nsource = \"{source}\"\n");
        let found = Config::parse(&bare).err().unwrap_or_default();
        assert_eq!(found.len(), needed.len(), "{source}");
        for (problem, key) in found.iter().zip(needed) {
            let what = format!("line 5: `source` in [[partition]]: \"{source}\" needs `{key}`, like {key} = \"");
            assert!(problem.to_string().starts_with(&what), "{problem}");
        }
    }
    // What says no more than holds anyway, is in nobody's way.
    with(CONSOLE, "path = \"\"\nevery = \"schedule\"\nzone = \"schedule\"\nkind = \"domino\"\nregistered_users = 0\n", &[]);
}

#[test]
fn names_are_given_once() {
    let second = CONSOLE.replace("/local/notesdata", "/local/other");
    let line = "`mail1` is the name of the partition in line 2 already, choose another";
    check(&format!("{CONSOLE}{second}"), &[&format!("line 7: `name` in [[partition]]: {line}")]);
    check(&format!("{CONSOLE}{}", second.replace("mail1", "Mail1")), &[]);
}

#[test]
fn a_list_is_written_as_a_list() {
    let what = "`partition` is a list of tables, write each as `[[partition]]`";
    check("[partition]\nname = \"a\"\n", &[&format!("line 1: {what}")]);
    check("\npartition = [{ name = \"a\", data = \"d\" },\n3]\n", &[&format!("line 3: {what}")]);
    assert_eq!(Config::parse("partition = [{ name = \"a\", data = \"d\" }]\n").unwrap().partitions.len(), 1);
}

#[test]
fn another_application_says_what_stands_for_what() {
    let fields = "[partition.fields]\n\
        domino_transactions_total = 'http_requests_total{code=\"200\"}'\n\
        'domino_users_active{window=\"30m\"}' = \"sessions\"\n\
        'domino_disk_free_bytes{disk=\"any text\"}' = \"disk\"\n";
    let mut found = partition(&format!("{SHOP}{fields}")).fields;
    found.sort_by_key(|field| field.metric.name);
    let field = |metric, labels: &[&str], from| Field {
        metric: crate::catalog::metric(metric).unwrap(),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        from: Selector::parse(from).unwrap(),
    };
    assert_eq!(
        found,
        [
            field("domino_disk_free_bytes", &["any text"], "disk"),
            field("domino_transactions_total", &[], "http_requests_total{code=\"200\"}"),
            field("domino_users_active", &["30m"], "sessions"),
        ]
    );
}

#[test]
fn the_kind_and_the_fields_go_together() {
    let needs =
        "line 3: `kind` in [[partition]]: \"prometheus\" needs a table [partition.fields], which says what stands for what";
    check(SHOP, &[needs]);
    with(SHOP, "[partition.fields]\n", &[needs]);
    check(
        "[[partition]]\nname = \"a\"\nkind = \"prometheus\"\nsource = \"push\"\ntoken_file = \"t\"\nfields = { domino_users_connected = \"s\" }\n",
        &["line 3: `kind` in [[partition]]: \"prometheus\" needs source = \"url\" or source = \"prom_file\""],
    );
    with(
        CONSOLE,
        "[partition.fields]\ndomino_users_connected = \"s\"\n",
        &["line 6: `fields` in [[partition]]: has no effect with kind = \"domino\", whose statistics are known, take it out"],
    );
    with(SHOP, "fields = 3\n", &["line 6: `fields` in [[partition]]: invalid type: integer `3`, expected a map"]);
    with(
        SHOP,
        "registered_users = 5\nfields.domino_registered_users = \"users\"\n",
        &["line 6: `registered_users` in [[partition]]: stands in [partition.fields] too, take one of them out"],
    );
}

#[test]
fn every_field_is_checked_at_its_line() {
    let lines = [
        (
            "domino_transactoins_total = 'a'",
            "there is no metric `domino_transactoins_total`, did you mean `domino_transactions_total`?",
        ),
        ("humidity = 'a'", "there is no metric `humidity`, `weekline metrics` lists them all"),
        (
            "host_cpu_busy_ratio = 'a'",
            "is of the host and of no partition; only metrics with the label `partition` can stand here",
        ),
        ("weekline_source_up = 'a'", "is what Weekline says of itself, and nobody else can"),
        ("domino_transactions_per_second = 'a'", "follows from `domino_transactions_total`, name what it follows from"),
        ("domino_users_active = 'a'", "say which `window`, like `window=\"now\"`"),
        ("domino_disk_size_bytes = 'a'", "say which `disk`, like `disk=\"…\"`"),
        ("'domino_users_active{window=\"9m\"}' = 'a'", "there is no window `9m`, only `now`, `1m`, `3m`, `5m`, `15m`, `30m`"),
        ("'domino_users_active{windwo=\"1m\"}' = 'a'", "has no label `windwo`, only `window`"),
        ("'domino_users_connected{x=\"1\"}' = 'a'", "has no label `x`, leave it out"),
        ("'domino_users_connected{partition=\"1\"}' = 'a'", "leave `partition` out, the partition has its name already"),
        ("domino_users_connected = 3", "name the samples in quotation marks, like 'http_requests_total{code=\"200\"}'"),
        (
            "domino_users_connected_peak = '='",
            "`=` does not begin with a name, write it like `http_requests_total{code=\"200\"}`",
        ),
        ("'domino_transactions_total' = 'a'", ""),
        ("'domino_transactions_total{}' = 'b'", "stands in line 20 already, take one of them out"),
    ];
    let mut text = format!("{SHOP}[partition.fields]\n");
    let mut expected = Vec::new();
    for (line, (written, what)) in (7..).zip(lines) {
        text.push_str(&[written, "\n"].concat());
        let key = written.rsplit_once(" = ").unwrap().0.trim_matches('\'');
        if !what.is_empty() {
            expected.push(format!("line {line}: `{key}` in [partition.fields]: {what}"));
        }
    }
    check(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn every_path_is_seen_from_somewhere() {
    let text =
        "[[partition]]\nname = \"a\"\nsource = \"console\"\nprogram = \"p\"\ndata = \"d\"\nregistered_users = { file = \"u\" }\n";
    assert_eq!(partition(text).paths_mut().map(|path| path.display().to_string()).collect::<Vec<_>>(), ["p", "d", "u"]);
    let text = "[[partition]]\nname = \"a\"\nsource = \"push\"\ntoken_file = \"t\"\n\
        registered_users = { url = \"https://a/\", basic_auth_file = \"u\", ca_file = \"c\" }\n";
    assert_eq!(partition(text).paths_mut().map(|path| path.display().to_string()).collect::<Vec<_>>(), ["t", "u", "c"]);
    let text = "[[partition]]\nname = \"a\"\nsource = \"url\"\nurl = \"https://a/\"\nbasic_auth_file = \"b\"\nca_file = \"c\"\n";
    assert_eq!(partition(text).paths_mut().map(|path| path.display().to_string()).collect::<Vec<_>>(), ["b", "c"]);
    let text = "[[partition]]\nname = \"a\"\nsource = \"push\"\ntoken_file = \"t\"\n";
    assert_eq!(partition(text).paths_mut().map(|path| path.display().to_string()).collect::<Vec<_>>(), ["t"]);
}
