//! Rows of HCL/Lotus Domino servers.
//!
//! Names and meanings of statistics: the product help (`Show Stat`, `Show Server`), the NOTES-MIB of Notes 4.6 and the
//! fields of domprom. Every row belongs to a partition, whose name a reader gives as the last label.
//! A statistic is compared without regard to letter case, since releases differ; `*` stands for a part that becomes a label.
//! domprom's names for statistics follow from these and stand nowhere; only what differs there is named.

use super::Better::{Higher, Lower};
use super::{Derive, FactRow, Found, LeftOut, Metric, Place, Unit, at, counter, gauge};

const PARTITION: &[&str] = &["partition"];
const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * 1024.0;
const PERCENT: f64 = 100.0;

const fn stat(field: &'static str) -> Found {
    at(Place::Domino, field)
}

const fn stat_as(field: &'static str, labels: &'static [&'static str]) -> Found {
    at(Place::Domino, field).labelled(labels)
}

const fn count(name: &'static str, help: &'static str, found: &'static [Found]) -> Metric {
    counter(name, Unit::Count, help).labels(PARTITION).found(found)
}

const fn level(name: &'static str, help: &'static str, found: &'static [Found]) -> Metric {
    gauge(name, Unit::Count, help).labels(PARTITION).found(found)
}

const fn bytes(name: &'static str, help: &'static str, found: &'static [Found]) -> Metric {
    gauge(name, Unit::Bytes, help).labels(PARTITION).found(found)
}

pub(super) const SERVER: &[Metric] = &[
    count(
        "domino_transactions_total",
        "NRPC transactions completed since the server started (Server.Trans.Total); web, mail protocols and Traveler count elsewhere.",
        &[stat("Server.Trans.Total")],
    ),
    gauge("domino_transactions_per_second", Unit::PerSecond, "NRPC transactions completed per second.")
        .labels(PARTITION)
        .derived(Derive::Rate(&["domino_transactions_total"])),
    level("domino_users_connected", "Users with a session open, working or idle (Server.Users).", &[stat("Server.Users")]),
    level(
        "domino_users_active",
        "Connected users who did something within the window (Server.Users.Active*).",
        &[
            stat_as("Server.Users.Active", &["now"]),
            stat_as("Server.Users.Active1Min", &["1m"]),
            stat_as("Server.Users.Active3Min", &["3m"]),
            stat_as("Server.Users.Active5Min", &["5m"]),
            stat_as("Server.Users.Active15Min", &["15m"]),
            stat_as("Server.Users.Active30Min", &["30m"]),
        ],
    )
    .labels(&["window", "partition"]),
    level(
        "domino_users_connected_peak",
        "Most users with a session open since the server started.",
        &[stat("Server.Users.Peak")],
    ),
    level(
        "domino_users_active_peak",
        "Most users active within the window since the server started.",
        &[stat_as("Server.Users.1MinPeak", &["1m"]), stat_as("Server.Users.5MinPeak", &["5m"])],
    )
    .labels(&["window", "partition"]),
    // domprom leaves durations out and has the days alone.
    gauge("domino_uptime_seconds", Unit::Seconds, "Time since the server started (Server.ElapsedTime).")
        .labels(PARTITION)
        .found(&[stat("Server.ElapsedTime"), at(Place::Domprom, "Domino_Server_ElapsedTimeDays").times(86_400.0)]),
    count("domino_sessions_dropped_total", "Sessions dropped since the server started.", &[stat("Server.Sessions.Dropped")])
        .better(Lower),
    level(
        "domino_availability_index",
        "Availability index: relative to the fastest transaction the server ever saw, so never compared across an upgrade.",
        &[stat("Server.AvailabilityIndex")],
    ),
    level(
        "domino_expansion_factor",
        "How much slower than ever transactions are now (Server.ExpansionFactor); not comparable across an upgrade.",
        &[stat("Server.ExpansionFactor")],
    ),
    level("domino_concurrent_tasks", "Tasks at work at the same time.", &[stat("Server.ConcurrentTasks")]),
    level(
        "domino_concurrent_tasks_waiting",
        "Tasks waiting for one of the concurrent ones to end.",
        &[stat("Server.ConcurrentTasks.Waiting")],
    )
    .better(Lower),
    level("domino_work_threads", "Threads that serve NRPC requests.", &[stat("Server.WorkThreads")]),
    level("domino_server_tasks", "Server tasks that run.", &[stat("Server.Tasks")]),
    level("domino_mailboxes", "Mail boxes (mail.box files) in use.", &[stat("Server.MailBoxes")]),
    count(
        "domino_opens_refused_total",
        "Requests to open a database that were refused since the server started, by reason.",
        &[stat_as("Server.OpenRequest.MaxUsers", &["max_users"]), stat_as("Server.OpenRequest.Restricted", &["restricted"])],
    )
    .labels(&["reason", "partition"])
    .better(Lower),
    count(
        "domino_cluster_redirects_total",
        "Opens redirected within the cluster since the server started.",
        &[
            stat_as("Server.Cluster.OpenRedirects.Failover.Successful", &["failover", "successful"]),
            stat_as("Server.Cluster.OpenRedirects.Failover.Unsuccessful", &["failover", "unsuccessful"]),
            stat_as("Server.Cluster.OpenRedirects.LoadBalance.Successful", &["load_balance", "successful"]),
            stat_as("Server.Cluster.OpenRedirects.LoadBalance.Unsuccessful", &["load_balance", "unsuccessful"]),
        ],
    )
    .labels(&["cause", "outcome", "partition"]),
    count(
        "domino_busy_time_queries_total",
        "Free-time queries received since the server started.",
        &[stat("Server.BusyTimeQuery.ReceivedCount")],
    ),
];

pub(super) const MAIL: &[Metric] = &[
    level("domino_mail_dead", "Undeliverable messages that could not be returned either.", &[stat("Mail.Dead")]).better(Lower),
    level("domino_mail_pending", "Messages waiting in the mail boxes, all reasons together.", &[stat("Mail.TotalPending")])
        .better(Lower),
    level("domino_mail_waiting", "Messages waiting to be routed.", &[stat("Mail.Waiting")]).better(Lower),
    level("domino_mail_waiting_recipients", "Recipients of messages waiting to be routed.", &[stat("Mail.WaitingRecipients")])
        .better(Lower),
    level(
        "domino_mail_waiting_lookups",
        "Messages waiting for a look-up, by what is looked up.",
        &[stat_as("Mail.WaitingForDNS", &["dns"]), stat_as("Mail.WaitingForDIR", &["directory"])],
    )
    .labels(&["lookup", "partition"])
    .better(Lower),
    level(
        "domino_mail_waiting_retry",
        "Messages waiting for another try to deliver them.",
        &[stat("Mail.WaitingForDeliveryRetry")],
    )
    .better(Lower),
    level("domino_mail_held", "Messages held for an administrator.", &[stat("Mail.Hold")]).better(Lower),
    count("domino_mail_delivered_total", "Messages delivered to mail files since the router started.", &[stat("Mail.Delivered")]),
    count(
        "domino_mail_delivered_size_total",
        "Messages delivered since the router started, by range of size.",
        &[stat("Mail.DeliveredSize.*")],
    )
    .labels(&["size", "partition"]),
    count(
        "domino_mail_transferred_total",
        "Messages sent on to other servers since the router started.",
        &[stat("Mail.Transferred")],
    ),
    count(
        "domino_mail_transferred_protocol_total",
        "Messages sent on since the router started, by protocol; contained in domino_mail_transferred_total.",
        &[stat("Mail.Transferred.*")],
    )
    .labels(&["protocol", "partition"]),
    count(
        "domino_mail_routed_total",
        "Messages routed since the router started; one that crosses several servers counts on each.",
        &[stat("Mail.TotalRouted")],
    ),
    count(
        "domino_mail_routed_protocol_total",
        "Messages routed since the router started, by protocol; contained in domino_mail_routed_total.",
        &[stat("Mail.TotalRouted.*")],
    )
    .labels(&["protocol", "partition"]),
    count(
        "domino_mail_transfer_failures_total",
        "Messages the router could not send on since it started.",
        &[stat("Mail.TransferFailures")],
    )
    .better(Lower),
    counter("domino_mail_transferred_bytes_total", Unit::Bytes, "Bytes sent on to other servers since the router started.")
        .labels(PARTITION)
        .found(&[stat("Mail.TotalKBTransferred").times(KIB)]),
    gauge("domino_mail_deliver_average_seconds", Unit::Seconds, "Mean time from posting to delivery.")
        .labels(PARTITION)
        .better(Lower)
        .found(&[stat("Mail.AverageDeliverTime")]),
    gauge(
        "domino_mail_deliver_maximum_seconds",
        Unit::Seconds,
        "Longest time from posting to delivery since the router started.",
    )
    .labels(PARTITION)
    .better(Lower)
    .found(&[stat("Mail.MaximumDeliverTime")]),
    count("domino_mail_box_accesses_total", "Accesses to mail boxes since the router started.", &[stat("Mail.Mailbox.Accesses")]),
    count(
        "domino_mail_box_conflicts_total",
        "Accesses to mail boxes that met another one since the router started.",
        &[stat("Mail.Mailbox.AccessConflicts")],
    )
    .better(Lower),
    per_second(
        "domino_mail_delivered_per_second",
        "Messages delivered to mail files per second.",
        &["domino_mail_delivered_total"],
    ),
    per_second(
        "domino_mail_transferred_per_second",
        "Messages sent on to other servers per second.",
        &["domino_mail_transferred_total"],
    ),
];

const fn per_second(name: &'static str, help: &'static str, of: &'static [&'static str]) -> Metric {
    gauge(name, Unit::PerSecond, help).labels(PARTITION).derived(Derive::Rate(of))
}

