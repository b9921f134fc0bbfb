/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file results-tables.h  Tables of what a run measured: all that there is to them, a line for each
 * column. results.h makes of each a struct for its rows, whose name is ROW, and an array of them in
 * struct run_results; columns.c makes its columns in SQLite and CSV. Who includes this file defines
 * what he wants of the lines; the others are nothing.
 *
 * | line | is |
 * |---|---|
 * | TIME(name, member, doc) | int64_t, ps; below 0: it did not happen, or nobody knows |
 * | RATE(name, member, doc) | double, bit/s |
 * | RATIO(name, member, doc) | double |
 * | REAL(name, member, doc) | double; NaN: none is known |
 * | U32, U64(name, member, doc) | uint32_t, uint64_t |
 * | INDEX(name, member, doc) | int64_t, which one it is; below 0: there is none |
 * | COUNTER(member, doc) | uint64_t; the column has the member's name |
 * | COUNTED(of, member, doc) | the same, of the struct that is the member `of` |
 * | TEXT(name, member, doc) | const char * |
 * | SHARE(name, part, sent, resent, doc) | no member: part / (sent + resent) of other members |
 * | ALSO(declaration) | a member that is no column |
 *
 * A table without rows is not written.
 */
#ifndef TABLE_BEGIN
#define TABLE_BEGIN(table)
#endif
#ifndef TABLE_END
#define TABLE_END(table, doc)
#endif
#ifndef ONE_ROW_END
#define ONE_ROW_END(table, doc) TABLE_END(table, doc)
#endif
#ifndef TIME
#define TIME(name, member, doc)
#define RATE(name, member, doc)
#define RATIO(name, member, doc)
#define REAL(name, member, doc)
#define U32(name, member, doc)
#define U64(name, member, doc)
#define INDEX(name, member, doc)
#define COUNTER(member, doc)
#define COUNTED(of, member, doc)
#define TEXT(name, member, doc)
#define SHARE(name, part, sent, resent, doc)
#define ALSO(declaration)
#endif

/* Completion times of a run are over what was delivered. */
#define ROW run_summary
TABLE_BEGIN(summary)
TIME("cct_us", cct, "last delivery of the slowest group, from time 0")
TIME("cct_acked_us", cct_acked, "last ACK of the slowest group, from time 0")
TIME("cct_mean_us", cct_mean, "mean over groups of the last delivery")
TIME("first_start_us", first_start, "earliest start of a message")
TIME(
    "bound_us", bound,
    "lower bound of cct_us by a closed form, or where servers have networks of their own of hosts' "
    "wires and of chains of messages; empty: none known")
REAL("slowdown", slowdown, "cct_us / bound_us, both less first_start_us; empty: no bound known")
TIME("bound_acked_us", bound_acked,
     "lower bound of cct_acked_us: of exchanges of equal messages and all-to-all, else of hosts' "
     "wires and of chains of messages; empty: not all was acknowledged")
REAL("increase", increase,
     "cct_acked_us / bound_acked_us - 1, both less first_start_us; empty: not all was acknowledged")
REAL("step_increase_mean", step_increase,
     "mean of increase in steps.csv; empty: no steps, or no bound known")
RATIO("rho_max", rho_max,
      "highest share of line rate at which the fabric can serve all flows that have a path at the "
      "same time, given the links that fail or are degraded at time 0 for good; counts data, not "
      "ACKs")
TIME("bound_rho_us", bound_rho,
     "bound_acked_us for hosts that send data at rho_max; empty: none known")
REAL("increase_rho", increase_rho,
     "cct_acked_us / bound_rho_us - 1, both less first_start_us; empty: no bound known")
RATE("goodput_gbps", goodput,
     "mean over QPs of payload / time from start to delivery; QPs that delivered nothing "
     "count as 0")
RATE("mean_rate_gbps", mean_rate,
     "mean over QPs of the congestion control's rate, weighted by time active")
