/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions about a run, its links and one of its QPs. */
#include <stdlib.h>

#include "look.h"
#include "textbuf.h"

#define DROPPED "dropped_buffer + dropped_link + dropped_lossy + dropped_corrupted"

/* Columns that tell of a link. */
#define ABOUT                                                                                      \
    "select link, round(100 * busy_share, 1) as \"busy_%\", round(rate_gbps, 1) as Gbps, "         \
    "round(bytes / 1e6, 3) as MB, "                                                                \
    "round(queue_peak_bytes / 1e3, 1) as peak_queue_KB, marked, " DROPPED " as dropped, "          \
    "round(paused_us, 1) as paused_us, round(down_us, 1) as down_us, "                             \
    "round(lossy_us, 1) as lossy_us from run.links "

/* Places of a QP's way: the links that its data took there, and the share of the one that most of
 * it took, and of the one that least of it did, of all among which it had a choice. */
#define BY_HOP                                                                                     \
    ", at_switch as (select qp, hop, switch, count(*) as links, max(choices) as choices "          \
    "from run.paths group by 1, 2, 3), "                                                           \
    "hops as (select p.qp, p.hop, count(*) as links, (select sum(a.choices) from at_switch a "     \
    "where a.qp = p.qp and a.hop = p.hop) as choices, "                                            \
    "(select link from run.paths m where m.qp = p.qp and m.hop = p.hop order by packets desc "     \
    "limit 1) as most_used, 100 * max(share) as most, 100 * min(share) as used_least, "            \
    "sum(turns) as turns from run.paths p group by 1, 2), "                                        \
    "spread as (select *, iif(links < choices, 0, used_least) as least from hops) "

/** Questions about a run. */
static const struct look_question of_links[] = {
    {"the links that were busy longest",
     ABOUT "order by busy_share desc, queue_peak_bytes desc, rowid limit 10", NULL, false},
    {"how evenly the links of a layer were used",
     "with layer as (select layer, count(*) as links, avg(bytes) as mean, max(bytes) as most, "
     "min(bytes) as least, min(rowid) as first from run.links group by layer) "
     "select layer, links, round(mean / 1e6, 3) as mean_MB, "
     "round(most / mean, 2) as most_by_mean, "
     "(select link from run.links l where l.layer = layer.layer order by bytes desc, rowid limit "
     "1) as most_used, round(least / mean, 2) as least_by_mean, "
     "(select link from run.links l where l.layer = layer.layer order by bytes, rowid limit 1) "
     "as least_used from layer where mean > 0 order by first",
     NULL, false},
    {"the links that lost frames, were paused, dead, lossy or slower than others (ten at most)",
     ABOUT
     "join (select layer, max(rate_gbps) as usual from run.links group by layer) using (layer) "
     "where " DROPPED " > 0 or paused_us > 0 or down_us > 0 or lossy_us > 0 or "
     "rate_gbps < 0.999 * usual "
     "order by dropped desc, down_us + lossy_us desc, paused_us desc, rate_gbps, links.rowid "
     "limit 10",
     NULL, false},
    {"the ways of QPs, by place: links that the data of one took, and shares of the most and the "
     "least used in the mean",
     "with none as (select 0)" BY_HOP
     "select hop, count(*) as QPs, round(avg(links), 2) as links, max(links) as most_links, "
     "round(avg(choices), 2) as choices, round(avg(most), 1) as \"most_%\", round(avg(least), 1) "
     "as \"least_%\", sum(turns) as turns, (select qp from spread m where m.hop = spread.hop "
     "and turns > 0 order by turns desc, qp limit 1) as turned_most from spread group by hop "
     "order by hop",
     "paths", false},
};

/* The QP that is asked for, which is the only parameter of these texts, with its hosts as links
 * name them, and what its losses may have cost. */
#define THE_QP                                                                                     \
    ", q as (select q.*, s.qp_slowdown_p50 as usual_slowdown, s.qp_lost_p50_us as usual_loss, "    \
    "q.busy_us - q.lost_us as alone_us, "                                                          \
    "(select substr(link, 1, instr(link, ' -> ') - 1) from run.links where host = src) as "        \
    "sender, "                                                                                     \
    "(select substr(link, 1, instr(link, ' -> ') - 1) from run.links where host = dst) as "        \
    "receiver, q.timeouts * coalesce((select max(value) from run.parameters where name = "         \
    "'transport.rto'), 0) as waited_us, coalesce(q.bytes * 8e-3 / nullif("                         \
    "q.mean_rate_gbps, 0) - q.busy_us + q.lost_us, 0) as paced_us, q.resent * (q.busy_us - "       \
    "q.lost_us) / q.sent as again_us "                                                             \
    "from run.qps q, run.summary s where qp = (select n from asked)) "