pub(super) const DATABASE: &[Metric] = &[
    gauge("domino_buffer_pool_hit_ratio", Unit::Ratio, "Share of database reads served from the buffer pool.")
        .labels(PARTITION)
        .better(Higher)
        .found(&[stat("Database.Database.BufferPool.PerCentReadsInBuffer").per(PERCENT)]),
    bytes(
        "domino_buffer_pool_maximum_bytes",
        "Size the buffer pool may grow to.",
        &[stat("Database.Database.BufferPool.Maximum.Megabytes").times(MIB)],
    ),
    level(
        "domino_database_cache_entries",
        "Databases in the cache of open databases.",
        &[stat("Database.DbCache.CurrentEntries")],
    ),
    level(
        "domino_database_cache_max_entries",
        "Databases the cache of open databases is made for.",
        &[stat("Database.DbCache.MaxEntries")],
    ),
    level(
        "domino_database_cache_high_water",
        "Most databases the cache ever held since the server started.",
        &[stat("Database.DbCache.HighWaterMark")],
    ),
    count(
        "domino_database_cache_hits_total",
        "Databases found open in the cache since the server started.",
        &[stat("Database.DbCache.Hits")],
    ),
    count(
        "domino_database_cache_lookups_total",
        "Look-ups in the cache of open databases since the server started.",
        &[stat("Database.DbCache.Lookups")],
    ),
    count(
        "domino_database_opens_total",
        "Databases opened anew since the server started.",
        &[stat("Database.DbCache.InitialDbOpens")],
    ),
    count(
        "domino_database_cache_rejections_total",
        "Databases not put into the crowded cache since the server started.",
        &[stat("Database.DbCache.OvercrowdingRejections")],
    )
    .better(Lower),
    gauge("domino_database_cache_hit_ratio", Unit::Ratio, "Share of look-ups that found the database open in the cache.")
        .labels(PARTITION)
        .better(Higher)
        .derived(Derive::Quotient {
            parts: &["domino_database_cache_hits_total"],
            whole: &["domino_database_cache_lookups_total"],
        }),
    bytes(
        "domino_pool_used_bytes",
        "Memory in use in a pool of the database engine.",
        &[
            stat_as("Database.NSFPool.Used", &["nsf"]),
            stat_as("Database.NIFPool.Used", &["nif"]),
            stat_as("Database.ExtMgrPool.Used", &["extension_manager"]),
            stat_as("Database.NAMELookupCachePool.Used", &["name_lookup"]),
        ],
    )
    .labels(&["pool", "partition"]),
    count(
        "domino_name_lookups_total",
        "Directory look-ups since the server started, by whether the cache knew the answer.",
        &[stat_as("Database.NAMELookupCacheHits", &["hit"]), stat_as("Database.NAMELookupCacheMisses", &["miss"])],
    )
    .labels(&["outcome", "partition"]),
    count(
        "domino_queries_total",
        "Queries in the Domino Query Language since the server started.",
        &[stat("QUERY.AllQueries.Count")],
    ),
    counter(
        "domino_query_seconds_total",
        Unit::Seconds,
        "Time spent in queries of the Domino Query Language since the server started.",
    )
    .labels(PARTITION)
    .found(&[stat("QUERY.AllQueries.Msecs").per(1000.0)]),
    level("domino_daos_objects", "Attachments in the attachment store.", &[stat("DAOS.Object.Count")]),
    bytes("domino_daos_bytes", "Size of the attachments in the attachment store.", &[stat("DAOS.Object.TotalBytes")]),
    level(
        "domino_update_queue",
        "Requests waiting for the view indexer, by queue.",
        &[stat_as("Update.PendingList", &["pending"]), stat_as("Update.DeferredList", &["deferred"])],
    )
    .labels(&["queue", "partition"])
    .better(Lower),
];