SHARE("resent_share", data_resent, data_sent, data_resent,
      "data_resent / (data_sent + data_resent)")
SHARE("spurious_share", duplicates, data_sent, data_resent,
      "duplicates / (data_sent + data_resent): retransmissions of what had arrived")
COUNTER(messages, "messages of the workload")
COUNTER(qps, "queue pairs of the workload")
COUNTER(failed, "messages given up by their senders and not delivered")
COUNTER(unstarted, "messages that waited, directly or not, for such a one")
COUNTER(links_failed,
        "links that failed before all was delivered and acknowledged, or limit ended the run")
COUNTER(failures_late, "failures that were to come later than that, and changed nothing")
COUNTER(data_sent, "data packets sent for the first time")
COUNTER(data_resent, "data packets sent again")
COUNTER(duplicates, "data packets that arrived a second time")
COUNTER(out_of_order, "data packets that arrived with PSN > ePSN")
COUNTER(nacks_sent, "NACKs sent by receivers")
COUNTER(nacks_received, "NACKs that reached senders, compensated ones included")
COUNTER(cnps_received, "CNPs that reached senders")
COUNTER(cuts, "rate cuts by congestion control")
COUNTER(timeouts, "retransmission timeouts")
COUNTER(dropped_injected, "data packets dropped by drop and loss")
COUNTER(dropped_buffer, "packets dropped by switch buffers")
COUNTER(dropped_link, "packets lost on dead links or without a route")
COUNTER(dropped_lossy, "packets of all kinds lost on lossy links")
COUNTER(dropped_corrupted, "packets of all kinds spoilt on corrupting links")
COUNTER(trimmed, "data packets that lost their payload at a switch")
COUNTER(marked, "ECN marks")
COUNTER(pauses, "PFC pause frames")
U64("buffer_peak_bytes", buffer_peak, "most ever in use in one switch")
U64("queue_peak_bytes", queue_peak, "longest port queue ever")
REAL("queue_mean_bytes", queue_mean,
     "mean over all switch ports and samples while the workload runs; empty: not sampled")
COUNTER(packet_hops, "links crossed by packets of all kinds")
TIME("end_us", end,
     "the last message was delivered, acknowledged or given up, or the run was stopped before")
TIME(
    "fct_p50_us", fct_p50,
    "median of fct_us in flows.csv, over the messages of the window of measure that were delivered")
TIME("fct_p95_us", fct_p95, "their 95th percentile (nearest rank, as all of these)")
TIME("fct_p99_us", fct_p99, "their 99th percentile")
TIME("fct_p99_9_us", fct_p99_9, "their 99.9th percentile")
REAL("fct_slowdown_p50", fct_slowdown_p50,
     "median of fct_slowdown in flows.csv, over the same messages")
REAL("fct_slowdown_p95", fct_slowdown_p95, "their 95th percentile")
REAL("fct_slowdown_p99", fct_slowdown_p99, "their 99th percentile")
REAL("fct_slowdown_p99_9", fct_slowdown_p99_9, "their 99.9th percentile")
COUNTER(fct_messages, "messages that fct_* are of: those of that window that were delivered")
COUNTER(fct_undelivered, "messages of that window that were not delivered")
REAL("load_offered", load_offered,
     "payload of the messages that started in that window / what the workloads' hosts can send in "
     "it at line rate; without a window, until the last start; empty: all start at once")
REAL("load_carried", load_carried,
     "payload delivered in that window, likewise; without a window, until the last delivery")
INDEX("slowest_qp", slowest_qp,
      "QP with the greatest fct_slowdown in qps.csv, the first of them; empty: no QP has one")
REAL("qp_slowdown_max", qp_slowdown_max, "its fct_slowdown; empty: no QP has one")
REAL("qp_slowdown_p50", qp_slowdown_p50, "median of fct_slowdown in qps.csv")
INDEX("straggler_qp", straggler,
      "QP with the greatest lost_us in qps.csv, the first of them; empty: no QP has one")
