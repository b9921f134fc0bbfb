/* SPDX-License-Identifier: GPL-2.0-only */
#include "arguments.h"
#include "run-host.h"
#include "shown-text.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_kind
{
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST, /**< may be given several times */
    OPTION_SEED,
    OPTION_COUNT,  /**< a whole number */
    OPTION_SECONDS /**< a number */
};

#define AT(member) offsetof(struct arguments, member)

/** Every option of every command: what getopt takes and what --help says, in this order. Those of
 * one name are of different commands. */
static const struct option_entry
{
    const char *name;
    char letter;
    const char *value; /**< what follows it; NULL: nothing */
    enum option_kind kind;
    size_t at;          /**< in struct arguments */
    double least, most; /**< of a number */
    const char *doc;
} option_table[] = {
    {"help", 'h', NULL, OPTION_FLAG, AT(help), 0, 0, NULL},
    {"only", 'O', "PATTERN", OPTION_TEXT, AT(sweep.only), 0, 0,
     "only runs whose name holds PATTERN (or matches, with * ? [])"},
    {"run", 'r', "NAME", OPTION_LIST, AT(runs), 0, 0,
     "the run; several, each with its --run, follow each other"},
    {"dry-run", 'n', NULL, OPTION_FLAG, AT(dry_run), 0, 0,
     "list the runs: finished, to do, or stale and what has changed; run nothing"},
    {"batch", 'b', "N", OPTION_COUNT, AT(batch), 1, PLAN_MOST_RUNS,
     "N runs per command: clusters limit the length of an array"},
    {"plan", 'p', NULL, OPTION_FLAG, AT(print_plan), 0, 0,
     "print one command per run, for GNU parallel or a Slurm array; a finished run is not\n"
     "                        repeated, however often its command is given"},
    {"collect", 'K', NULL, OPTION_FLAG, AT(collect), 0, 0,
     "run nothing; make table and figures of what is finished, while others may run, here\n"
     "                        or elsewhere. FILE may be a results folder"},
    {"jobs", 'j', "N", OPTION_COUNT, AT(sweep.jobs), 1, 4096,
     "N processes at a time (default: one per core, if memory suffices)"},
    {"threads", 'z', "N", OPTION_COUNT, AT(sweep.threads), 1, 64,
     "N threads for each run, with the same results (default: what cores the\n"
     "                        processes leave over)"},
    {"out", 'o', "DIR", OPTION_TEXT, AT(sweep.out), 0, 0,
     "results folder (default: results/NAME in this folder)"},
    {"to", 'x', "DIR", OPTION_TEXT, AT(to), 0, 0, "folder to write to (default: this one)"},
    {"seed", 's', "N", OPTION_SEED, AT(sets), 0, 0, "another seed"},
    {"set", 'S', "PARAM=VALUE", OPTION_LIST, AT(sets), 0, 0, "set element.attribute in every run"},
    {"add-case", 'k', "CASE", OPTION_LIST, AT(cases), 0, 0,
     "add \"NAME: PARAM=VALUE, ...\" to the <cases> or <vary> that sets such a PARAM;\n"
     "                        like=OTHER among them: with what the case OTHER sets"},
    {"quick", 'q', NULL, OPTION_FLAG, AT(quick), 0, 0,
     "the small version that the scenario's <quick> makes: NAME-quick"},
    {"host", 'c', "HOST", OPTION_TEXT, AT(plan.host), 0, 0,
     "ns3: runs inside ns-3, the default where it was built in; plain: on the C core\n"
     "                        alone; with the same results"},
    {"again", 'a', NULL, OPTION_FLAG, AT(sweep.again), 0, 0, "also repeat runs that are finished"},
    {"exceed-memory", 'M', NULL, OPTION_FLAG, AT(sweep.exceed_memory), 0, 0,
     "also run what will take more memory than there is"},
    {"progress", 'P', "SECONDS", OPTION_COUNT, AT(sweep.log_interval), 0, 86400,
     "time between lines of progress where output is no terminal (default: 60; 0: none)"},
    {"html", 'H', NULL, OPTION_FLAG, AT(html), 0, 0, "the default"},
    {"results", 'D', "DIR", OPTION_TEXT, AT(results), 0, 0,
     "folder of all results (default: results in this folder)"},
    {"no-figures", 'N', NULL, OPTION_FLAG, AT(no_figures), 0, 0, "draw nothing"},
    {"output", 'u', "FILE", OPTION_TEXT, AT(output), 0, 0,
     "write to FILE, which is replaced only by a whole page"},
    {"cost", 'C', NULL, OPTION_FLAG, AT(cost), 0, 0,
     "also estimate what each run takes: packet-hops, CPU time, memory, disk"},
    {"figure", 'f', "NAME", OPTION_TEXT, AT(figure), 0, 0, "only this figure"},
    {"sql", 'Q', NULL, OPTION_FLAG, AT(sql), 0, 0,
     "print the query that each figure is made of; draw nothing"},
    {"data", 'B', NULL, OPTION_FLAG, AT(open_data), 0, 0,
     "RESULTS is the name of results that are kept in docs/data, and so may others be"},
    {"file", 'F', "FILE", OPTION_TEXT, AT(query_file), 0, 0, "the SELECT is in FILE"},
    {"with", 'w', "NAME=RESULTS", OPTION_LIST, AT(others), 0, 0,
     "other results as well: NAME.summary and so on; up to 9 times"},
    {"beside", 'd', "RESULTS", OPTION_TEXT, AT(beside), 0, 0,
     "its runs as well, in the same tables: a folder, or a file or name of docs/data"},
    {"format", 't', "FORMAT", OPTION_TEXT, AT(format), 0, 0,
     "text (default), csv, markdown or json"},
    {"timeout", 'T', "SECONDS", OPTION_SECONDS, AT(timeout), 0.001, 1e6,
     "give up after that time (default: 60)"},
    {"rows", 'R', "N", OPTION_COUNT, AT(rows), 1, 1e9, "most rows (default: 1000000)"},
    {"qp", 'E', "N", OPTION_COUNT, AT(qp), 0, 4294967295,
     "the story of that QP: when it sent, what it lost, and what that cost"},
    {"markdown", 'm', NULL, OPTION_FLAG, AT(markdown), 0, 0, "as tables of the manual"},
};