pub(super) const PROTOCOLS: &[Metric] = &[
    counter("domino_net_received_bytes_total", Unit::Bytes, "Bytes received over a Notes port since the server started.")
        .labels(&["port", "partition"])
        .found(&[stat("NET.*.BytesReceived")]),
    gauge("domino_net_received_bytes_per_second", Unit::BytesPerSecond, "Bytes received over a Notes port per second.")
        .labels(&["port", "partition"])
        .derived(Derive::Rate(&["domino_net_received_bytes_total"])),
    counter("domino_net_sent_bytes_total", Unit::Bytes, "Bytes sent over a Notes port since the server started.")
        .labels(&["port", "partition"])
        .found(&[stat("NET.*.BytesSent")]),
    gauge("domino_net_sent_bytes_per_second", Unit::BytesPerSecond, "Bytes sent over a Notes port per second.")
        .labels(&["port", "partition"])
        .derived(Derive::Rate(&["domino_net_sent_bytes_total"])),
    count(
        "domino_net_sessions_total",
        "Sessions established over a Notes port since the server started, by direction.",
        &[
            stat_as("NET.*.Sessions.Established.Incoming", &["incoming"]),
            stat_as("NET.*.Sessions.Established.Outgoing", &["outgoing"]),
        ],
    )
    .labels(&["direction", "port", "partition"]),
    count(
        "domino_group_cache_lookups_total",
        "Look-ups in the cache of groups since the server started, by outcome.",
        &[stat_as("NET.GroupCache.Hits", &["hit"]), stat_as("NET.GroupCache.Misses", &["miss"])],
    )
    .labels(&["outcome", "partition"]),
    count("domino_http_requests_total", "Web requests since the HTTP task started.", &[stat("Domino.Requests.Total")]),
    count(
        "domino_http_worker_requests_total",
        "Web requests the HTTP workers answered since the task started.",
        &[stat("Http.Worker.Total.RequestsProcessed")],
    ),
    counter("domino_http_read_bytes_total", Unit::Bytes, "Bytes HTTP workers read since the task started.")
        .labels(PARTITION)
        .found(&[stat("Http.Worker.Total.BytesRead")]),
    counter("domino_http_written_bytes_total", Unit::Bytes, "Bytes HTTP workers wrote since the task started.")
        .labels(PARTITION)
        .found(&[stat("Http.Worker.Total.BytesWritten")]),
    level("domino_http_connections", "Web connections open.", &[stat("Http.CurrentConnections")]),
    level(
        "domino_http_connections_peak",
        "Most web connections open since the HTTP task started.",
        &[stat("Http.PeakConnections")],
    ),
    level("domino_http_workers", "HTTP worker threads.", &[stat("Http.Workers")]),
    level("domino_http_sessions", "Web sessions.", &[stat("Http.Sessions")]),
    count(
        "domino_http_accepts_total",
        "Web connections since the HTTP task started, by outcome.",
        &[
            stat_as("Http.Accept.ConnectionsAccepted", &["accepted"]),
            stat_as("Http.Accept.ConnectionsRefused", &["refused"]),
            stat_as("Http.Accept.ServerBusy", &["busy"]),
            stat_as("Http.Accept.Errors", &["error"]),
        ],
    )
    .labels(&["outcome", "partition"]),
    count("domino_web_commands_total", "Commands of web requests since the HTTP task started.", &[stat("Domino.Command.*")])
        .labels(&["command", "partition"]),
    level(
        "domino_internet_sessions",
        "Sessions open in an internet protocol: SMTP, IMAP, POP3, LDAP.",
        &[stat("*.Sessions.Inbound.Active")],
    )
    .labels(&["protocol", "partition"]),
    level(
        "domino_internet_sessions_peak",
        "Most sessions open in an internet protocol since its task started.",
        &[stat("*.Sessions.Inbound.Peak")],
    )
    .labels(&["protocol", "partition"]),
    count(
        "domino_internet_sessions_total",
        "Sessions of an internet protocol since its task started.",
        &[stat("*.Sessions.Inbound.Total")],
    )
    .labels(&["protocol", "partition"]),
    counter(
        "domino_internet_received_bytes_total",
        Unit::Bytes,
        "Bytes received in an internet protocol since its task started.",
    )
    .labels(&["protocol", "partition"])
    .found(&[stat("*.Sessions.Inbound.BytesReceived")]),
    counter("domino_internet_sent_bytes_total", Unit::Bytes, "Bytes sent in an internet protocol since its task started.")
        .labels(&["protocol", "partition"])
        .found(&[stat("*.Sessions.Inbound.BytesSent")]),
    level("domino_internet_threads_busy", "Busy threads of an internet protocol.", &[stat("*.Sessions.Threads.Busy")])
        .labels(&["protocol", "partition"]),
    count("domino_smtp_messages_total", "Messages the SMTP task processed since it started.", &[stat("SMTP.MessagesProcessed")]),
    level(
        "domino_traveler_users",
        "Users of Traveler, registered and online.",
        &[stat_as("Traveler.Push.Users.Total", &["registered"]), stat_as("Traveler.Push.Users.Online", &["online"])],
    )
    .labels(&["state", "partition"]),
    level(
        "domino_traveler_devices",
        "Devices of Traveler, registered and online.",
        &[stat_as("Traveler.Push.Devices.Total", &["registered"]), stat_as("Traveler.Push.Devices.Online", &["online"])],
    )
    .labels(&["state", "partition"]),
    level(
        "domino_traveler_availability_index",
        "Availability index of Traveler, 0 to 100.",
        &[stat("Traveler.Availability.Index.Current")],
    ),
    per_second("domino_http_requests_per_second", "Web requests per second.", &["domino_http_requests_total"]),
];

