/* SPDX-License-Identifier: GPL-2.0-only */
#include "vocabulary.h"

#include <string.h>

#include "figure-element.h"
#include "grammar-table.h"
#include "scenario.h"
#include "textbuf.h"

#define IN_SCENARIO(field) offsetof(struct scenario, field)

/** How an element names a link. @p name: place of its struct link_name. */
#define LINK_ENDS(name)                                                                            \
    VALUE_AT(name + IN(link_name, leaf), "leaf", false, WEFT_COUNT, NULL, "0", "1048575",          \
             "lower end, leaf-spine; in three tiers, with pod and aggregation: the ToR's number "  \
             "in its pod"),                                                                        \
        VALUE_AT(name + IN(link_name, spine), "spine", false, WEFT_COUNT, NULL, "0", "1048575",    \
                 "upper end, leaf-spine"),                                                         \
        VALUE_AT(name + IN(link_name, pod), "pod", false, WEFT_COUNT, NULL, "0", "1048575",        \
                 "three tiers: the pod of leaf and aggregation, or of aggregation"),               \
        VALUE_AT(name + IN(link_name, aggregation), "aggregation", false, WEFT_COUNT, NULL, "0",   \
                 "1048575",                                                                        \
                 "three tiers: an aggregation's number in its pod, with leaf or with core"),       \
        VALUE_AT(name + IN(link_name, core), "core", false, WEFT_COUNT, NULL, "0", "1048575",      \
                 "three tiers: a core, upper end above pod and aggregation"),                      \
        VALUE_AT(name + IN(link_name, lower), "lower", false, WEFT_COUNT, NULL, "0", "4294967295", \
                 "switch number of the lower end"),                                                \
        VALUE_AT(name + IN(link_name, upper), "upper", false, WEFT_COUNT, NULL, "0", "4294967295", \
                 "switch number of the upper end"),                                                \
        WORD_AT(name + IN(link_name, parallel), "link", WEFT_COUNT, "0", "0", "8191", "all",       \
                "which of the parallel links"),                                                    \
        VALUE_AT(name + IN(link_name, host), "host", false, WEFT_COUNT, NULL, "0", "4294967295",   \
                 "instead of the ends: the host whose link it is"),                                \
        WORD_AT(                                                                                   \
            name + IN(link_name, port), "port", WEFT_COUNT, NULL, "0", "63", "all",                \
            "with host: which of its ports, in a graph in the order of its links, else those of "  \
            "plane 0 first and that to its server's own network last; all: each that leads to "    \
            "the fabric; default: the first such one"),                                            \
        VALUE_AT(name + IN(link_name, node), "switch", false, WEFT_COUNT, NULL, "0", "4294967295", \
                 "instead of the ends: the number of a switch, all of whose links it is"),         \
        VALUE_AT(name + IN(link_name, plane), "plane", false, WEFT_COUNT, NULL, "0", "63",         \
                 "with leaf and spine and so on, or with host, where there are several planes: "   \
                 "which one; default: 0")

#define FAULT_NAME                                                                                 \
    TEXT_AT(IN(link_fault, name), SHAPE_NAME, "name", false,                                       \
            "tells it from others: in sweeps its parameters are those of ELEMENT:NAME")

/** When something begins, and when it ends. */
#define TIMES(begins, ends)                                                                        \
    WORD_AT(IN(link_fault, at), "at", WEFT_TIME, "0s", "0s", NULL, "never", begins),               \
        VALUE_AT(IN(link_fault, repair), "repair", false, WEFT_TIME, "inf", "0s", "inf", ends),    \
        VALUE_AT(IN(link_fault, lasts), "for", false, WEFT_TIME, NULL, "1ps", "inf",               \
                 "how long, instead of repair"),                                                   \
        VALUE_AT(IN(link_fault, period), "period", false, WEFT_TIME, NULL, "2ns", "100s",          \
                 "it flaps: from at to repair, this is the time from the begin of each outage to " \
                 "that of the next"),                                                              \
        VALUE_AT(IN(link_fault, duty), "duty", false, WEFT_REAL, NULL, "0", "1",                   \
                 "share of the period that an outage takes; default: 0.5"),                        \
        VALUE_AT(IN(link_fault, mean_down), "mean-down", false, WEFT_TIME, NULL, "1ns", "100s",    \
                 "it flaps at random: mean of the exponential time of an outage"),                 \
        VALUE_AT(IN(link_fault, mean_up), "mean-up", false, WEFT_TIME, NULL, "1ns", "100s",        \
                 "mean of the exponential time between two outages"),                              \
        VALUE_AT(IN(link_fault, count), "count", false, WEFT_COUNT, NULL, "0", "4294967295",       \
                 "most outages of one that flaps; default: any number"),                           \
        CHOICE_AT(IN(link_fault, direction), "direction", "both", "both up down", true,            \
                  "in which direction: up is from the lower to the upper end")

