/* SPDX-License-Identifier: GPL-2.0-only */
#include "columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static double
share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static double
summary_resent_share(const void *row)
{
    const struct run_summary *s = row;
    return share_of(s->data_resent, s->data_sent + s->data_resent);
}

static double
summary_spurious_share(const void *row)
{
    const struct run_summary *s = row;
    return share_of(s->duplicates, s->data_sent + s->data_resent);
}

static double
qp_resent_share(const void *row)
{
    const struct qp_result *q = row;
    return share_of(q->resent, q->sent + q->resent);
}

#define S(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct run_summary, member), NULL, doc                                \
    }
#define COUNTER(member, doc) S(#member, COLUMN_U64, member, doc)

static const struct column summary_columns[] = {
    S("cct_us", COLUMN_TIME, cct, "last delivery of the slowest group, from time 0"),
    S("cct_acked_us", COLUMN_TIME, cct_acked, "last ACK of the slowest group, from time 0"),
    S("cct_mean_us", COLUMN_TIME, cct_mean, "mean over groups of the last delivery"),
    S("bound_us", COLUMN_TIME, bound, "lower bound of cct_us by a closed form; empty: none known"),
    S("slowdown", COLUMN_REAL, slowdown,
      "cct_us / bound_us, both less the earliest start; empty: no bound known"),
    S("bound_acked_us", COLUMN_TIME, bound_acked,
      "lower bound of cct_acked_us: exchanges of equal messages, all-to-all; empty: none known"),
    S("increase", COLUMN_REAL, increase,
      "cct_acked_us / bound_acked_us - 1, both less the earliest start; empty: no bound known"),
    S("step_increase_mean", COLUMN_REAL, step_increase,
      "mean of increase in steps.csv; empty: no steps, or no bound known"),
    S("rho_max", COLUMN_RATIO, rho_max,
      "share of line rate at which all flows that have a path can be served, given the failures "
      "and degraded links at time 0 that last; data alone"),
    S("bound_rho_us", COLUMN_TIME, bound_rho,
      "bound_acked_us for hosts that send data at rho_max; empty: none known"),
    S("increase_rho", COLUMN_REAL, increase_rho,
      "cct_acked_us / bound_rho_us - 1, both less the earliest start; empty: no bound known"),
    S("goodput_gbps", COLUMN_RATE, goodput,
      "mean over QPs of payload / time from start to delivery; QPs that delivered nothing count as "
      "0"),
    S("mean_rate_gbps", COLUMN_RATE, mean_rate,
      "mean over QPs of the congestion control's rate, weighted by time active"),
    {"resent_share", COLUMN_SHARE, 0, summary_resent_share,
     "data_resent / (data_sent + data_resent)"},
    {"spurious_share", COLUMN_SHARE, 0, summary_spurious_share,
     "duplicates / (data_sent + data_resent): retransmissions of what had arrived"},
    COUNTER(messages, "messages of the workload"),
    COUNTER(qps, "queue pairs of the workload"),
    COUNTER(failed, "messages given up by their senders and not delivered"),
    COUNTER(unstarted, "messages that waited, directly or not, for such a one"),
    COUNTER(links_failed, "links that failed"),
    COUNTER(data_sent, "data packets sent for the first time"),
    COUNTER(data_resent, "data packets sent again"),
    COUNTER(duplicates, "data packets that arrived a second time"),
    COUNTER(out_of_order, "data packets that arrived with PSN > ePSN"),
    COUNTER(nacks_sent, "NACKs sent by receivers"),
    COUNTER(nacks_received, "NACKs that reached senders, compensated ones included"),
    COUNTER(cnps_received, "CNPs that reached senders"),
    COUNTER(cuts, "rate cuts by congestion control"),
    COUNTER(timeouts, "retransmission timeouts"),
    COUNTER(dropped_injected, "data packets dropped by drop and loss"),
    COUNTER(dropped_buffer, "packets dropped by switch buffers"),
    COUNTER(dropped_link, "packets lost on dead links or without a route"),
    COUNTER(marked, "ECN marks"),
    COUNTER(pauses, "PFC pause frames"),
    COUNTER(tor_seen, "NACKs of tracked QPs that entered the ToR from NICs"),
    COUNTER(tor_valid, "of these: trigger on the ePSN's path, forwarded"),
    COUNTER(tor_invalid, "of these: trigger on another path, or no need to ask"),
    COUNTER(tor_unknown, "of these: trigger unknown, forwarded"),
    COUNTER(tor_blocked, "invalid NACKs that were blocked"),
    COUNTER(tor_scan_passed, "invalid NACKs forwarded because the ring proves the loss"),
    COUNTER(tor_scan_cancelled, "blocked while the packet was on its way to the NIC"),
    COUNTER(tor_armed, "blocked and armed for compensation"),
    COUNTER(tor_compensated, "NACKs that come from the ToR"),
    COUNTER(tor_cancelled, "armed, then the packet passed the ToR"),
    COUNTER(tor_overwritten, "armed while another ePSN was armed"),
    COUNTER(tor_ring_full, "ring entries overwritten before use"),
    S("buffer_peak_bytes", COLUMN_U64, buffer_peak, "most ever in use in one switch"),
    S("queue_peak_bytes", COLUMN_U64, queue_peak, "longest port queue ever"),
    S("queue_mean_bytes", COLUMN_REAL, queue_mean,
      "mean over all switch ports and samples while the workload runs; empty: not sampled"),
    COUNTER(packet_hops, "links crossed by packets of all kinds"),
    S("end_us", COLUMN_TIME, end, "time of the last event"),
    S("fct_p50_us", COLUMN_TIME, fct_p50,
      "median of fct_us in flows.csv, over the messages that were delivered"),
    S("fct_p95_us", COLUMN_TIME, fct_p95, "their 95th percentile (nearest rank, as all of these)"),
    S("fct_p99_us", COLUMN_TIME, fct_p99, "their 99th percentile"),
    S("fct_p99_9_us", COLUMN_TIME, fct_p99_9, "their 99.9th percentile"),
    S("fct_slowdown_p50", COLUMN_REAL, fct_slowdown_p50,
      "median of fct_slowdown in flows.csv, over the messages that were delivered"),
    S("fct_slowdown_p95", COLUMN_REAL, fct_slowdown_p95, "their 95th percentile"),
    S("fct_slowdown_p99", COLUMN_REAL, fct_slowdown_p99, "their 99th percentile"),
    S("fct_slowdown_p99_9", COLUMN_REAL, fct_slowdown_p99_9, "their 99.9th percentile"),
};

