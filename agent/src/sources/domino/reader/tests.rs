//! What becomes of what a way brought: listings, expositions and published statistics of our own, one after the other.

use std::fs;

use chrono::DateTime;

use super::*;
use crate::catalog;
use crate::formats::domino::exposition;
use crate::sources::domino::{Partition, Settings, Way};

const MINUTE: Duration = Duration::from_secs(60);
const TOTAL: &str = "domino_transactions_total";

/// A reader of `mail1`, and what it made of each thing it was brought.
struct Bench {
    reader: Reader,
}

impl Bench {
    fn new() -> Bench {
        Bench::of(&[])
    }

    fn of(fields: &[Field]) -> Bench {
        Bench { reader: Reader::new("mail1", "big", &[], fields) }
    }

    /// What is made of something said so many seconds after the first instant.
    fn take(&mut self, second: i64, what: What) -> Result<Option<Snapshot>, String> {
        self.reader.take(Brought { at: at(second), what }, MINUTE).map_err(|error| error.to_string())
    }

    /// The same, where something must be made of it.
    fn good(&mut self, second: i64, what: What) -> Snapshot {
        self.take(second, what).unwrap().unwrap()
    }

    /// The same, where it is nothing new.
    fn nothing(&mut self, second: i64, what: What) {
        let made = self.take(second, what).unwrap();
        assert!(made.is_none(), "{made:?}");
    }

    fn refused(&mut self, second: i64, what: What) -> String {
        self.take(second, what).unwrap_err()
    }
}

fn at(second: i64) -> Timestamp {
    DateTime::from_timestamp(1_793_697_300 + second, 0).unwrap()
}

/// Statistics as `show stat` prints them, in their order.
fn text(stats: &[(&str, &str)]) -> String {
    let lines: String = stats.iter().map(|(name, value)| format!("  {name} = {value}\n")).collect();
    format!("{lines}  {} statistics found\n\n", stats.len())
}

fn listing(stats: &[(&str, &str)]) -> What {
    parsed(&text(stats))
}

fn parsed(text: &str) -> What {
    let [listing] = <[Listing; 1]>::try_from(show_stat::listings(text)).unwrap();
    What::Listing(listing)
}

/// A server that has been up for so long and has so many transactions.
fn server(up: &str, total: &str) -> What {
    listing(&[("Server.ElapsedTime", up), ("Server.Name", "CN=mail1/O=Acme"), ("Server.Trans.Total", total)])
}

fn prometheus(text: &str) -> What {
    let parsed = exposition::samples(text);
    assert_eq!((parsed.refused.count, parsed.cut), (0, false));
    What::Exposition(parsed.samples)
}

fn published(stats: &[(&str, f64)]) -> What {
    What::Published(stats.iter().map(|&(name, number)| (name.to_owned(), number)).collect())
}

#[test]
fn a_listing_becomes_readings_and_facts_of_its_partition() {
    let mut bench = Bench::new();
    assert_eq!(bench.reader.last(), None);
    let made = bench.good(0, server("10:00:00", "5,000,000"));
    assert_eq!((made.at, made.host.as_str(), made.stream.as_str(), made.every), (at(0), "big", "mail1", MINUTE));
    assert_eq!(
        (made.value(TOTAL, &["mail1"]), made.value("domino_uptime_seconds", &["mail1"])),
        (Some(5_000_000.0), Some(36_000.0))
    );
    let facts: Vec<_> = made.facts.iter().map(|fact| (fact.row.name, fact.text.as_str())).collect();
    assert_eq!(facts, [("domino_name", "CN=mail1/O=Acme")]);
    // Nothing is known of the time before the first one.
    assert!(!made.follows);
    assert!(bench.good(60, server("10:01:00", "5,000,100")).follows);
    assert_eq!(bench.reader.last(), Some(at(60)));
}

#[test]
fn the_same_listing_again_is_nothing_new() {
    let now = |clock| listing(&[("Server.Trans.Total", "7"), ("Stats.Time.Current", clock)]);
    let up = |up| listing(&[("Server.ElapsedTime", up), ("Server.Trans.Total", "7")]);
    let plain = |total| listing(&[("Server.Tasks", "40"), ("Server.Trans.Total", total)]);
    // The server's clock says so, else its uptime, else all that it says.
    for (first, later) in [
        (now("11/03/2026 10:15:00 ZE1"), now("11/03/2026 10:16:00 ZE1")),
        (up("10:00:00"), up("10:01:00")),
        (plain("7"), plain("8")),
    ] {
        let mut bench = Bench::new();
        bench.good(0, first.clone());
        bench.nothing(60, first);
        assert_eq!(bench.reader.last(), Some(at(0)));
        assert!(bench.good(120, later).follows);
    }
    let both = |up| listing(&[("Server.ElapsedTime", up), ("Stats.Time.Current", "11/03/2026 10:15:00 ZE1")]);
    let mut bench = Bench::new();
    bench.good(0, both("10:00:00"));
    bench.nothing(60, both("10:01:00"));
}

