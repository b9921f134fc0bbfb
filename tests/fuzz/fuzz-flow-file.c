/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of flows that nobody would write, in all formats: reading one must end in flows or in
 * messages that name a line. What is taken for flows must be what the workload accepts, and the
 * same once more when it is written as CSV. Else a slip in a file takes the command down, or flows
 * run that the file does not have.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flow-file.h"
#include "fuzz.h"
#include "must.h"
#include "textbuf.h"

/** Reads bytes that end in a NUL into @p f, which the caller clears. */
static bool
read_flows(const char *bytes, size_t size, struct flow_file *f, struct diagnostics *d)
{
    struct input_source from = {.path = "fuzz.txt", .scenario_line = 1, .d = d};
    struct table_lines t;
    table_lines_begin(&t, &from, bytes, size);
    const bool good = flow_file_parse(&t, false, f);
    table_lines_end(&t);
    return good;
}

/** The workload takes them, on as many hosts as they name. */
static void
check_workload(const struct weft_table *t)
{
    const struct weft_workload_ops *ops = weft_workload_find("flows");
    struct weft_hosts hosts = {.n = 1, .per_tor = 1};
    struct weft_traffic_size size;
    void *config = xcalloc(1, ops->algo.config_size);
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        hosts.n = t->flows[i].src >= hosts.n ? t->flows[i].src + 1 : hosts.n;
        hosts.n = t->flows[i].dst >= hosts.n ? t->flows[i].dst + 1 : hosts.n;
    }
    hosts.per_pod = hosts.n;
    MUST(weft_config_default(&ops->algo, config) == 0);
    ops->use(config, t);
    MUST(ops->size(config, &hosts, &size) == 0 && size.nmessages == t->nflows);
    struct weft_message *messages = xcalloc(size.nmessages, sizeof *messages);
    uint32_t *next = xcalloc((size_t)size.nnext + 1, sizeof *next);
    MUST(ops->fill(config, &hosts, 1, 0, messages, next) == 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(messages[i].bytes == t->flows[i].bytes && messages[i].src == t->flows[i].src);
        MUST(messages[i].first_next + messages[i].nnext <= size.nnext);
    }
    free(messages);
    free(next);
    free(config);
}

static void
check_written(const struct weft_table *t)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct flow_file again = {0};
    struct text text = {0};
    text_add(&text, "src,dst,bytes,start\r\n");
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        const struct weft_table_flow *f = &t->flows[i];
        text_add(&text, "%u,%u,%" PRIu64 ",%" PRId64 "ps\r\n", f->src, f->dst, f->bytes, f->start);
    }
    MUST(read_flows(text.s, text.len, &again, &d));
    MUST(again.table.nflows == t->nflows);
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        const struct weft_table_flow *x = &t->flows[i], *y = &again.table.flows[i];
        MUST(x->src == y->src && x->dst == y->dst && x->bytes == y->bytes && x->start == y->start);
    }
    flow_file_free(&again);
    free(text.s);
    diag_free(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct flow_file f = {0};
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    const bool good = read_flows(bytes, size, &f, &d);
    MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "fuzz.txt:", 9) == 0));
    if (good)
    {
        check_workload(&f.table);
        check_written(&f.table);
    }
    flow_file_free(&f);
    free(bytes);
    diag_free(&d);
    return 0;
}