#define NOPTIONS (sizeof option_table / sizeof *option_table)

static void
print_help(FILE *out, const struct command *command)
{
    print_shown(out, "usage: weft %s\n", command->usage);
    for (size_t i = 0; i < NOPTIONS; i++)
    {
        const struct option_entry *o = &option_table[i];
        if (o->doc && strchr(command->options, o->letter))
        {
            char left[40];
            snprintf(left, sizeof left, "%s--%s%s%s", o->letter == 'j' ? "-j, " : "", o->name,
                     o->value ? " " : "", o->value ? o->value : "");
            print_shown(out, "  %-21s %s\n", left, o->doc);
        }
    }
    fputs(command->rest, out);
}

static bool
take_number(const struct option_entry *o, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    const bool fits = end != text && !*end && *value >= o->least && *value <= o->most;
    if (!fits || (o->kind == OPTION_COUNT && *value > (double)(long)*value))
    {
        print_shown(stderr, "weft: error: --%s '%s'; expected a %s from %g to %g\n", o->name, text,
                    o->kind == OPTION_COUNT ? "whole number" : "number", o->least, o->most);
        return false;
    }
    return true;
}

static void
report_lack(const struct option_entry *o, const char *command)
{
    print_shown(stderr, "weft: error: --%s of 'weft %s' lacks its value; expected --%s %s\n",
                o->name, command, o->name, o->value);
}