#[test]
fn what_comes_late_is_refused_unless_the_clock_was_set_back() {
    let mut bench = Bench::new();
    bench.good(60, server("10:01:00", "100"));
    bench.nothing(60, server("10:01:01", "101"));
    let late = "what is of 2026-11-03T09:15:00Z came after what is of 2026-11-03T09:16:00Z; it was not kept; see whether the clocks of this host and the server agree";
    assert_eq!(bench.refused(0, server("10:00:00", "0")), late);
    // The present itself lies before the last reading.
    bench.reader.look_at(at(30));
    let back = bench.good(30, server("10:01:40", "150"));
    assert!(!back.follows);
    assert_eq!(bench.good(120, server("10:02:00", "200")).value(TOTAL, &["mail1"]), Some(200.0));
}

#[test]
fn another_server_is_refused() {
    let mut bench = Bench::new();
    let named = |name, total| listing(&[("Server.Name", name), ("Server.Trans.Total", total)]);
    bench.good(0, named("CN=mail1/O=Acme", "1000"));
    let refusal = bench.refused(60, named("CN=mail2/O=Acme", "7"));
    assert_eq!(
        refusal,
        "the listing is of server `CN=mail2/O=Acme`, and those before were of `CN=mail1/O=Acme`; it was not kept; correct the \
         [[partition]], or restart the agent if the server was renamed"
    );
    assert_eq!(bench.reader.last(), Some(at(0)));
    let made = bench.good(120, named("CN=mail1/O=Acme", "1200"));
    assert_eq!((made.follows, made.value(TOTAL, &["mail1"])), (true, Some(1200.0)));
    // One that does not name itself is believed to be the same, and changes nothing.
    bench.good(180, listing(&[("Server.Tasks", "40"), ("Server.Trans.Total", "1300")]));
    assert_eq!(bench.refused(240, named("CN=mail2/O=Acme", "8")), refusal);
}

#[test]
fn a_trailer_that_disagrees_is_refused_and_counted() {
    let mut bench = Bench::new();
    let short = text(&[("Server.Name", "CN=mail1/O=Acme"), ("Server.Trans.Total", "7")]).replace("  2 stat", "  3 stat");
    let refusal = bench.refused(0, parsed(&short));
    assert!(refusal.starts_with("a listing says 3 statistics and has 2; it was not kept"), "{refusal}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stat.txt");
    let way = Some(Way::File(path.clone()));
    let settings = Settings { name: "mail1".to_owned(), way, ..Settings::beside_only("big", MINUTE, folder.path()) };
    let mut partition = Partition::new(&settings, &std::sync::Arc::default());
    let mut read = |text: &str, second: i64| {
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(at(second).into()).unwrap();
        let report = partition.read(at(second), MINUTE);
        let [source] = <[_; 1]>::try_from(report.sources).unwrap();
        (report.snapshots.len(), source.refused, source.good, source.error)
    };
    assert_eq!(read(&short, 0), (0, 1, None, Some(refusal)));
    assert_eq!(read(&short.replace("  3 stat", "  2 stat"), 60), (1, 1, Some(at(60)), None));
}

#[test]
fn a_listing_without_an_end_counts_where_another_follows_and_its_names_are_known() {
    let whole = text(&[("Server.Name", "CN=mail1/O=Acme"), ("Server.Tasks", "40"), ("Server.Trans.Total", "100")]);
    let endless = |total: &str| {
        let text = whole.replace("= 100", &format!("= {total}")).replace("  3 statistics found\n\n", "");
        // The line before the next listing begins may have been cut, and is left out.
        What::Listing(show_stat::listings(&format!("{text}  Web.Users = 1\n{whole}")).remove(0))
    };
    let mut bench = Bench::new();
    let refusal = bench.refused(0, endless("50"));
    assert_eq!(refusal, "a listing has no end; it was not kept; was it cut?");
    bench.good(60, parsed(&whole));
    assert_eq!(bench.good(120, endless("150")).value(TOTAL, &["mail1"]), Some(150.0));
}