/** Effects of a link that does not just go down. */
#define EFFECT                                                                                     \
    CHOICE_AT(IN(link_fault, effect), "effect", "down", "down slow lossy corrupting delayed",      \
              true,                                                                                \
              "what the link does: it carries nothing, has less of its rate, loses frames "        \
              "or spoils them at random, or has a longer way"),                                    \
        VALUE_AT(IN(link_fault, share), "share", false, WEFT_REAL, NULL, "0.001", "1",             \
                 "slow: the share of its rate that it keeps"),                                     \
        VALUE_AT(IN(link_fault, loss), "loss", false, WEFT_REAL, NULL, "0", "1",                   \
                 "lossy, corrupting: probability of each frame, replies and headers alike"),       \
        VALUE_AT(IN(link_fault, bursts.to_bad), "to-bad", false, WEFT_REAL, NULL, "0", "1",        \
                 "instead of loss, in bursts (Gilbert-Elliott): probability, per frame, of going " \
                 "from the good state to the bad one"),                                            \
        VALUE_AT(IN(link_fault, bursts.to_good), "to-good", false, WEFT_REAL, NULL, "1e-9", "1",   \
                 "and back; its inverse is the mean number of frames in the bad state"),           \
        VALUE_AT(IN(link_fault, bursts.bad), "loss-bad", false, WEFT_REAL, NULL, "0", "1",         \
                 "probability of a frame's loss in the bad state; default: 1"),                    \
        VALUE_AT(IN(link_fault, bursts.good), "loss-good", false, WEFT_REAL, NULL, "0", "1",       \
                 "in the good state; default: 0"),                                                 \
        VALUE_AT(IN(link_fault, extra), "extra-delay", false, WEFT_TIME, NULL, "0s", "1s",         \
                 "delayed: on top of its own delay")

static const struct attribute_spec scenario_attributes[] = {
    TEXTUAL(SHAPE_NAME, "name", true, "names the results folder"),
};

static const struct attribute_spec topology_attributes[] = {
    TEXT_AT(IN_SCENARIO(graph_name), SHAPE_TEXT, "file", false,
            "for graph: the file with its hosts, switches and links, relative to the scenario's "
            "folder"),
    CHOICE_AT(IN_SCENARIO(ids), "ids", "file", "file weft", false,
              "for graph: whether the scenario and its files of flows name hosts and switches by "
              "the ids of that file, or by Weft's own numbers"),
};

static const struct attribute_spec workload_attributes[] = {
    TEXT_AT(IN(workload, name), SHAPE_NAME, "name", false,
            "distinguishes it from others; required if there are several"),
    TEXT_AT(IN(workload, host_list), SHAPE_TEXT, "hosts", false,
            "the hosts that it runs on, such as 0-15 32, or random 16; default: all"),
    TEXT_AT(IN(workload, class_name), SHAPE_NAME, "class", false,
            "the <class> of its QPs; default: the scenario's own"),
    TEXT_AT(IN(workload, balancer), SHAPE_NAME, "balancer", false,
            "instead of class: a balancer for its QPs, with its defaults; everything else is the "
            "scenario's own"),
    TEXT_AT(IN(workload, file), SHAPE_TEXT, "file", false,
            "for flows: the file with the flows; for poisson: the file with the distribution of "
            "sizes; relative to the scenario's folder"),
    CHOICE_AT(IN(workload, start_unit), "start-unit", "us", "us ps", false,
              "for flows of an htsim connection matrix: the unit of its start"),
    VALUE_AT(IN(workload, ranks), "ranks", false, WEFT_COUNT, NULL, "1", "1048576",
             "for a trace that does not say how many ranks there are, or for fewer than it says; "
             "default: as it says, else all hosts"),
    CHOICE_AT(
        IN(workload, allreduce), "allreduce", "nccl", "nccl ring tree doubling direct hierarchical",
        false,
        "for a trace: how its allreduces are done; nccl: by ring or tree, as NCCL would choose"),
    CHOICE_AT(IN(workload, allgather), "allgather", "ring", "ring direct", false,
              "for a trace: how its all-gathers are done"),
    CHOICE_AT(IN(workload, reducescatter), "reduce-scatter", "ring", "ring direct", false,
              "for a trace: how its reduce-scatters are done"),
    TEXT_AT(
        IN(workload, collective_file), SHAPE_TEXT, "collective-file", false,
        "for a trace: a file of MSCCL with the algorithm for collectives of its kind and number "
        "of ranks"),
    VALUE_AT(IN(workload, collective_bytes), "collective-bytes", false, WEFT_BYTES, NULL, "1B",
             "1000000GB", "for a trace that is an algorithm of MSCCL: the size of its vector"),
    TEXT_AT(IN(workload, process_groups), SHAPE_TEXT, "process-groups", false,
            "for a trace of Chakra: a file of JSON with the ranks of each process group"),
    TEXT_AT(IN(workload, placement_file), SHAPE_TEXT, "placement-file", false,
            "for a trace: a file that says which host each rank is at, in lines of rank and host; "
            "instead of placement and rails"),
    VALUE_AT(IN(workload, bytes_scale), "bytes-scale", false, WEFT_REAL, "1", "0.000000001",
             "1000000", "for a trace but GOAL: factor by which all that is sent is multiplied"),
};