pub(super) const WORK: &[Metric] = &[
    count(
        "domino_replica_documents_total",
        "Documents replicated since the server started, by what happened to them.",
        &[
            stat_as("Replica.Docs.Added", &["added"]),
            stat_as("Replica.Docs.Updated", &["updated"]),
            stat_as("Replica.Docs.Deleted", &["deleted"]),
        ],
    )
    .labels(&["action", "partition"]),
    count(
        "domino_replications_total",
        "Replications since the server started, by outcome.",
        &[stat_as("Replica.Successful", &["successful"]), stat_as("Replica.Failed", &["failed"])],
    )
    .labels(&["outcome", "partition"]),
    count(
        "domino_cluster_replications_failed_total",
        "Cluster replications that failed since the server started.",
        &[stat("Replica.Cluster.Failed")],
    )
    .better(Lower),
    gauge("domino_cluster_queue_seconds", Unit::Seconds, "Time the last database waited in the cluster replicator's queue.")
        .labels(PARTITION)
        .better(Lower)
        .found(&[stat("Replica.Cluster.SecondsOnQueue")]),
    level("domino_cluster_queue", "Databases in the cluster replicator's queue.", &[stat("Replica.Cluster.WorkQueueDepth")])
        .better(Lower),
    level(
        "domino_cluster_retries",
        "Databases waiting for another try of the cluster replicator.",
        &[stat("Replica.Cluster.RetryWaiting")],
    )
    .better(Lower),
    level(
        "domino_agent_runs",
        "Agent runs so far in this hour or on this day; both begin anew by the clock.",
        &[
            stat_as("Agent.Hourly.ScheduledRuns", &["hour", "scheduled"]),
            stat_as("Agent.Hourly.TriggeredRuns", &["hour", "triggered"]),
            stat_as("Agent.Hourly.UnsuccessfulRuns", &["hour", "unsuccessful"]),
            stat_as("Agent.Hourly.AccessDenials", &["hour", "denied"]),
            stat_as("Agent.Daily.ScheduledRuns", &["day", "scheduled"]),
            stat_as("Agent.Daily.TriggeredRuns", &["day", "triggered"]),
            stat_as("Agent.Daily.UnsuccessfulRuns", &["day", "unsuccessful"]),
            stat_as("Agent.Daily.AccessDenials", &["day", "denied"]),
        ],
    )
    .labels(&["period", "outcome", "partition"]),
    gauge("domino_agent_run_seconds", Unit::Seconds, "Time agents ran so far in this hour or on this day.")
        .labels(&["period", "partition"])
        .found(&[stat_as("Agent.Hourly.UsedRunTime", &["hour"]), stat_as("Agent.Daily.UsedRunTime", &["day"])]),
    level(
        "domino_calendar_entries",
        "What the schedule manager knows, by kind; its users are about the mail users.",
        &[
            stat_as("Calendar.Total.Users", &["users"]),
            stat_as("Calendar.Total.Appts", &["appointments"]),
            stat_as("Calendar.Total.Reservations", &["reservations"]),
            stat_as("Calendar.Total.Resources", &["resources"]),
        ],
    )
    .labels(&["kind", "partition"]),
    count(
        "domino_monitor_events_total",
        "Events a task reported since the server started, by severity.",
        &[
            stat_as("Monitor.*.Fatal", &["fatal"]),
            stat_as("Monitor.*.Failure", &["failure"]),
            stat_as("Monitor.*.Warning(High)", &["warning_high"]),
            stat_as("Monitor.*.Warning(Low)", &["warning_low"]),
        ],
    )
    .labels(&["severity", "task", "partition"])
    .better(Lower),
    level(
        "domino_certificates",
        "Certificates CertMgr watches, by state.",
        &[
            stat_as("CertMgr.CertStatus.Green", &["green"]),
            stat_as("CertMgr.CertStatus.Yellow", &["yellow"]),
            stat_as("CertMgr.CertStatus.Red", &["red"]),
        ],
    )
    .labels(&["state", "partition"]),
];