/** Puts an option's value in its place; false after a message. */
static bool
take_option(struct arguments *a, const struct option_entry *o, const char *text)
{
    if (o->value && !*text)
    {
        report_lack(o, a->command->name);
        return false;
    }
    void *at = (char *)a + o->at;
    bool *flag = at;
    const char **string = at;
    long *count = at;
    double number = 0;
    bool good = true;
    switch (o->kind)
    {
    case OPTION_FLAG:
        *flag = true;
        break;
    case OPTION_TEXT:
        *string = text;
        break;
    case OPTION_LIST:
        words_add(at, xstrdup(text));
        break;
    case OPTION_SEED:
        words_add(at, xformat("seed.value=%s", text));
        break;
    case OPTION_COUNT:
        good = take_number(o, text, &number);
        *count = good ? (long)number : 0;
        break;
    case OPTION_SECONDS:
        good = take_number(o, text, at);
        break;
    }
    return good;
}

static bool
takes(const struct command *command, const struct option_entry *o)
{
    return o->letter == 'h' || strchr(command->options, o->letter);
}

/** Base of the numbers by which getopt calls options that have a name: this and the place in the
 * table. */
#define BY_NAME 256

/** Returns the option that getopt has found, a name or the letter of one that has one; NULL:
 * neither. */
static const struct option_entry *
option_of(int found)
{
    const bool named = found >= BY_NAME;
    size_t i = named ? (size_t)(found - BY_NAME) : 0;
    while (!named && i < NOPTIONS && (found != option_table[i].letter || !strchr("hj", found)))
    {
        i++;
    }
    return i < NOPTIONS ? &option_table[i] : NULL;
}

/** A command that takes an option of that name, and the option as it has it; NULL: none does. */
static const struct command *
taker_of(const struct arguments *a, const char *name, const struct option_entry **option)
{
    for (size_t c = 0; c < a->nall; c++)
    {
        for (size_t i = 0; i < NOPTIONS; i++)
        {
            *option = &option_table[i];
            if (strcmp((*option)->name, name) == 0 && takes(&a->all[c], *option))
            {
                return &a->all[c];
            }
        }
    }
    return NULL;
}

/** Reports an option of other commands, with the first of these. */
static void
report_foreign(const struct arguments *a, const struct option_entry *o)
{
    const struct option_entry *option;
    const struct command *other = taker_of(a, o->name, &option);
    if (!other)
    {
        return; /* each option in the table is some command's */
    }
    const char *operands = other->usage + strlen(other->name);
    print_shown(stderr,
                "weft: error: 'weft %s' does not take --%s; expected another option, or 'weft "
                "%s%.*s --%s%s%s'\n",
                a->command->name, o->name, other->name, (int)strcspn(operands, "[\n") - 1, operands,
                o->name, option->value ? " " : "", option->value ? option->value : "");
}

/** Writes down for getopt the command's options, and those that only others take. */
static void
list_options(const struct command *command, struct option *options)
{
    size_t n = 0;
    for (int others = 0; others < 2; others++)
    {
        for (size_t i = 0; i < NOPTIONS; i++)
        {
            const struct option_entry *o = &option_table[i];
            bool known = false;
            for (size_t k = 0; k < n; k++)
            {
                known = known || strcmp(options[k].name, o->name) == 0;
            }
            if (!known && takes(command, o) == !others)
            {
                const int value = o->value ? required_argument : no_argument;
                options[n++] = (struct option){o->name, value, NULL, BY_NAME + (int)i};
            }
        }
    }
}