TIME("qp_lost_max_us", qp_lost_max, "its lost_us")
TIME("qp_lost_p50_us", qp_lost_p50, "median of lost_us in qps.csv (nearest rank)")
COUNTER(straggler_resent, "data packets that it sent again")
COUNTER(straggler_nacks, "NACKs that reached its sender")
COUNTER(straggler_cuts, "its rate cuts")
COUNTER(straggler_timeouts, "its retransmission timeouts")
U64("ooo_degree_p50", ooo_p50,
    "median of PSN - ePSN, 0 of what is in order, over the data packets that arrived; one less "
    "than "
    "in pro §VI-A, which subtracts the highest PSN in order")
U64("ooo_degree_p99", ooo_p99, "its 99th percentile (nearest rank); 4095 stands for all above")
U64("ooo_degree_max", ooo_max, "its greatest value, likewise")
U64("switch_state_bytes", switch_state,
    "what the balancers keep in the switch that keeps most, with what ToRs keep of QPs; memory "
    "that a QP's two ToRs share counts whole at both; forwarding tables are not counted")
U64("nic_state_bytes", nic_state,
    "what balancer, transport and congestion control keep in the NIC that keeps most: its own and "
    "of its QPs, as sender and as receiver; without nic_label_bytes")
U64("nic_label_bytes", nic_labels,
    "memory of source ports of packets sent, in the NIC that has most: Weft's way to tell a "
    "balancer which path lost a packet, no part of an algorithm; of a fixed size for each QP")
ALSO(uint64_t events)
ALSO(uint64_t failures_known) /* failures of which forwarding heard while messages were under way */
RATE("algbw_gbps", algbw,
     "size of the collective, as nccl-tests counts it, / (cct_us - first_start_us); empty: a "
     "workload that nccl-tests does not have, several workloads, or not all was delivered")
RATE("busbw_gbps", busbw,
     "algbw_gbps times 2(n-1)/n for an allreduce among n ranks, (n-1)/n for an all-to-all, 1 for a "
     "ring: what each rank must send and receive, over that time")
TIME(
    "step_us", step,
    "the slowest rank of a trace ended its last operation, from the trace's start; empty: there is "
    "no trace, or not all has ended")
TIME("computing_us", computing, "mean over ranks of computing_us in ranks.csv")
TIME("exposed_us", exposed, "mean over ranks of exposed_us in ranks.csv")
ONE_ROW_END(summary, "totals of a run; counters count packets")
#undef ROW

#define ROW qp_result
TABLE_BEGIN(qps)
U32("qp", qp, "number of the QP")
U32("src", src, "sending host")
U32("dst", dst, "receiving host")
COUNTER(bytes, "payload of its messages that could start")
TIME("start_us", start, "its first packet left")
TIME("delivered_us", delivered, "its last message was delivered")
COUNTER(sent, "data packets sent for the first time")
COUNTER(resent, "data packets sent again")
SHARE("resent_share", resent, sent, resent, "resent / (sent + resent)")
COUNTER(duplicates, "data packets that arrived a second time")
COUNTER(out_of_order, "data packets that arrived with PSN > ePSN")
COUNTER(nacks_sent, "NACKs sent by its receiver")
COUNTER(nacks_received, "NACKs that reached its sender")
COUNTER(cnps_received, "CNPs that reached its sender")
COUNTER(cuts, "rate cuts")
COUNTER(timeouts, "retransmission timeouts")
RATE("mean_rate_gbps", mean_rate, "the congestion control's rate, weighted by time active")
TIME("fct_us", fct,
     "delivered_us - start_us, its completion time from its first packet on; of several "
     "messages, with what passes between them")
REAL("fct_slowdown", slowdown,
     "fct_us over the ideal of one message of these bytes; empty: not all was delivered")
TIME("busy_us", busy,
     "of fct_us, how long messages of its own were under way: from when they could start to their "
     "delivery, or to the end of a run that was stopped; in the rest of fct_us it waited for other "
     "QPs; empty: a message failed, or goes out on several QPs")