/** Attributes of a <workload> that are of traces alone. */
static const char trace_attributes[] = "ranks allreduce allgather reduce-scatter collective-file "
                                       "collective-bytes process-groups placement-file "
                                       "bytes-scale";

static const struct attribute_spec class_attributes[] = {
    TEXT_AT(IN(qp_class, name), SHAPE_NAME, "name", true,
            "the name by which workloads refer to it"),
    VALUE_AT(
        IN(qp_class, queue), "queue", false, WEFT_COUNT, "1", "1", "7",
        "traffic class of its data, which is their queue at every port; less than the switch's "
        "classes"),
};

static const struct attribute_spec drop_attributes[] = {
    VALUE_AT(IN(drop_rule, qp), "qp", true, WEFT_COUNT, NULL, "0", "4294967295",
             "the QP, numbered from 0"),
    LIST_AT(IN(drop_rule, packets), IN(drop_rule, npackets), "packets", true, "4194303",
            "packets of that QP, counted from its first, such as 0-15 32"),
    VALUE_AT(IN(drop_rule, count), "count", false, WEFT_COUNT, "1", "1", "1000000",
             "how many transmissions of each of them are lost"),
    CHOICE_AT(IN(drop_rule, last_hop), "at", "top", "top last-hop", true,
              "where: at the top switch of the path, or between the last switch and the NIC"),
};

static const struct attribute_spec loss_attributes[] = {
    VALUE_AT(IN_SCENARIO(loss), "probability", true, WEFT_REAL, NULL, "0", "1",
             "that a data packet is lost at the top tier it crosses"),
};

static const struct attribute_spec link_attributes[] = {LINK_ENDS((size_t)0)};

static const struct attribute_spec failure_attributes[] = {
    FAULT_NAME,
    LINK_ENDS(IN(link_fault, to)),
    TIMES("when the link goes down", "when it comes back"),
    EFFECT,
    VALUE_AT(IN(link_fault, rate), "rate", false, WEFT_RATE, NULL, "1Mbps", "8Tbps",
             "slow: its rate, at most the planned one, instead of share"),
    VALUE_AT(IN(link_fault, chance), "probability", false, WEFT_REAL, NULL, "0", "1",
             "that it happens at all, to all its links together, as each seed draws; default: 1"),
};

static const struct attribute_spec degrade_attributes[] = {
    FAULT_NAME,
    LINK_ENDS(IN(link_fault, to)),
    VALUE_AT(IN(link_fault, rate), "rate", true, WEFT_RATE, NULL, "1Mbps", "8Tbps",
             "its rate, at most the planned one"),
    TIMES("when it becomes slower", "when it has its planned rate again"),
};

#define TOGETHER                                                                                   \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, IN(link_fault, together), "together", WEFT_BOOL, "off",      \
                  NULL, NULL, NULL, "whether all of them flap at the same drawn times"),           \
            .later = true                                                                          \
    }

#define RANDOM_LINKS(what)                                                                         \
    VALUE_AT(IN(link_fault, any), "probability", false, WEFT_REAL, "0", "0", "1",                  \
             "that a link between switches " what),                                                \
        VALUE_AT(IN(link_fault, edge), "edge-aggregation", false, WEFT_REAL, NULL, "0", "1",       \
                 "the same for links of ToRs alone; default: probability"),                        \
        VALUE_AT(IN(link_fault, above), "aggregation-core", false, WEFT_REAL, NULL, "0", "1",      \
                 "the same for links above, three tiers; default: probability"),                   \
        VALUE_AT(IN(link_fault, number), "links", false, WEFT_COUNT, "0", "0", "4294967295",       \
                 "instead of probabilities: exactly so many links, all alike")

static const struct attribute_spec random_failures_attributes[] = {
    FAULT_NAME,
    RANDOM_LINKS("fails"),
    TIMES("when the links go down", "when they come back"),
    EFFECT,
    TOGETHER,
};