/// What the configuration, the processes and the files of a partition tell.
pub(super) const PARTITIONS: &[Metric] = &[
    level("domino_registered_users", "Users registered on the partition, as the configuration says.", &[beside("registered")]),
    counter("domino_task_cpu_seconds_total", Unit::Seconds, "CPU time of a task of the partition, all its processes together.")
        .labels(TASK)
        .better(Lower)
        .found(&[beside("task_cpu")]),
    gauge("domino_task_cpu_cores", Unit::Cores, "Processors a task of the partition keeps busy.")
        .labels(TASK)
        .better(Lower)
        .derived(Derive::Rate(&["domino_task_cpu_seconds_total"])),
    gauge("domino_task_memory_bytes", Unit::Bytes, "Memory of a task of the partition, all its processes together (RSS).")
        .labels(TASK)
        .better(Lower)
        .found(&[beside("task_memory")]),
    level("domino_task_processes", "Processes of a task of the partition.", &[beside("task_processes")]).labels(TASK),
    count("domino_statistic_total", "A counter that [[metric]] in the configuration names.", &[at(Place::Named, "counter")])
        .labels(NAMED),
    level("domino_statistic", "A level that [[metric]] in the configuration names.", &[at(Place::Named, "gauge")]).labels(NAMED),
    gauge("domino_statistic_per_second", Unit::PerSecond, "Growth of a counter that [[metric]] in the configuration names.")
        .labels(NAMED)
        .derived(Derive::Rate(&["domino_statistic_total"])),
];