#[test]
fn numbers_written_in_two_ways_are_refused_and_teach_nothing() {
    let mixed = |name| {
        listing(&[
            ("Server.Name", name),
            ("Mail.Delivered", "1,234,567"),
            ("Mail.Transferred", "2,345,678"),
            ("Server.Trans.Total", "1.234.567"),
            ("Http.Worker.Total", "2.345.678"),
        ])
    };
    let mut bench = Bench::new();
    let refusal = bench.refused(0, mixed("CN=mail2/O=Acme"));
    assert!(refusal.starts_with("numbers are written in two ways: `"), "{refusal}");
    assert!(refusal.ends_with("; the listing was not kept; it seems to be of two servers"), "{refusal}");
    // Whose name stood in it is not the name of this server.
    assert_eq!(bench.good(60, server("10:00:00", "1.234.567")).value(TOTAL, &["mail1"]), Some(1_234_567.0));
    assert!(bench.refused(120, mixed("CN=mail1/O=Acme")).starts_with("numbers are written in two ways"));
    // What a listing does not show by itself is read as the one before showed it.
    assert_eq!(bench.good(180, server("10:02:00", "1.240")).value(TOTAL, &["mail1"]), Some(1240.0));
}

#[test]
fn a_server_that_started_since_does_not_follow() {
    let mut bench = Bench::new();
    bench.good(0, server("1 day(s) 04:00:00", "900"));
    assert!(bench.good(60, server("1 day(s) 04:01:00", "990")).follows);
    // Started right after the reading before, and then a while after it.
    assert!(!bench.good(120, server("00:01:00", "9")).follows);
    assert!(!bench.good(180, server("00:00:20", "3")).follows);
    assert!(!bench.good(240, server("00:00:00", "0")).follows);
    // Two clocks, each read in whole seconds.
    assert!(bench.good(300, server("00:00:58", "8")).follows);
    // Over a night: up for longer than before, but not for as long as has passed.
    assert!(!bench.good(300 + 50_400, server("13:00:00", "90")).follows);
    assert!(bench.good(300 + 50_460, server("13:01:00", "91")).follows);
}

#[test]
fn a_start_that_only_seems_to_move_with_the_clocks_is_none() {
    let mut bench = Bench::new();
    let started = |start, up| {
        let up: &[(&str, &str)] = up;
        listing(&[up, &[("Server.Tasks", "40"), ("Server.Time.Start", start)]].concat())
    };
    bench.good(0, started("10/24/2026 08:00:00 ZE2", &[("Server.ElapsedTime", "16:00:00")]));
    // The night in which the clocks are set back.
    assert!(bench.good(7200, started("10/24/2026 07:00:00 ZE1", &[("Server.ElapsedTime", "18:00:00")])).follows);
    // Without an uptime the text is all there is.
    let mut bench = Bench::new();
    bench.good(0, started("11/03/2026 08:00:00 ZE1", &[("Server.Users", "1")]));
    assert!(bench.good(60, started("11/03/2026 08:00:00 ZE1", &[("Server.Users", "2")])).follows);
    assert!(!bench.good(120, started("11/03/2026 10:16:30 ZE1", &[("Server.Users", "3")])).follows);
}

#[test]
fn a_line_of_the_console_is_kept_whenever_it_comes_and_is_no_listing() {
    let mut bench = Bench::new();
    bench.good(60, server("10:01:00", "100"));
    let said = || What::Said { kind: "fault", text: "Fatal Error".to_owned() };
    let made = bench.good(0, said());
    let [fact] = made.facts.as_slice() else { panic!("{made:?}") };
    assert_eq!((fact.about.values().collect::<Vec<_>>(), fact.text.as_str()), (vec!["fault", "mail1"], "Fatal Error"));
    bench.good(90, said());
    assert_eq!((made.readings.len(), bench.reader.last()), (0, Some(at(60))));
}

#[test]
fn the_last_entry_of_a_body_counts_where_one_before_ended_with_it() {
    let mut bench = Bench::new();
    let body =
        |users, total| published(&[("Server.ElapsedTimeDays", 0.5), ("Server.Users", users), ("Server.Trans.Total", total)]);
    let values = |made: &Snapshot| (made.value("domino_users_connected", &["mail1"]), made.value(TOTAL, &["mail1"]));
    // It may have been cut: 12 of 1234.
    let made = bench.good(0, body(700.0, 12.0));
    assert_eq!((made.value("domino_uptime_seconds", &["mail1"]), values(&made)), (Some(43_200.0), (Some(700.0), None)));
    assert_eq!(values(&bench.good(60, body(701.0, 1300.0))), (Some(701.0), Some(1300.0)));
    // Cut before its usual end.
    let cut = published(&[("Server.ElapsedTimeDays", 0.502), ("Server.Users", 7.0)]);
    assert_eq!(values(&bench.good(120, cut.clone())), (None, None));
    bench.nothing(180, cut);
}