static const struct attribute_spec random_degrade_attributes[] = {
    FAULT_NAME,
    RANDOM_LINKS("becomes slower"),
    TIMES("when the links become slower", "when they have their planned rates again"),
    VALUE_AT(IN(link_fault, share), "share", true, WEFT_REAL, NULL, "0.001", "1",
             "the share of its rate that such a link keeps"),
    TOGETHER,
};

static const struct attribute_spec nic_attributes[] = {
    CHOICE_AT(IN_SCENARIO(nic), "preset", "own", "own uec roce-lossless roce-sr ideal", false,
              "uec: trim, nscc; roce-lossless: nic-sr, dcqcn, PFC; roce-sr: sack, dcqcn, no PFC"),
};

static const struct attribute_spec convergence_attributes[] = {
    VALUE_AT(IN_SCENARIO(convergence), "delay", false, WEFT_TIME, "100us", "0s", "inf",
             "from a failure or repair to new forwarding everywhere; what lasts no longer is never "
             "heard of"),
    VALUE_AT(IN_SCENARIO(recovery), "recovery", false, WEFT_TIME, NULL, "0s", "inf",
             "the same for a repair; default: delay"),
    CHOICE_AT(IN_SCENARIO(weights), "weights", "on", "off on capacity", false,
              "new forwarding weighs ports by the paths behind them (W-ECMP), or by the capacity "
              "of these paths; off: all live ports alike"),
};

static const struct attribute_spec measure_attributes[] = {
    VALUE_AT(
        IN_SCENARIO(measure.interval), "interval", false, WEFT_TIME, "0s", "0s", "1s",
        "time between the samples of series.csv, ports.csv, queues.csv and balance.csv; 0s: none"),
    LIST_AT(IN_SCENARIO(measure.qps), IN_SCENARIO(measure.nqps), "qps", false, "4294967295",
            "QPs sampled in series.csv, such as 0-15 32"),
    LIST_AT(IN_SCENARIO(measure.timeline), IN_SCENARIO(measure.ntimeline), "timeline", false,
            "1048575", "ranks of traces that the table timeline has, such as 0-15 32"),
    TEXT_AT(IN_SCENARIO(measure.port_names), SHAPE_WORDS, "ports", false,
            "switch ports sampled in ports.csv: layers, such as tor-up, and switch:port, such as "
            "0:4 or 0-3:4-7"),
    BOOLEAN_AT(IN_SCENARIO(measure.queues), "queues", "off",
               "write queues.csv: longest queue and fullest switch over time"),
    BOOLEAN_AT(IN_SCENARIO(measure.balance), "balance", "off",
               "write balance.csv: queues and load of each layer's ports, greatest against mean"),
    BOOLEAN_AT(IN_SCENARIO(measure.flows), "flows", "on", "write flows.csv: one row per message"),
    CHOICE_AT(IN_SCENARIO(measure.links), "links", "auto", "auto on off", false,
              "write the table links: what each link carried and lost; auto: if it has at most "
              "16384 rows"),
    CHOICE_AT(
        IN_SCENARIO(measure.paths), "paths", "off", "off on qps", false,
        "write the table paths: by which links the data of each QP went, and how often it turned; "
        "qps: of those alone that qps names"),
    VALUE_AT(IN_SCENARIO(measure.warm_up), "warm-up", false, WEFT_TIME, "0s", "0s", "100s",
             "fct_* and the loads of summary.csv are of messages that start so long after the "
             "first one, or later"),
    VALUE_AT(IN_SCENARIO(measure.window), "window", false, WEFT_TIME, "inf", "1ps", "inf",
             "and of those alone that start in this time after warm-up"),
};

static const struct attribute_spec limit_attributes[] = {
    VALUE_AT(IN_SCENARIO(stop), "time", false, WEFT_TIME, "10s", "1ps", "100s",
             "simulated time at which a run ends"),
    CHOICE_AT(IN_SCENARIO(stop_is_end), "then", "error", "error stop", true,
              "whether unfinished messages are an error then, or a normal end: a steady state"),
};

static const struct attribute_spec seed_attributes[] = {
    VALUE_AT(IN_SCENARIO(seed), "value", false, WEFT_COUNT, "1", "0", "9007199254740992",
             "seed of all randomness"),
    VALUE_AT(IN_SCENARIO(run), "run", false, WEFT_COUNT, "0", "0", "9007199254740992",
             "a further number that selects independent streams of the same seed"),
};