const TASK: &[&str] = &["task", "partition"];
const NAMED: &[&str] = &["statistic", "partition"];

const fn beside(field: &'static str) -> Found {
    at(Place::Partition, field)
}

pub(super) const RESOURCES: &[Metric] = &[
    bytes("domino_disk_size_bytes", "Size of a disk as Domino sees it.", &[stat("Disk.*.Size")]).labels(&["disk", "partition"]),
    bytes("domino_disk_free_bytes", "Free space of a disk as Domino sees it.", &[stat("Disk.*.Free")])
        .labels(&["disk", "partition"])
        .better(Higher),
    bytes(
        "domino_memory_allocated_bytes",
        "Memory the server allocated, private and shared.",
        &[stat_as("Mem.Allocated.Process", &["process"]), stat_as("Mem.Allocated.Shared", &["shared"])],
    )
    .labels(&["kind", "partition"]),
    gauge(
        "domino_platform_cpu_ratio",
        Unit::Ratio,
        "CPU use of the whole host as Domino sees it; context, the same on every partition of a host.",
    )
    .labels(PARTITION)
    .found(&[stat("Platform.System.PctCombinedCpuUtil").per(PERCENT)]),
    bytes(
        "domino_platform_memory_available_bytes",
        "Memory available on the whole host as Domino sees it; context.",
        &[stat("Platform.Memory.RAM.AvailMBytes").times(MIB)],
    ),
    gauge("domino_platform_disk_busy_ratio", Unit::Ratio, "Use of a disk of the host as Domino sees it; context.")
        .labels(&["disk", "partition"])
        .found(&[stat("Platform.LogicalDisk.*.PctUtil").per(PERCENT)]),
    gauge("domino_platform_process_cpu_ratio", Unit::Ratio, "CPU use of a process of the partition as Domino sees it; context.")
        .labels(&["process", "partition"])
        .found(&[stat("Platform.Process.*.PctCpuUtil").per(PERCENT)]),
];