TIME("lost_us", lost,
     "busy_us less what these messages take alone in a healthy fabric, on one path: its queueing, "
     "its congestion control and its retransmissions")
TABLE_END(qps, "one row per queue pair")
#undef ROW

#define ROW node_result
TABLE_BEGIN(nodes)
TEXT("kind", kind, "host or switch")
U32("number", number, "its number in the other tables")
TEXT("name", name, "what the topology's file calls it: its id there, or its name")
TABLE_END(nodes, "one row per host and switch; only of topologies from files")
#undef ROW

#define ROW group_result
TABLE_BEGIN(groups)
U32("group", group, "number of the group")
U32("messages", messages, "its messages")
TIME("delivered_us", delivered, "its last message was delivered")
TIME("acked_us", acked, "its last ACK reached a sender")
TABLE_END(groups, "one row per communication group")
#undef ROW

#define ROW layer_result
TABLE_BEGIN(layers)
TEXT("layer", layer, "tier and direction of its ports, such as tor-up, core-down")
U32("links", links, "its ports")
U64("queue_peak_bytes", queue_peak, "longest queue of any of them ever")
REAL("queue_mean_bytes", queue_mean,
     "mean over ports and samples while the workload runs; empty: no queues measured")
U64("load_max_bytes", load_max, "sent by the port that sent most")
REAL("load_mean_bytes", load_mean, "mean over ports of what each sent")
REAL("overload", overload, "load_max_bytes / load_mean_bytes - 1; empty: nothing sent")
COUNTER(marked, "ECN marks on what left by its ports")
TABLE_END(layers,
          "one row per queueing layer of the fabric, in the order in which packets meet them")
#undef ROW

#define ROW link_result
TABLE_BEGIN(links)
TEXT("link", link,
     "who sends and who receives, as scenarios name them, such as leaf 3 -> spine 1; of a "
     "topology's file with its ids or names")
TEXT("layer", layer,
     "the layer of its sender, as in layers.csv; host-up or server-up: a host "
     "sends, to a ToR or to its server's network")
INDEX("host", host, "host that sends; empty: a switch does")
INDEX("switch", index, "switch that sends; empty: a host does")
U32("port", port, "the sender's port, as in ports.csv")
COUNTER(frames, "frames of all kinds that it carried, or lost")
COUNTER(bytes, "bytes of these")
RATE("rate_gbps", rate, "the rate at which it sent, mean over what it sent; empty: nothing")
REAL("busy_share", busy,
     "share of the time from the first start to end_us in which its wire was busy, at the rate "
     "that it had; the gaps between frames count")
U64("queue_peak_bytes", queue_peak, "longest queue of the switch's port ever; 0 of a host's")
COUNTER(marked, "ECN marks on what left by it")
COUNTER(dropped_buffer, "frames for which the switch's buffer had no room in its queue")
COUNTER(dropped_link, "frames that were lost as it was dead")
COUNTER(dropped_lossy, "frames that were lost as it was lossy")
COUNTER(dropped_corrupted, "frames that it spoilt")
TIME("paused_us", paused, "how long PFC kept its sender back, a traffic class or more")
TIME("down_us", down, "how long it was dead")
TIME("lossy_us", lossy, "how long it was lossy, or spoilt frames")
TABLE_END(links, "one row per link and direction; of more than 16384 of them only with <measure "
                 "links=\"on\">")
#undef ROW

#define ROW path_result
TABLE_BEGIN(paths)
U32("qp", qp, "number of the QP")
U32("hop", hop,
    "links from its sender to this one, the first of them 0; the least where they differ")
TEXT("link", link, "switch that sends, and who receives, as in links.csv")
U32("switch", index, "switch that sends")
U32("port", port, "its port, as in ports.csv")
U32("choices", choices, "most ports of that switch among which its data had a choice; 1: none")
COUNTER(packets, "data packets that went on by it, those that were lost behind included")
REAL("share", share, "packets / those of all rows of this QP and hop")
COUNTER(turns, "how often its data came here while the packet before it at this switch had gone "
               "elsewhere")