static const struct attribute_spec vary_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "param", true, "element.attribute"),
    TEXTUAL(SHAPE_WORDS, "values", true, "its values, separated by spaces"),
    TEXTUAL(SHAPE_TEXT, "labels", false, "their names in figures, separated by |"),
    TEXTUAL(SHAPE_WORDS, "colours", false,
            "their colours in figures, one each: blue orange green vermilion purple sky black, or "
            "#RRGGBB; auto: Weft's own"),
    TEXTUAL(SHAPE_WORDS, "styles", false,
            "their lines in figures, one each: solid dashed dash-dotted dotted dash-dot-dotted; "
            "auto: Weft's own"),
};

static const struct attribute_spec cases_attributes[] = {
    TEXTUAL(SHAPE_NAME, "name", false, "column of summary.csv; default: case"),
};

static const struct attribute_spec case_attributes[] = {
    TEXTUAL(SHAPE_NAME, "name", true, "value of that column, part of the run's name"),
    TEXTUAL(SHAPE_TEXT, "label", false, "name in figures"),
    TEXTUAL(SHAPE_TEXT, "colour", false,
            "colour in figures: blue orange green vermilion purple sky black, or #RRGGBB; default: "
            "that of its balancer"),
    TEXTUAL(SHAPE_TEXT, "style", false,
            "line in figures: solid dashed dash-dotted dotted dash-dot-dotted; bars have the "
            "pattern that goes with it; default: as its colour requires"),
};

static const struct attribute_spec set_attributes[] = {
    TEXTUAL(SHAPE_TEXT, "param", true, "element.attribute"),
    TEXTUAL(SHAPE_TEXT, "value", true, "its value in this case"),
};

static const struct attribute_spec seeds_attributes[] = {
    VALUE("first", false, WEFT_COUNT, "1", "0", "9007199254740992", "the first seed"),
    VALUE("count", true, WEFT_COUNT, NULL, "1", "100000",
          "how many seeds, counted up from the first"),
};

/** The templates of plots/: enum figure_kind has their order. */
#define TEMPLATES "bars grouped-bars lines cdf heatmap box scatter timeline"

/* Attributes of a figure; @p only: sets of the templates that they have a meaning in. */
#define FIGURE_TEXT(field, only, holds, name, doc)                                                 \
    {                                                                                              \
        ATTRIBUTE(holds, false, IN(figure, field), name, WEFT_COUNT, NULL, NULL, NULL, NULL, doc), \
            .templates = only                                                                      \
    }
#define FIGURE_CHOICE(field, only, name, def, choices, doc)                                        \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, IN(figure, field), name, WEFT_CHOICE, def, NULL, NULL,       \
                  choices, doc),                                                                   \
            .templates = only                                                                      \
    }
#define FIGURE_FLAG(field, only, name, def, doc)                                                   \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, IN(figure, field), name, WEFT_BOOL, def, NULL, NULL, NULL,   \
                  doc),                                                                            \
            .templates = only                                                                      \
    }
#define FIGURE_REAL(field, only, name, def, min, doc)                                              \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, IN(figure, field), name, WEFT_REAL, def, min, "1e18", NULL,  \
                  doc),                                                                            \
            .templates = only                                                                      \
    }
#define NOT_CDF (~FIGURE_SET(FIGURE_CDF))