const fn told(name: &'static str, field: &'static str, help: &'static str) -> FactRow {
    FactRow { name, labels: PARTITION, place: Place::Domino, field, breaks: false, event: false, help }
}

pub(super) const FACTS: &[FactRow] = &[
    told("domino_release", "Server.Version.Notes", "Release of the Domino server."),
    told("domino_build", "Server.Version.Notes.BuildNumber", "Build of the Domino server."),
    told("domino_name", "Server.Name", "Name of the Domino server."),
    told("domino_os", "Server.Version.OS", "Operating system as the Domino server names it."),
    told("domino_start", "Server.Time.Start", "When the Domino server started, in its own words."),
    FactRow {
        name: "domino_notes_ini",
        labels: PARTITION,
        place: Place::Partition,
        field: "notes_ini",
        breaks: false,
        event: false,
        help: "Digest of the partition's notes.ini.",
    },
    FactRow {
        name: "domino_notes_ini_change",
        labels: PARTITION,
        place: Place::Partition,
        field: "notes_ini_change",
        breaks: false,
        event: true,
        help: "Names of the settings in notes.ini that changed; their values are never kept.",
    },
    FactRow {
        name: "domino_tasks_missing",
        labels: PARTITION,
        place: Place::Partition,
        field: "tasks_missing",
        breaks: false,
        event: false,
        help: "Tasks of `ServerTasks` that do not run, with commas between; empty where all do.",
    },
    FactRow {
        name: "domino_console_finding",
        labels: &["kind", "partition"],
        place: Place::Console,
        field: "finding",
        breaks: false,
        event: true,
        help: "A line of the console that somebody should see.",
    },
];