TIME("first_us", first, "the first of them was there")
TIME("last_us", last, "the last of them was there")
TABLE_END(paths, "one row per QP and port of a switch by which its data went; only with <measure "
                 "paths=\"on\"> or \"qps\"")
#undef ROW

#define ROW step_result
TABLE_BEGIN(steps)
U32("step", step, "step of the collective, from 0")
U32("messages", messages, "its messages")
TIME("posted_us", posted, "the first of them could start")
TIME("acked_us", acked, "the last ACK of all of them")
TIME("cct_us", cct, "its slowest message, from its start to its last ACK")
TIME("bound_us", bound, "lower bound of cct_us; empty: none known")
REAL("increase", increase, "cct_us / bound_us - 1; empty: no bound known")
TABLE_END(steps, "one row per step of a workload whose steps wait for each other")
#undef ROW

#define ROW workload_result
TABLE_BEGIN(workloads)
TEXT("workload", name, "its name")
TEXT("kind", kind, "what it is")
U32("hosts", hosts, "hosts that it runs on")
U32("messages", messages, "its messages")
U32("first_qp", first_qp, "its first QP")
U32("qps", qps, "its QPs, one behind the other")
U32("first_group", first_group, "its first group")
U32("groups", groups, "its groups, one behind the other")
TIME("start_us", start, "its earliest start")
TIME("cct_us", cct, "its last delivery, from time 0; empty: not all was delivered")
TIME("cct_acked_us", cct_acked, "its last ACK, likewise")
TIME("bound_us", bound,
     "lower bound of cct_us on a fabric that it has for itself; empty: none known")
REAL("slowdown", slowdown, "cct_us / bound_us, both less start_us; empty: no bound known")
TIME("bound_acked_us", bound_acked,
     "lower bound of cct_acked_us, likewise, as in summary.csv; empty: not all was acknowledged")
REAL("increase", increase,
     "cct_acked_us / bound_acked_us - 1, both less start_us; empty: not all was acknowledged")
RATE("algbw_gbps", algbw, "as in summary.csv, from start_us on")
RATE("busbw_gbps", busbw, "as in summary.csv")
TABLE_END(workloads, "one row per workload; only where there are several")
#undef ROW

#define ROW rank_result
TABLE_BEGIN(ranks)
TEXT("workload", workload, "the trace: name of its workload")
U32("rank", rank, "number of the rank in the trace")
U32("host", host, "its host")
COUNTER(operations, "its operations")
TIME("start_us", start, "when its trace starts")
TIME("end_us", end, "its last operation ended; empty: one has not")
TIME("computing_us", computing, "how long it computed, on one stream or several")
TIME("sending_us", sending, "how long a send of it was under way, until its acknowledgement")
TIME("exposed_us", exposed,
     "exposed communication: how long it computed nothing while a send of it was under way or a "
     "receive waited for its data")
TIME("idle_us", idle, "the rest, up to the end of the last rank")
TABLE_END(ranks, "one row per rank of a trace")
#undef ROW

#define ROW collective_result
TABLE_BEGIN(collectives)
TEXT("workload", workload, "the trace: name of its workload")
U32("collective", collective, "its number in the trace")
U32("id", id, "what the trace's file calls it: a line, a node")
TEXT("kind", kind, "the workload by whose algorithm it is done")
U64("bytes", size, "its size, as nccl-tests counts it")
U32("ranks", members, "ranks that take part")
TIME("start_us", start, "the last of them began it")
TIME("end_us", end, "the last of them ended it; empty: one has not")
TIME("time_us", time, "end_us - start_us")
RATE("algbw_gbps", algbw, "bytes / time_us")
RATE("busbw_gbps", busbw, "algbw_gbps times the factor of its kind, as in summary.csv")
TABLE_END(collectives, "one row per collective of a trace")
#undef ROW