static const struct attribute_spec figure_attributes[] = {
    TEXT_AT(IN(figure, name), SHAPE_NAME, "name", true, "file name without .svg, .png or .pdf"),
    {ATTRIBUTE(
        SHAPE_TEMPLATE, true, IN(figure, template), "template", WEFT_CHOICE, NULL, NULL, NULL,
        TEMPLATES,
        "the kind of figure: plots/*.gp; or a gnuplot file of one's own, ending in .gp, from the "
        "scenario's folder")},
    FIGURE_CHOICE(like, 0, "like", "lines", TEMPLATES,
                  "with a template of one's own: the template whose numbers it gets"),
    FIGURE_CHOICE(data, 0, "data", "summary",
                  "summary series queues layers steps qps flows workloads timeline",
                  "the table that it reads"),
    FIGURE_TEXT(title, 0, SHAPE_TEXT, "title", "stands above the figure"),
    FIGURE_TEXT(x.label, 0, SHAPE_LABEL, "x-label",
                "name of the horizontal axis, with its unit, or nothing; default: what x is"),
    FIGURE_TEXT(y.label, 0, SHAPE_LABEL, "y-label",
                "name of the vertical axis, with its unit, or nothing; default: what y is"),
    FIGURE_TEXT(z.label, FIGURES_OF_COLOURS, SHAPE_LABEL, "z-label",
                "heatmap: name of the colours, with its unit, or nothing; default: what z is"),
    FIGURE_TEXT(x.column, 0, SHAPE_WORDS, "x",
                "column or columns of the horizontal axis; of a cdf, whose distribution it shows; "
                "required but with a query"),
    FIGURE_TEXT(y.column, NOT_CDF, SHAPE_TEXT, "y",
                "column of the vertical axis; required but for a cdf or with a query; of a "
                "heatmap or a timeline, what its rows are"),
    FIGURE_TEXT(end, FIGURES_OF_SPANS, SHAPE_TEXT, "end",
                "timeline: column of the numbers up to which what begins at x lasts"),
    FIGURE_TEXT(z.column, FIGURES_OF_COLOURS, SHAPE_TEXT, "z",
                "heatmap: column that the colours show"),
    FIGURE_TEXT(series, FIGURES_OF_SERIES, SHAPE_TEXT, "series",
                "column that tells the lines or bars apart"),
    FIGURE_TEXT(series_label, FIGURES_OF_SERIES, SHAPE_LABEL, "series-label",
                "stands above the legend, or nothing; default: what series is"),
    FIGURE_CHOICE(
        legend, ~FIGURES_OF_COLOURS, "legend", "top", "none top right inside",
        "where the legend stands: nowhere, above or to the right of the plots, or in a corner of "
        "the first one in which nothing is drawn (above if there is none)"),
    FIGURE_TEXT(panels, 0, SHAPE_TEXT, "panels",
                "column of the sweep: a panel for each of its values"),
    VALUE_AT(IN(figure, panel_columns), "panel-columns", false, WEFT_COUNT, "0", "0", "100",
             "panels side by side; 0: as many as make a block"),
    FIGURE_CHOICE(panel_axes, 0, "panel-axes", "shared", "shared each",
                  "numbers and names stand at the outer panels alone, or at each"),
    FIGURE_TEXT(where, 0, SHAPE_WORDS, "where",
                "only rows with column=value; several: all must hold"),
    FIGURE_FLAG(
        pool, 0, "pool", "off",
        "means and distributions may be over other things than seeds that vary, such as sizes"),
    FIGURE_TEXT(relative_to, FIGURES_OF_BARS, SHAPE_TEXT, "relative-to",
                "divide by the value of this series"),
    FIGURE_TEXT(line, FIGURES_OF_BARS, SHAPE_TEXT, "line",
                "a further column of summary, drawn as a line"),
    FIGURE_TEXT(line_label, FIGURES_OF_BARS, SHAPE_TEXT, "line-label", "its name in the legend"),
    FIGURE_REAL(x.scale, 0, "x-scale", "1", "1e-18", "factor for x values"),
    FIGURE_REAL(y.scale, FIGURES_OF_HEIGHTS, "y-scale", "1", "1e-18", "factor for y values"),
    FIGURE_REAL(z.scale, FIGURES_OF_COLOURS, "z-scale", "1", "1e-18",
                "heatmap: factor for z values"),
    FIGURE_FLAG(x.log, FIGURES_OF_NUMBERS, "x-log", "off",
                "logarithmic horizontal axis; lines, cdf and scatter"),
    FIGURE_FLAG(y.log, FIGURES_OF_HEIGHTS, "y-log", "off",
                "logarithmic vertical axis; a cdf shows the share above x, its tail"),
    FIGURE_FLAG(z.log, FIGURES_OF_COLOURS, "z-log", "off", "heatmap: logarithmic colours"),
    FIGURE_REAL(x.from, FIGURES_OF_NUMBERS, "x-min", NULL, "0",
                "lines, cdf and scatter: start of the horizontal axis; default: 0, or automatic if "
                "logarithmic"),
    FIGURE_REAL(y.from, FIGURES_OF_HEIGHTS, "y-min", NULL, "0",
                "start of the vertical axis; default: 0, or automatic if logarithmic"),
    FIGURE_REAL(x.to, FIGURES_OF_NUMBERS, "x-max", "0", "0",
                "lines, cdf and scatter: end of the horizontal axis; 0: automatic"),
    FIGURE_REAL(y.to, FIGURES_OF_HEIGHTS, "y-max", "0", "0",
                "end of the vertical axis; 0: automatic"),
    FIGURE_FLAG(values, FIGURES_OF_BARS | FIGURES_OF_COLOURS, "values", "off",
                "bars: write each value above its bar; heatmap: into its field"),
    FIGURE_FLAG(points, FIGURES_OF_LINES, "points", "off", "lines: mark each value"),
    FIGURE_CHOICE(
        spread, FIGURES_OF_LINES, "spread", "auto", "auto band bars none",
        "lines: how runs of several seeds are shown; auto: as a band where a panel has up to four "
        "lines, else as bars"),
    FIGURE_CHOICE(
        error, FIGURES_OF_WHISKERS, "error", "ci95", "ci95 extremes stddev",
        "what band and error bars span: the 95 % confidence interval of the mean by Student's "
        "t, the least and the greatest value, or one standard deviation on either side"),
    FIGURE_FLAG(note, 0, "note", "on",
                "small text below the figure that says what bands, bars and boxes are, and which "
                "notes there are on the results"),
    FIGURE_TEXT(width, 0, SHAPE_LENGTH, "width", "of the figure, such as 84mm; default: 170mm"),
    FIGURE_TEXT(height, 0, SHAPE_LENGTH, "height",
                "the same; default: by its width and what stands in it"),
    FIGURE_TEXT(font, 0, SHAPE_FONT, "font", "of all texts; default: DejaVu Sans"),
    VALUE_AT(IN(figure, font_size), "font-size", false, WEFT_REAL, "8", "6", "72", "in points"),
};