#define F(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct flow_result, member), NULL, doc                                \
    }

static const struct column flows_columns[] = {
    F("message", COLUMN_U32, message, "number of the message"),
    F("qp", COLUMN_U32, qp, "its QP; the first one if it goes out on several"),
    F("src", COLUMN_U32, src, "sending host"),
    F("dst", COLUMN_U32, dst, "receiving host"),
    F("group", COLUMN_U32, group, "communication group"),
    F("step", COLUMN_U32, step, "step of the collective, from 0"),
    F("bytes", COLUMN_U64, bytes, "payload"),
    F("posted_us", COLUMN_TIME, posted,
      "it could start: what it waits for was done and its start time had come; empty: never"),
    F("delivered_us", COLUMN_TIME, delivered, "last packet in order at the receiver"),
    F("acked_us", COLUMN_TIME, acked, "its last ACK at the sender"),
    F("fct_us", COLUMN_TIME, fct, "delivered_us - posted_us, its completion time"),
    F("fct_slowdown", COLUMN_REAL, slowdown,
      "fct_us over the ideal one: alone in a healthy fabric, on one path between the two hosts"),
};

#define Q(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct qp_result, member), NULL, doc                                  \
    }

static const struct column qps_columns[] = {
    Q("qp", COLUMN_U32, qp, "number of the QP"),
    Q("src", COLUMN_U32, src, "sending host"),
    Q("dst", COLUMN_U32, dst, "receiving host"),
    Q("bytes", COLUMN_U64, bytes, "payload of its messages that could start"),
    Q("start_us", COLUMN_TIME, start, "its first packet left"),
    Q("delivered_us", COLUMN_TIME, delivered, "its last message was delivered"),
    Q("sent", COLUMN_U64, sent, "data packets sent for the first time"),
    Q("resent", COLUMN_U64, resent, "data packets sent again"),
    {"resent_share", COLUMN_SHARE, 0, qp_resent_share, "resent / (sent + resent)"},
    Q("duplicates", COLUMN_U64, duplicates, "data packets that arrived a second time"),
    Q("out_of_order", COLUMN_U64, out_of_order, "data packets that arrived with PSN > ePSN"),
    Q("nacks_sent", COLUMN_U64, nacks_sent, "NACKs sent by its receiver"),
    Q("nacks_received", COLUMN_U64, nacks_received, "NACKs that reached its sender"),
    Q("cnps_received", COLUMN_U64, cnps_received, "CNPs that reached its sender"),
    Q("cuts", COLUMN_U64, cuts, "rate cuts"),
    Q("timeouts", COLUMN_U64, timeouts, "retransmission timeouts"),
    Q("mean_rate_gbps", COLUMN_RATE, mean_rate,
      "the congestion control's rate, weighted by time active"),
    Q("fct_us", COLUMN_TIME, fct,
      "delivered_us - start_us, its completion time from its first packet on; of several messages, "
      "with what passes between them"),
    Q("fct_slowdown", COLUMN_REAL, slowdown,
      "fct_us over the ideal of one message of these bytes; empty: not all was delivered"),
};