#define ROW timeline_result
TABLE_BEGIN(timeline)
TEXT("workload", workload, "the trace: name of its workload")
U32("rank", rank, "number of the rank in the trace")
TEXT("lane", lane, "one of its streams, or its network")
TEXT("does", does,
     "computing; of a network sending, while a send is not acknowledged, else waiting, while a "
     "receive waits for its data")
TIME("begin_us", begin, "from then on")
TIME("end_us", end, "to then, without a gap")
TABLE_END(timeline, "what ranks of a trace did when; only of those that <measure timeline> names")
#undef ROW

#define ROW flow_result
TABLE_BEGIN(flows)
U32("message", message, "number of the message")
U32("qp", qp, "its QP; the first one if it goes out on several")
U32("src", src, "sending host")
U32("dst", dst, "receiving host")
U32("group", group, "communication group")
U32("step", step, "step of the collective, from 0")
COUNTER(bytes, "payload")
TIME("posted_us", posted,
     "it could start: what it waits for was done and its start time had come, behind a barrier by "
     "the least delay of a link later; empty: never")
TIME("delivered_us", delivered, "last packet in order at the receiver")
TIME("acked_us", acked, "its last ACK at the sender")
TIME("fct_us", fct, "delivered_us - posted_us, its completion time")
REAL("fct_slowdown", slowdown,
     "fct_us over the ideal one: alone in a healthy fabric, on one path between the two hosts")
TABLE_END(flows, "one row per message")
#undef ROW

#define ROW qp_sample
TABLE_BEGIN(series)
TIME("time_us", time, "when the sample was taken")
U32("qp", qp, "number of the QP")
RATE("rate_gbps", rate, "the congestion control's rate, mean over the interval")
RATE("wire_rate_gbps", wire_rate, "data frames sent in the interval / its length")
COUNTER(sent, "data packets sent for the first time, since the start")
COUNTER(resent, "data packets sent again, since the start")
RATIO("resent_share", resent_share,
      "resent / (sent + resent) in the interval; 0 if nothing was sent")
COUNTER(nacks_received, "NACKs that reached the sender so far")
COUNTER(cnps_received, "CNPs that reached the sender so far")
TABLE_END(series, "samples of the QPs that measure names")
#undef ROW

#define ROW queue_sample
TABLE_BEGIN(queues)
TIME("time_us", time, "when the sample was taken")
U64("longest_queue_bytes", longest_queue, "longest port queue of all switches")
U64("buffer_used_bytes", buffer_used, "buffer in use in the fullest switch")
TABLE_END(queues, "samples of all switch queues")
#undef ROW

#define ROW port_sample
TABLE_BEGIN(ports)
TIME("time_us", time, "when the sample was taken")
U32("switch", index, "number of the switch")
U32("port", port, "its port, from 0: those that lead down first")
TEXT("layer", layer, "the port's layer, as in layers.csv")
U64("queue_bytes", queue, "the port's queue, the frame that is being sent included")
U32("paused", paused, "1: its peer has paused one of its classes by PFC; else 0")
RATE("wire_rate_gbps", wire_rate,
     "frames of all kinds that began to be sent in the interval / its length")
TABLE_END(ports, "samples of the switch ports that measure names")
#undef ROW

#define ROW balance_sample
TABLE_BEGIN(balance)
TIME("time_us", time, "when the sample was taken")
TEXT("layer", layer, "as in layers.csv")
U64("queue_max_bytes", queue_max, "longest queue of the layer's ports")
REAL("queue_mean_bytes", queue_mean, "mean over these queues")
REAL("queue_imbalance_bytes", queue_imbalance,
     "queue_max_bytes - queue_mean_bytes: queue imbalance (pro §VI-A)")
RATE("wire_rate_max_gbps", rate_max,
     "of the port that sent most in the interval: its frames / the interval's length")