/** Reports a name that getopt has not found, or found several of; @p word: with its dashes. */
static void
report_name(const char *word, const struct arguments *a, const char *command)
{
    OWNED char *name = xformat("%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < NOPTIONS; i++)
    {
        if (takes(a->command, &option_table[i]))
        {
            nearest_try(&near, option_table[i].name);
        }
    }
    print_shown(stderr, "weft: error: 'weft %s' has no option --%s%s\n", command, name,
                did_you_mean(near.best));
}

/** Reports what getopt has refused: an option that is not known, that lacks its value or has one
 * too many. */
static void
report_option(char **argv, const struct arguments *a)
{
    const struct option_entry *o = optopt ? option_of(optopt) : NULL;
    const char *last = argv[optind - 1];
    if (!optopt)
    {
        report_name(last, a, argv[0]);
    }
    else if (!o)
    {
        print_shown(stderr, "weft: error: 'weft %s' has no option -%c; expected -h%s or --NAME\n",
                    argv[0], optopt, strchr(a->command->options, 'j') ? ", -j N" : "");
    }
    else if (!takes(a->command, o))
    {
        report_foreign(a, o);
    }
    else if (o->value)
    {
        report_lack(o, argv[0]);
    }
    else
    {
        print_shown(stderr,
                    "weft: error: --%s of 'weft %s' takes no value; expected no '%s' behind it\n",
                    o->name, argv[0], last + strcspn(last, "="));
    }
}

/** Whether all options are known, the command's and well-formed; they are in @p a then. */
static bool
take_options(int argc, char **argv, struct arguments *a)
{
    struct option options[NOPTIONS + 1] = {{NULL, 0, NULL, 0}};
    int found;
    list_options(a->command, options);
    optind = 1;
    opterr = 0;
    while ((found = getopt_long(argc, argv, "hj:", options, NULL)) != -1)
    {
        const struct option_entry *o = found == '?' ? NULL : option_of(found);
        const bool taken = o && takes(a->command, o);
        if (o && !taken)
        {
            report_foreign(a, o);
        }
        if (!o)
        {
            report_option(argv, a);
        }
        if (!taken || !take_option(a, o, optarg))
        {
            print_shown(stderr, "weft: 'weft %s --help' lists its options\n", argv[0]);
            return false;
        }
    }
    a->files = argv + optind;
    a->nfiles = argc - optind;
    return true;
}

/** Chooses the host of all runs; @p name NULL: the default. Returns false after a message. */
static bool
choose_host(const char *name)
{
    const struct run_host *host = name ? run_host_find(name) : NULL;
    if (name && !host)
    {
        print_shown(stderr, "weft: error: --host '%s'; expected one of: %s\n", name,
                    run_host_names());
        return false;
    }
    run_host_choose(host);
    return true;
}

/** Returns what is wrong with how many arguments there are, or with one of them; NULL: nothing. */
static const char *
wrong_arguments(const struct arguments *a)
{
    const char *wrong = a->nfiles < a->command->least  ? "too few arguments"
                        : a->nfiles > a->command->most ? "too many arguments"
                                                       : NULL;
    for (int i = 0; i < a->nfiles && !wrong; i++)
    {
        wrong = a->files[i][0] ? NULL : "an empty argument";
    }
    return wrong;
}

/** Completes what depends on several options, or is kept elsewhere. */
static void
complete(struct arguments *a)
{
    a->plan.quick = a->quick ? QUICK_YES : QUICK_NO;
    a->plan.sets = a->sets.word;
    a->plan.nsets = a->sets.n;
    a->plan.cases = a->cases.word;
    a->plan.ncases = a->cases.n;
    a->sweep.runs = a->runs.word;
    a->sweep.nruns = a->runs.n;
}

int
command_call(const struct command *all, size_t nall, const struct command *command, int argc,
             char **argv)
{
    struct arguments a = {.command = command,
                          .all = all,
                          .nall = nall,
                          .sweep.log_interval = 60,
                          .batch = 1,
                          .qp = -1,
                          .results = "results",
                          .format = "text",
                          .rows = 1000000,
                          .timeout = 60};
    const bool good = take_options(argc, argv, &a) && choose_host(a.plan.host);
    const char *wrong = good ? wrong_arguments(&a) : NULL;
    int status = EXIT_BAD_INPUT;
    complete(&a);
    if (good && a.help)
    {
        print_help(stdout, command);
        status = EXIT_GOOD;
    }
    else if (wrong)
    {
        print_shown(stderr,
                    "weft: error: %s for 'weft %s'; expected: weft %.*s\n"
                    "weft: 'weft %s --help' tells more\n",
                    wrong, argv[0], (int)strcspn(command->usage, "\n"), command->usage, argv[0]);
    }
    else if (good)
    {
        status = command->run(&a);
    }
    words_free(&a.sets);
    words_free(&a.cases);
    words_free(&a.runs);
    words_free(&a.others);
    return status;
}
