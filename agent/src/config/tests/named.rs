//! `[[metric]]`: statistics taken by their own name.

use super::check;
use crate::config::*;

fn metric(statistic: &str, kind: &str) -> String {
    format!("[[metric]]\nstatistic = \"{statistic}\"\nkind = \"{kind}\"\n")
}

#[test]
fn statistics_that_no_row_claims_are_taken() {
    let text =
        [metric("Server.Brand.New", "counter"), metric("Server.*.Newer", "gauge"), metric("Database.Brand.New", "counter")];
    let named = |statistic: &str, counter| Named { statistic: statistic.to_owned(), counter };
    assert_eq!(
        Config::parse(&text.concat()).unwrap().named,
        [named("Server.Brand.New", true), named("Server.*.Newer", false), named("Database.Brand.New", true)]
    );
}

#[test]
fn what_is_wrong_with_one_is_told_at_its_line() {
    let claimed = "is read already and kept as `domino_transactions_total`, take the entry out";
    let at = "line 2: `statistic` in [[metric]]:";
    check(&metric("server.trans.TOTAL", "counter"), &[&format!("{at} `server.trans.TOTAL` {claimed}")]);
    check(&metric("A.*.B*", "gauge"), &[&format!("{at} `A.*.B*` holds more than one `*`, make it several entries")]);
    check(&metric("*", "gauge"), &[&format!("{at} `*` alone would take every statistic, write how the names begin")]);
    let name = "is no name of a statistic, write what stands before the ` = ` in `show stat`";
    check(&metric("A.B = 3", "gauge"), &[&format!("{at} `A.B = 3` {name}")]);
    check(&metric(" A.B", "gauge"), &[&format!("{at} ` A.B` {name}")]);
    check(
        "[[metric]]\nstatistik = \"A.B\"\nkind = \"conter\"\n[[metric]]\nstatistic = \"C.D\"\n",
        &[
            "line 1: [[metric]] without `statistic`, write its name as `show stat` prints it",
            "line 2: unknown setting `statistik` in [[metric]], did you mean `statistic`?",
            "line 3: `kind` in [[metric]]: `conter` is neither `counter` nor `gauge`",
            "line 4: [[metric]] without `kind`, write \"counter\" for what only grows, else \"gauge\"",
        ],
    );
}

#[test]
fn a_statistic_is_named_once() {
    check(
        &[metric("A.B", "gauge"), metric("A.C", "gauge"), metric("a.b", "what")].concat(),
        &[
            "line 8: `statistic` in [[metric]]: `a.b` is named in line 2 already",
            "line 9: `kind` in [[metric]]: `what` is neither `counter` nor `gauge`",
        ],
    );
}