RATE("wire_rate_mean_gbps", rate_mean, "mean over the ports of the same")
REAL("load_imbalance", load_imbalance,
     "wire_rate_max_gbps / wire_rate_mean_gbps (pro §VI-A); empty: nothing was sent")
TABLE_END(balance, "samples of how evenly the ports of each layer are used")
#undef ROW

#define ROW reordering_result
TABLE_BEGIN(reordering)
U32("ooo_degree", degree, "PSN - ePSN; 0: in order; 4095 stands for all above")
COUNTER(packets, "data packets that arrived with it")
TABLE_END(reordering, "data packets by how far they arrived out of order; only where some did")
#undef ROW

#define ROW tor_result
TABLE_BEGIN(tors)
U32("tor", tor, "number of the ToR")
ALSO(struct weft_lb_counters counted)
COUNTED(counted, reroutes, "times that a QP or a flowlet went on by another path")
COUNTED(counted, probes, "requests for a round trip")
COUNTED(counted, notices, "notices of congestion sent")
COUNTED(counted, held, "packets held back to be put in order")
COUNTED(counted, flushed, "reorder queues whose time was over before what they waited for came")
COUNTED(counted, full, "packets let through out of order for want of a queue")
COUNTED(counted, queues, "most reorder queues in use at once")
ALSO(struct weft_tor_counters replies)
COUNTED(replies, seen, "NACKs of tracked QPs that entered the ToR from NICs")
COUNTED(replies, valid, "of these: trigger on the ePSN's path, forwarded")
COUNTED(replies, invalid, "of these: trigger on another path, or no need to ask")
COUNTED(replies, unknown, "of these: trigger unknown, forwarded")
COUNTED(replies, blocked, "invalid NACKs that were blocked")
COUNTED(replies, scan_passed, "invalid NACKs forwarded because the ring proves the loss")
COUNTED(replies, scan_cancelled, "blocked while the packet was on its way to the NIC")
COUNTED(replies, armed, "blocked and armed for compensation")
COUNTED(replies, compensated, "NACKs that come from the ToR")
COUNTED(replies, cancelled, "armed, then the packet passed the ToR")
COUNTED(replies, overwritten, "armed while another ePSN was armed")
COUNTED(replies, ring_full, "ring entries overwritten before use")
TABLE_END(tors, "one row per ToR; only of balancers that count what they do there")
#undef ROW

#define ROW trim_result
TABLE_BEGIN(trims)
U32("switch", index, "number of the switch")
U32("tier", tier, "0: a ToR; 1: a spine or aggregation; 2: a core; 3: a server's own switch")
COUNTER(trimmed, "data packets that lost their payload here")
COUNTER(header_drops, "headers, trimmed here or before, for which there was no room")
TABLE_END(trims, "one row per switch; only where switches trim")
#undef ROW

#define ROW stuck_qp
TABLE_BEGIN(stuck)
U32("qp", qp, "number of the QP")
U32("src", src, "sending host")
U32("dst", dst, "receiving host")
COUNTER(messages, "messages posted on it")
COUNTER(delivered, "of these, delivered")
COUNTER(packets, "packets of the messages posted on it")
COUNTER(acked, "of these, acknowledged")
COUNTER(in_flight, "packets sent, neither acknowledged nor taken for lost")
RATE("rate_gbps", rate, "the congestion control's rate at the end")
TIME("until_us", until, "when what it waits for is due; empty: unknown")
TEXT("why", why, "what it waits for")
TABLE_END(stuck,
          "one row per QP with unfinished messages; only of a run that ended before they were done")
#undef ROW

#undef TABLE_BEGIN
#undef TABLE_END
#undef ONE_ROW_END
#undef TIME
#undef RATE
#undef RATIO
#undef REAL
#undef U32
#undef U64
#undef INDEX
#undef COUNTER
#undef TEXT
#undef SHARE
#undef COUNTED
#undef ALSO