#[test]
fn published_uptimes_tell_a_restart() {
    let mut bench = Bench::new();
    let up = |days| published(&[("Server.ElapsedTimeDays", days), ("Server.Users", 1.0)]);
    bench.good(0, up(1.0));
    assert!(bench.good(60, up(1.0 + 60.0 / 86_400.0)).follows);
    assert!(!bench.good(120, up(20.0 / 86_400.0)).follows);
}

/// Users on two nodes, and all requests.
fn fields() -> Vec<Field> {
    let field = |row, name: &str, with: &[(&str, &str)]| Field {
        metric: catalog::metric(row).unwrap(),
        labels: Vec::new(),
        name: name.to_owned(),
        with: with.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
    };
    vec![field("domino_users_connected", "sessions", &[("app", "shop")]), field(TOTAL, "requests_total", &[])]
}

#[test]
fn samples_of_an_application_are_summed_by_field() {
    let mut bench = Bench::of(&fields());
    let text = "sessions{app=\"shop\",node=\"a\"} 3\nsessions{node=\"b\",app=\"shop\"} 4\nsessions{app=\"wiki\"} 100\n\
                requests_total 10\nrequests_total{code=\"500\"} 2\nother 1\n";
    let made = bench.good(0, prometheus(text));
    assert_eq!((made.value("domino_users_connected", &["mail1"]), made.value(TOTAL, &["mail1"])), (Some(7.0), Some(12.0)));
    assert_eq!((made.readings.len(), made.unknown.len()), (2, 0));
    // One that rests says the same again, and that is a reading.
    assert!(bench.good(60, prometheus(text)).follows);
}

#[test]
fn an_application_that_lacks_a_field_is_refused_as_a_whole() {
    let mut bench = Bench::of(&fields());
    let refusal = bench.refused(0, prometheus("sessions{app=\"wiki\"} 3\nrequests_total 10\n"));
    assert_eq!(refusal, "no sample for `sessions`; nothing was kept; correct [partition.fields]");
    assert_eq!(bench.reader.last(), None);
}

#[test]
fn an_application_that_started_since_does_not_follow() {
    let mut bench = Bench::of(&fields());
    let text = |start| prometheus(&format!("sessions{{app=\"shop\"}} 1\nrequests_total 1\nprocess_start_time_seconds {start}\n"));
    bench.good(0, text("1793690000"));
    assert!(bench.good(60, text("1793690000")).follows);
    assert!(!bench.good(120, text("1793697400")).follows);
}

#[test]
fn domprom_s_samples_become_rows_by_their_names() {
    let mut bench = Bench::new();
    let text = |days, total| {
        prometheus(&format!(
            "Domino_Server_ElapsedTimeDays {days}\nDomino_Server_Trans_Total {total}\nDominoHealth_Server_Time_Start 1793600000\n\
             DominoHealth_disk_free_bytes{{path=\"/local\"}} 5\nDomino_Server_Users{{server=\"other\"}} 5\n"
        ))
    };
    let made = bench.good(0, text("1.500", "900"));
    assert_eq!((made.value("domino_uptime_seconds", &["mail1"]), made.value(TOTAL, &["mail1"])), (Some(129_600.0), Some(900.0)));
    assert_eq!((made.readings.len(), made.unknown.len()), (2, 0));
    bench.nothing(60, text("1.500", "900"));
    assert!(bench.good(120, text("1.501", "990")).follows);
    assert!(!bench.good(180, text("0.000", "9")).follows);
    assert!(bench.good(240, text("0.001", "19")).follows);
}

#[test]
fn prometheus_text_of_anybody_else_is_refused_as_domprom_s() {
    let refusal = Bench::new().refused(0, prometheus("requests_total 10\n"));
    assert!(refusal.starts_with("none of the samples is a statistic of Domino; set kind = \"prometheus\""), "{refusal}");
}

#[test]
fn of_two_numbers_of_one_series_the_first_stays() {
    let made = Bench::new().good(0, prometheus("Domino_Server_Users 12\nDomino_Server_Users 13\n"));
    assert_eq!((made.readings.len(), made.value("domino_users_connected", &["mail1"])), (1, Some(12.0)));
}

#[test]
fn a_statistic_that_the_configuration_names_is_found_by_domprom_s_spelling() {
    let named = [Named { statistic: "Server.Brand/New.X".to_owned(), counter: true }];
    let mut bench = Bench { reader: Reader::new("mail1", "big", &named, &[]) };
    let sample = Sample { name: "Domino_Server_BrandCNew_X".to_owned(), labels: Vec::new(), value: 7.0, at: None };
    let made = bench.good(0, What::Exposition(vec![sample]));
    assert_eq!(made.value("domino_statistic_total", &["Server.Brand/New.X", "mail1"]), Some(7.0));
    assert!(made.unknown.is_empty());
}