#define REFERENCE_Y                                                                                \
    VALUE_AT(IN(figure_reference, y), "y", true, WEFT_REAL, NULL, "-1e18", "1e18",                 \
             "where it is, in the axis' unit")
#define REFERENCE_LABEL                                                                            \
    TEXT_AT(IN(figure_reference, label), SHAPE_TEXT, "label", true, "its name in the legend")

static const struct attribute_spec level_attributes[] = {REFERENCE_Y, REFERENCE_LABEL};

static const struct attribute_spec mark_attributes[] = {
    VALUE_AT(IN(figure_reference, x), "x", true, WEFT_REAL, NULL, "-1e18", "1e18",
             "where it is, in the axis' unit"),
    REFERENCE_Y,
    REFERENCE_LABEL,
};

#define CHOSEN(tag, where, place, without, of)                                                     \
    {                                                                                              \
        .name = tag, .parents = where, .selector = "name", .flags = ELEMENT_SETTABLE, .doc = of,   \
        .choice = IN_SCENARIO(place), .def = without                                               \
    }
/** Its structs are in an array of the scenario, whose number stands beside it. */
#define STRUCTS(array)                                                                             \
    .size = sizeof *((struct scenario *)NULL)->array, .items = IN_SCENARIO(array),                 \
    .count = IN_SCENARIO(n##array)
#define MANY(tag, where, flag, array, of)                                                          \
    {                                                                                              \
        ELEMENT(#tag, where, ELEMENT_MANY | (flag), tag##_attributes, of), STRUCTS(array)          \
    }

/** Faults of links are in one list of the scenario's, whichever element says them. */
#define FAULT(tag, its, of)                                                                        \
    {                                                                                              \
        ELEMENT(tag, "scenario quick case", ELEMENT_MANY | ELEMENT_SETTABLE | ELEMENT_DISTINCT,    \
                its, of),                                                                          \
            STRUCTS(faults)                                                                        \
    }

/** An element within a figure, whose structs are in an array of the figure's. */
#define REFERENCE(tag, of)                                                                         \
    {                                                                                              \
        ELEMENT(#tag, "figure", ELEMENT_MANY, tag##_attributes, of),                               \
            .size = sizeof(struct figure_reference), .items = IN(figure, references),              \
            .count = IN(figure, nreferences)                                                       \
    }

static const struct element_spec elements[] = {
    FIXED(scenario, "", 0, "the root: one experiment"),
    PLAIN("title", "scenario", ELEMENT_TEXT, "what the experiment is, for a reader"),
    PLAIN("source", "scenario", ELEMENT_TEXT, "where it comes from: a paper and its section"),
    {ELEMENT("topology", "scenario", ELEMENT_SETTABLE, topology_attributes,
             "the graph of hosts and switches"),
     .selector = "kind", .choice = IN_SCENARIO(topology)},
    FIXED(nic, "scenario", ELEMENT_SETTABLE | ELEMENT_SHORT,
          "a transport, a congestion control and switches that suit each other"),
    CHOSEN("fabric", "scenario", fabric, "roce", "frame sizes and NIC behaviour"),
    CHOSEN("switch", "scenario", switches, "shared-buffer",
           "the memory of every switch: buffer, traffic classes, PFC, ECN, trimming"),
    CHOSEN("scheduler", "scenario", scheduler, "strict",
           "which traffic class of a switch's port sends next"),
    CHOSEN("transport", "scenario class", transport, "nic-sr", "reliable delivery in the NIC"),
    CHOSEN("congestion-control", "scenario class", cc, "none", "the sending rate of a QP"),
    CHOSEN("balancer", "scenario class", balancer, NULL,
           "which of the equal-cost paths a packet takes"),
    MANY(class, "scenario", ELEMENT_SETTABLE | ELEMENT_DISTINCT, classes,
         "a set of QPs with their own balancer, transport, congestion control and queue; what it "
         "does not name is the scenario's"),
    {ELEMENT("workload", "scenario", ELEMENT_SETTABLE | ELEMENT_MANY | ELEMENT_DISTINCT,
             workload_attributes, "the messages and what they wait for"),
     .selector = "kind", .choice = IN(workload, choice), STRUCTS(workloads)},
    MANY(drop, "scenario quick", 0, drops, "data packets that are lost on purpose"),
    FIXED(loss, "scenario", ELEMENT_SETTABLE, "random loss of data packets"),
    FAULT("failure", failure_attributes, "a link that goes down, or does what effect says"),
    FAULT("degrade", degrade_attributes, "a link that is slower for a while"),
    FAULT("random-failures", random_failures_attributes,
          "links between switches that go down by chance, or do what effect says"),
    FAULT("random-degrade", random_degrade_attributes,
          "links between switches that are slower for a while, by chance"),
    {ELEMENT("link", "failure degrade", ELEMENT_MANY, link_attributes,
             "one of several links to which the same happens at the same time"),
     .size = sizeof(struct link_name), .items = IN(link_fault, others),
     .count = IN(link_fault, nothers)},
    FIXED(convergence, "scenario", ELEMENT_SETTABLE,
          "how long the fabric takes to notice a failure"),
    FIXED(measure, "scenario", ELEMENT_SETTABLE, "what is sampled and written besides the totals"),
    FIXED(limit, "scenario", ELEMENT_SETTABLE, "when a run ends that has not ended by itself"),
    FIXED(seed, "scenario", ELEMENT_SETTABLE, "randomness"),
    PLAIN("sweep", "scenario", 0, "what varies; the dimensions inside multiply"),
    FIXED(vary, "sweep zip quick", ELEMENT_MANY | ELEMENT_DISTINCT,
          "one parameter takes several values"),
    PLAIN("zip", "sweep", ELEMENT_MANY, "parameters that vary together, value by value"),
    FIXED(cases, "sweep", ELEMENT_MANY, "named sets of values"),
    FIXED(case, "cases vary quick", ELEMENT_MANY | ELEMENT_DISTINCT,
          "one of them; in vary, a value more that other parameters go with"),
    FIXED(set, "case quick", ELEMENT_MANY | ELEMENT_DISTINCT,
          "a value of this case, or of the quick version"),
    FIXED(seeds, "sweep quick", 0, "repeats everything with several seeds"),
    PLAIN(
        "quick", "scenario", 0,
        "what is smaller in the version that --quick runs: set gives the scenario's values; vary, "
        "case and seeds change those of the sweep; drop and what happens to links take the "
        "places of all of their name; figure changes one"),
    FIXED(figure, "scenario", ELEMENT_MANY | ELEMENT_DISTINCT, "a figure drawn from the results"),
    FIXED(figure, "quick", ELEMENT_MANY | ELEMENT_DISTINCT | ELEMENT_CHANGES,
          "other attributes of the figure of that name, or another query; its levels and marks, "
          "which are of the full size, give way to those here"),
    PLAIN("query", "figure", ELEMENT_TEXT,
          "what it shows, as an SQL query of the results, in the place of data, x, y and so on"),
    REFERENCE(level, "a horizontal line across it, such as a model's value"),
    REFERENCE(mark, "lines and cdf: a dot, such as a model's optimum"),
};

const struct grammar vocabulary = {elements, COUNT_OF(elements)};

const struct element_spec *
vocabulary_find(const char *name, const char *parent)
{
    return grammar_find(&vocabulary, name, parent);
}

const char *
default_algorithm(const char *kind)
{
    return vocabulary_find(kind, "scenario")->def;
}

bool
vocabulary_takes(const struct element_spec *spec, const struct weft_algo *algo, const char *name)
{
    if (weft_param_find(algo, name))
    {
        return true;
    }
    if (strcmp(name, "file") == 0 && strcmp(spec->name, "workload") == 0)
    {
        return weft_workload_find(algo->name)->table != WEFT_TABLE_NONE;
    }
    if ((strcmp(name, "file") == 0 || strcmp(name, "ids") == 0) &&
        strcmp(spec->name, "topology") == 0)
    {
        return weft_topology_find(algo->name)->use && !weft_topology_find(algo->name)->edges;
    }
    if (strcmp(name, "start-unit") == 0)
    {
        return weft_workload_find(algo->name)->table == WEFT_TABLE_FLOWS;
    }
    if (strcmp(spec->name, "workload") == 0 && list_has(trace_attributes, name))
    {
        return weft_workload_find(algo->name)->table == WEFT_TABLE_PROGRAM;
    }
    return grammar_attribute(spec, name) != NULL;
}
