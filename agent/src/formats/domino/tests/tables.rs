//! Answers in columns.

use proptest::prelude::*;

use super::super::{console, dates, numbers, prefix, show_tasks, show_transactions, show_users};

#[test]
fn tasks_of_a_statistic() {
    for (text, name, status, zone) in [
        ("Cluster Replicator: Idle: [08/01/2026 02:08:41 ZE1]", "Cluster Replicator", "Idle", "ZE1"),
        ("Router: Transfer: Searching for mail: [03/11/2011 08:08:20 MST]", "Router", "Transfer: Searching for mail", "MST"),
        (
            "HTTP Server: Listen for connect requests on TCP Port:80",
            "HTTP Server",
            "Listen for connect requests on TCP Port:80",
            "",
        ),
        ("Event Monitor", "Event Monitor", "", ""),
    ] {
        let task = show_tasks::value(text).unwrap();
        assert_eq!((task.name, task.status, task.since.map_or("", |since| since.zone)), (name, status, zone));
    }
    assert_eq!(show_tasks::value(" "), None);
}

#[test]
fn the_table_of_tasks() {
    let text = "[1F:2-3] > show tasks\n[1F:2-3] Server name:            mail1/Acme - Test server\n\n\
                [1F:2-3]    Task                 Description\n\n[1F:2-3]  Database Server       Perform console commands\n\
                [7F:2-3] 03.11.2026 10:15:00   Router: delivered  twice\n[1F:2-3]  Agent Manager         Executive '1': Idle\n\
                [1F:2-3]  A task whose name is longer than its column\n[1F:2-3] > show users\n[1F:2-3]  Not  This\n";
    let found = show_tasks::table(text.lines());
    assert_eq!(found.tasks.iter().map(|task| task.name).collect::<Vec<_>>(), ["Database Server", "Agent Manager"]);
    assert_eq!((found.tasks[1].status, found.refused), ("Executive '1': Idle", 1));
}

#[test]
fn the_table_of_users() {
    let text = "> show users\nUser Name                     Databases Open                 Minutes Since Last Used\n\n\
                Ann Example/Acme              mail/ann.nsf                   12\n                              names.nsf                      3\n\
                Bob Example/Acme                                             0\n03.11.2026 10:15:00   Opened session for x\n\
                Carl Example/Acme             mail/carl.nsf                  soon\n> show tasks\nDan  d.nsf  1\n";
    let found = show_users::table(text.lines());
    assert_eq!(found.refused, 1);
    let users: Vec<_> = found.users.iter().map(|user| (user.name, user.databases.len(), user.minutes)).collect();
    assert_eq!(users, [("Ann Example/Acme", 2, 3), ("Bob Example/Acme", 0, 0)]);
}

fn row(text: &str) -> Option<[u64; 5]> {
    let lines = ["Fonction                      Nombre     Min     Max      Total   Moyenne", text];
    let found = show_transactions::table(lines);
    assert_eq!(found.functions.len() + found.refused as usize, 1, "{text}");
    found.functions.first().map(|f| [f.count, f.min, f.max, f.total, f.average])
}

#[test]
fn rows_of_transactions() {
    for (text, numbers) in [
        ("OPEN_DB                          997       0    1410     212142   212", [997, 0, 1410, 212_142, 212]),
        ("OPEN_DB                          997       0    1 410     212142   212", [997, 0, 1410, 212_142, 212]),
        ("OPEN_DB                          997       0    1 410    212 142   212", [997, 0, 1410, 212_142, 212]),
        ("OPEN_DB                          997       0    1\u{a0}410    212\u{a0}142   212", [997, 0, 1410, 212_142, 212]),
        ("OPEN_DB 997 0 1.410 212.142 212", [997, 0, 1410, 212_142, 212]),
        ("OPEN_NOTE                    7 919 999       0   2 865  118 799 985   15", [7_919_999, 0, 2865, 118_799_985, 15]),
        ("DB_INFO_GET                        4       0      16         32   8", [4, 0, 16, 32, 8]),
    ] {
        assert_eq!(row(text), Some(numbers), "{text}");
    }
    // No way to divide, or too few or too many pieces.
    for text in [
        "OPEN_DB 1 2 3 4 5 6",
        "OPEN_DB 1 2 3 4",
        "OPEN_DB 997 9 8 212142 212",
        "OPEN_DB 997 0 14.10 212142 212",
        "OPEN_DB 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "OPEN_DB 99999999999999999999999 0 1 2 3",
    ] {
        assert_eq!(row(text), None, "{text}");
    }
}

#[test]
fn headers_of_every_language() {
    for header in [
        "Function                       Count     Min     Max      Total   Average",
        "機能                       件数     最小     最大      合計   平均",
        "함수                       값     최소     최대      합계   평균",
    ] {
        let lines = ["> show trans", header, "OPEN_DB 4 0 16 32 8", "> show users", "OPEN_DB 4 0 16 32 8"];
        assert_eq!(show_transactions::table(lines).functions.len(), 1, "{header}");
    }
    assert_eq!(show_transactions::table(["OPEN_DB 4 0 16 32 8"]).functions, []);
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "(\\PC|[ .,:'/>\\[\\]0-9\n\t]|2026-01-02 |10:11:12 |ZE1|Domino \\(r\\) Server|Peak:|A  B\n|F  A B C D E\n){0,80}") {
        let _ = (show_tasks::table(text.lines()), show_users::table(text.lines()), show_transactions::table(text.lines()));
        let _ = numbers::Profile::infer(text.lines().map(|line| ("Mail.X", line)), None);
        for line in text.lines() {
            let console = prefix::strip(line);
            prop_assert!(line.contains(console.text));
            let _ = (console::line(console.text), console::line(line), dates::zoned(line), show_tasks::value(line));
            for profile in [numbers::Profile::default(), numbers::Profile { group: Some('.'), decimal: Some(',') }] {
                if let numbers::Value::Number(number) | numbers::Value::Duration(number) = profile.parse(line) {
                    prop_assert!(number.is_finite());
                }
            }
        }
    }

    #[test]
    fn a_grouped_row_is_read_right_or_refused(count in 1..3_000_000_u64, max in 0..10_000_u64, mean in 0..5000_u64, rest in 0..1_u64) {
        let max = max.max(mean);
        let total = count * mean + rest;
        let group = |n: u64| {
            let digits = n.to_string();
            let mut grouped = String::new();
            for (i, digit) in digits.chars().enumerate() {
                if i > 0 && (digits.len() - i).is_multiple_of(3) {
                    grouped.push(' ');
                }
                grouped.push(digit);
            }
            grouped
        };
        let text = format!("OPEN_DB {} 0 {} {} {}", group(count), group(max), group(total), group(mean));
        if let Some(numbers) = row(&text) {
            prop_assert_eq!(numbers, [count, 0, max, total, mean]);
        }
    }
}