#define G(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct group_result, member), NULL, doc                               \
    }

static const struct column groups_columns[] = {
    G("group", COLUMN_U32, group, "number of the group"),
    G("messages", COLUMN_U32, messages, "its messages"),
    G("delivered_us", COLUMN_TIME, delivered, "its last message was delivered"),
    G("acked_us", COLUMN_TIME, acked, "its last ACK reached a sender"),
};

#define P(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct qp_sample, member), NULL, doc                                  \
    }

static const struct column series_columns[] = {
    P("time_us", COLUMN_TIME, time, "when the sample was taken"),
    P("qp", COLUMN_U32, qp, "number of the QP"),
    P("rate_gbps", COLUMN_RATE, rate, "the congestion control's rate, mean over the interval"),
    P("wire_rate_gbps", COLUMN_RATE, wire_rate, "data frames sent in the interval / its length"),
    P("sent", COLUMN_U64, sent, "data packets sent for the first time, since the start"),
    P("resent", COLUMN_U64, resent, "data packets sent again, since the start"),
    P("resent_share", COLUMN_RATIO, resent_share,
      "resent / (sent + resent) in the interval; 0 if nothing was sent"),
    P("nacks_received", COLUMN_U64, nacks_received, "NACKs that reached the sender so far"),
    P("cnps_received", COLUMN_U64, cnps_received, "CNPs that reached the sender so far"),
};

#define U(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct queue_sample, member), NULL, doc                               \
    }

static const struct column queues_columns[] = {
    U("time_us", COLUMN_TIME, time, "when the sample was taken"),
    U("longest_queue_bytes", COLUMN_U64, longest_queue, "longest port queue of all switches"),
    U("buffer_used_bytes", COLUMN_U64, buffer_used, "buffer in use in the fullest switch"),
};

#define O(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct port_sample, member), NULL, doc                                \
    }

static const struct column ports_columns[] = {
    O("time_us", COLUMN_TIME, time, "when the sample was taken"),
    O("switch", COLUMN_U32, index, "number of the switch"),
    O("port", COLUMN_U32, port, "its port, from 0: those that lead down first"),
    O("layer", COLUMN_TEXT, layer, "the port's layer, as in layers.csv"),
    O("queue_bytes", COLUMN_U64, queue, "the port's queue, the frame that is being sent included"),
    O("paused", COLUMN_U32, paused, "1: its peer has paused one of its classes by PFC; else 0"),
    O("wire_rate_gbps", COLUMN_RATE, wire_rate,
      "frames of all kinds that began to be sent in the interval / its length"),
};

#define L(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct layer_result, member), NULL, doc                               \
    }

static const struct column layers_columns[] = {
    L("layer", COLUMN_TEXT, layer, "tier and direction of its ports, such as tor-up, core-down"),
    L("links", COLUMN_U32, links, "its ports"),
    L("queue_peak_bytes", COLUMN_U64, queue_peak, "longest queue of any of them ever"),
    L("queue_mean_bytes", COLUMN_REAL, queue_mean,
      "mean over ports and samples while the workload runs; empty: no queues measured"),
    L("load_max_bytes", COLUMN_U64, load_max, "sent by the port that sent most"),
    L("load_mean_bytes", COLUMN_REAL, load_mean, "mean over ports of what each sent"),
    L("overload", COLUMN_REAL, overload,
      "load_max_bytes / load_mean_bytes - 1; empty: nothing sent"),
};