/** Questions about a QP. */
static const struct look_question of_qp[] = {
    {"its story",
     THE_QP
     "select printf('%s -> %s, %d bytes', sender, receiver, bytes) from q "
     "union all select printf('%.3f us: its first packet left', start_us) from q "
     "union all select case when delivered_us is null then 'not all was delivered' else "
     "printf('%.3f us: all was delivered', delivered_us) end from q "
     "union all select printf('%.3f us from one to the other, %.4g times as long as alone; the "
     "median QP takes %.4g times', fct_us, fct_slowdown, usual_slowdown) from q where "
     "fct_slowdown > 0 "
     "union all select printf('%.3f us of these it waited for others', fct_us - busy_us) from q "
     "where fct_us > busy_us "
     "union all select printf('%.3f us its messages were under way, which take %.3f us alone: "
     "%.3f us are lost, by the median QP %.3f us', busy_us, alone_us, lost_us, usual_loss) from q "
     "where busy_us is not null "
     "union all select printf('%d packets sent, %d of them again; %d arrived a second time, %d "
     "out of order', sent + resent, resent, duplicates, out_of_order) from q "
     "union all select printf('%d NACKs and %d CNPs came to its sender; %d cuts of its rate, which "
     "was "
     "%.4g Gbps in the mean', nacks_received, cnps_received, cuts, "
     "mean_rate_gbps) from q "
     "union all select printf('%d times it waited for its retransmission timer', timeouts) from q "
     "where timeouts > 0",
     NULL, true},
    {"what may have cost so much of the lost time",
     THE_QP
     "select * from ("
     "select 'timeouts' as cause, round(min(waited_us, lost_us), 3) as us_at_most from q "
     "union all select 'rate of its control', round(min(paced_us, lost_us), 3) from q "
     "union all select 'packets sent again', round(min(again_us, lost_us), 3) from q "
     "union all select 'queues, pauses, other flows of its host', round(lost_us - waited_us - "
     "max(paced_us, 0) - again_us, 3) from q) "
     "where us_at_most > 0 order by 2 desc",
     NULL, false},
    {"its way from switch to switch: how many links its data took at each place, how often it "
     "turned",
     BY_HOP "select hop, links, choices, turns, round(most, 1) as \"most_%\", "
            "round(least, 1) as \"least_%\", most_used from spread "
            "where qp = (select n from asked) order by hop",
     "paths", false},
    {"the links of its way (the twenty most used)",
     " select hop, link, port, packets, round(100 * share, 1) as \"share_%\", turns, "
     "round(first_us, 1) as first_us, round(last_us, 1) as last_us from (select * from run.paths "
     "where qp = (select n from asked) order by packets desc, hop limit 20) "
     "order by hop, packets desc, first_us",
     "paths", false},
    {"the links at its ends",
     THE_QP ABOUT "where host = (select src from q) or link like '% -> ' || (select receiver from "
                  "q) order by rowid",
     NULL, false},
    {"its slowest messages, ten at most",
     " select message, bytes, posted_us, delivered_us, acked_us, fct_us, fct_slowdown from "
     "run.flows "
     "where qp = (select n from asked) order by fct_us desc, message limit 10",
     "flows", false},
    {"its samples in ten parts",
     " select round(min(time_us), 1) as from_us, round(max(time_us), 1) as to_us, "
     "round(avg(rate_gbps), 1) as rate_gbps, round(avg(wire_rate_gbps), 1) as wire_rate_gbps, "
     "max(resent) as resent_so_far, max(nacks_received) as nacks_so_far, max(cnps_received) as "
     "cnps_so_far from (select *, ntile(10) over (order by time_us) as part from run.series where "
     "qp = (select n from asked)) group by part",
     "series", false},
};

bool
look_has_table(struct database *db, const char *name)
{
    OWNED char *sql = xformat("select 1 from run.sqlite_master where name = '%s'", name);
    CLEANUP(query_rows_drop) struct query_rows *rows = results_ask(db, sql);
    return rows->nrows > 0;
}

const struct look_question *
look_question(bool qp, size_t i)
{
    const size_t n = qp ? sizeof of_qp / sizeof *of_qp : sizeof of_links / sizeof *of_links;
    return i >= n ? NULL : qp ? &of_qp[i] : &of_links[i];
}

struct query_rows *
look_ask(struct database *db, const struct look_question *question, long qp)
{
    const bool is_about_qp = question >= of_qp && question < of_qp + sizeof of_qp / sizeof *of_qp;
    OWNED char *sql = is_about_qp ? xformat("with asked as (select %ld as n)%s", qp, question->sql)
                                  : xstrdup(question->sql);
    return !question->needs || look_has_table(db, question->needs) ? results_ask(db, sql) : NULL;
}