const fn left(field: &'static str, why: &'static str) -> LeftOut {
    LeftOut { place: Place::Domino, field, why }
}

const TEXT: &str = "a text or an instant, and no quantity";
const PEAK: &str = "a peak since the start, which depends on how long ago that was";

pub(super) const LEFT_OUT: &[LeftOut] = &[
    left("Server.Trans.PerMinute*", "published with two meanings; the rate follows from Server.Trans.Total"),
    left("Server.ElapsedTimeDays", "Server.ElapsedTime in another unit"),
    left("Server.Users.Peak.Time", TEXT),
    left("Server.Users.1MinPeakTime", TEXT),
    left("Server.Users.5MinPeakTime", TEXT),
    left("Server.Task", "a line per thread under one name; the tasks are read as a list"),
    left("Server.Title", TEXT),
    left("Server.Administrators", TEXT),
    left("Server.Ports", TEXT),
    left("Server.Path.Data", TEXT),
    left("Server.CPU.*", "the host's own facts are read from the host"),
    left("Server.Version.Architecture", TEXT),
    left("Server.AvailabilityThreshold", "a setting, and no quantity of the server's work"),
    left("Stats.*", TEXT),
    left("Database.*", "internals of the database engine; a row is added when a question needs it"),
    left("Domino.Command.Total", "the sum of the commands, which are counted one by one"),
    left("Domino.*", "caches, settings and peaks of the web server"),
    left("Http.*", "settings of the web server, and times in an undocumented unit"),
    left("NET.*", "limits and peaks of the ports"),
    left("IMAP.*", "settings and thread pools"),
    left("LDAP.*", "settings and thread pools"),
    left("POP3.*", "settings and thread pools"),
    left("SMTP.*", "settings and thread pools"),
    left("Mail.*", "averages and peaks since the router started, and sizes in a disputed unit"),
    left("Replica.Cluster.*", PEAK),
    left("Calendar.*", "sums of what is counted one by one"),
    left("Monitor.Last.*", TEXT),
    left("Monitor.*", TEXT),
    left("Disk.*", TEXT),
    left("Mem.*", "the host's memory is read from the host"),
    left("Platform.*", "the host's own counters are read from the host"),
    left("QUERY.*", "means and peaks since the start"),
    left("DAOS.*", TEXT),
    left("DominoBackup.*", TEXT),
    left("Object.*", "the shared mail of Notes 4"),
    left("Traveler.*", "histograms and settings of Traveler"),
    left("Update.*", "further queues of the view indexer"),
    beside_statistics("DominoHealth_*", "what domprom finds out by itself; the host's share of it is read from the host"),
    beside_statistics("DominoTrans_*", "the table of `show transactions`, under names that differ between domprom's releases"),
];

const fn beside_statistics(field: &'static str, why: &'static str) -> LeftOut {
    LeftOut { place: Place::Domprom, field, why }
}