#define E(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct step_result, member), NULL, doc                                \
    }

static const struct column steps_columns[] = {
    E("step", COLUMN_U32, step, "step of the collective, from 0"),
    E("messages", COLUMN_U32, messages, "its messages"),
    E("posted_us", COLUMN_TIME, posted, "the first of them could start"),
    E("acked_us", COLUMN_TIME, acked, "the last ACK of all of them"),
    E("cct_us", COLUMN_TIME, cct, "its slowest message, from its start to its last ACK"),
    E("bound_us", COLUMN_TIME, bound, "lower bound of cct_us; empty: none known"),
    E("increase", COLUMN_REAL, increase, "cct_us / bound_us - 1; empty: no bound known"),
};

#define W(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct workload_result, member), NULL, doc                            \
    }

static const struct column workloads_columns[] = {
    W("workload", COLUMN_TEXT, name, "its name"),
    W("kind", COLUMN_TEXT, kind, "what it is"),
    W("hosts", COLUMN_U32, hosts, "hosts that it runs on"),
    W("messages", COLUMN_U32, messages, "its messages"),
    W("first_qp", COLUMN_U32, first_qp, "its first QP"),
    W("qps", COLUMN_U32, qps, "its QPs, one behind the other"),
    W("first_group", COLUMN_U32, first_group, "its first group"),
    W("groups", COLUMN_U32, groups, "its groups, one behind the other"),
    W("start_us", COLUMN_TIME, start, "its earliest start"),
    W("cct_us", COLUMN_TIME, cct, "its last delivery, from time 0; empty: not all was delivered"),
    W("cct_acked_us", COLUMN_TIME, cct_acked, "its last ACK, likewise"),
    W("bound_us", COLUMN_TIME, bound,
      "lower bound of cct_us on a fabric that it has for itself; empty: none known"),
    W("slowdown", COLUMN_REAL, slowdown,
      "cct_us / bound_us, both less start_us; empty: no bound known"),
};

#define K(name, kind, member, doc)                                                                 \
    {                                                                                              \
        name, kind, offsetof(struct stuck_qp, member), NULL, doc                                   \
    }

static const struct column stuck_columns[] = {
    K("qp", COLUMN_U32, qp, "number of the QP"),
    K("src", COLUMN_U32, src, "sending host"),
    K("dst", COLUMN_U32, dst, "receiving host"),
    K("messages", COLUMN_U64, messages, "messages posted on it"),
    K("delivered", COLUMN_U64, delivered, "of these, delivered"),
    K("packets", COLUMN_U64, packets, "packets of the messages posted on it"),
    K("acked", COLUMN_U64, acked, "of these, acknowledged"),
    K("in_flight", COLUMN_U64, in_flight, "packets sent, neither acknowledged nor taken for lost"),
    K("rate_gbps", COLUMN_RATE, rate, "the congestion control's rate at the end"),
    K("until_us", COLUMN_TIME, until, "when what it waits for is due; empty: unknown"),
    K("why", COLUMN_TEXT, why, "what it waits for"),
};

#define R(name, doc)                                                                               \
    {                                                                                              \
#name, COLUMN_U64, offsetof(struct tor_result, counted.name), NULL, doc                    \
    }

static const struct column tors_columns[] = {
    {"tor", COLUMN_U32, offsetof(struct tor_result, tor), NULL, "number of the ToR"},
    R(reroutes, "times that a QP or a flowlet went on by another path"),
    R(probes, "requests for a round trip"),
    R(notices, "notices of congestion sent"),
    R(held, "packets held back to be put in order"),
    R(flushed, "reorder queues whose time was over before what they waited for came"),
    R(full, "packets let through out of order for want of a queue"),
    R(queues, "most reorder queues in use at once"),
};

#define M(name, type, member, doc)                                                                 \
    {                                                                                              \
        name, type, offsetof(struct trim_result, member), NULL, doc                                \
    }

static const struct column trims_columns[] = {
    M("switch", COLUMN_U32, index, "number of the switch"),
    M("tier", COLUMN_U32, tier, "0: a ToR; 1: a spine or aggregation; 2: a core"),
    M("trimmed", COLUMN_U64, trimmed, "data packets that lost their payload here"),
    M("header_drops", COLUMN_U64, header_drops,
      "headers, trimmed here or before, for which there was no room"),
};

#define TABLE(name, doc)                                                                           \
    const struct column_table name##_table = {#name ".csv", doc, name##_columns,                   \
                                              COUNT_OF(name##_columns)}

TABLE(summary, "totals of a run; counters count packets");
TABLE(flows, "one row per message");
TABLE(qps, "one row per queue pair");
TABLE(groups, "one row per communication group");
TABLE(series, "samples of the QPs that measure names");
TABLE(queues, "samples of all switch queues");
TABLE(ports, "samples of the switch ports that measure names");
TABLE(layers, "one row per queueing layer of the fabric, in the order in which packets meet them");
TABLE(tors, "one row per ToR; only of balancers that count what they do there");
TABLE(trims, "one row per switch; only where switches trim");
TABLE(stuck,
      "one row per QP with unfinished messages; only of a run that ended before they were done");
TABLE(workloads, "one row per workload; only where there are several");
TABLE(steps, "one row per step of a workload whose steps wait for each other");

const struct column_table *const *
column_tables(size_t *n)
{
    static const struct column_table *const tables[] = {
        &summary_table,   &qps_table,   &groups_table, &layers_table, &steps_table,
        &workloads_table, &flows_table, &series_table, &queues_table, &ports_table,
        &tors_table,      &trims_table, &stuck_table,
    };
    *n = COUNT_OF(tables);
    return tables;
}

char *
column_table_name(const struct column_table *table)
{
    return xformat("%.*s", (int)strcspn(table->file, "."), table->file);
}

bool
columns_have(const struct column_table *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
    {
        if (strcmp(table->columns[i].name, name) == 0)
        {
            return true;
        }
    }
    return false;
}

void
columns_header(struct text *t, const struct column_table *table)
{
    for (size_t i = 0; i < table->n; i++)
    {
        text_add(t, "%s%s", i ? "," : "", table->columns[i].name);
    }
    text_add(t, "\n");
}

void
add_micro(struct text *t, int64_t units)
{
    uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
    text_add(t, "%s%" PRIu64 ".%06" PRIu64, units < 0 ? "-" : "", size / 1000000, size % 1000000);
}

static void
add_double(struct text *t, double value, double per_micro)
{
    double scaled = value * per_micro;
    if (isfinite(scaled) && fabs(scaled) < 9e18)
    {
        add_micro(t, llround(scaled));
    }
    else
    {
        text_add(t, "nan");
    }
}

static void
add_value(struct text *t, const struct column *c, const void *row)
{
    const char *at = (const char *)row + c->offset;
    int64_t time;
    uint64_t u64;
    uint32_t u32;
    double real;
    const char *string;
    switch (c->kind)
    {
    case COLUMN_TIME:
        memcpy(&time, at, sizeof time);
        if (time >= 0)
        {
            add_micro(t, time);
        }
        break;
    case COLUMN_U64:
        memcpy(&u64, at, sizeof u64);
        text_add(t, "%" PRIu64, u64);
        break;
    case COLUMN_U32:
        memcpy(&u32, at, sizeof u32);
        text_add(t, "%" PRIu32, u32);
        break;
    case COLUMN_RATE:
        memcpy(&real, at, sizeof real);
        add_double(t, real, 1e-3);
        break;
    case COLUMN_RATIO:
        memcpy(&real, at, sizeof real);
        add_double(t, real, 1e6);
        break;
    case COLUMN_REAL:
        memcpy(&real, at, sizeof real);
        if (!isnan(real))
        {
            add_double(t, real, 1e6);
        }
        break;
    case COLUMN_TEXT:
        memcpy(&string, at, sizeof string);
        text_add(t, "%s", string);
        break;
    case COLUMN_SHARE:
        add_double(t, c->share(row), 1e6);
        break;
    }
}

void
columns_row(struct text *t, const struct column_table *table, const void *row)
{
    for (size_t i = 0; i < table->n; i++)
    {
        if (i)
        {
            text_add(t, ",");
        }
        add_value(t, &table->columns[i], row);
    }
    text_add(t, "\n");
}
