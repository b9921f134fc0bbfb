/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of sizes that nobody would write: reading one must end in a distribution or in
 * messages that name a line; what is drawn from it must lie within it. Else flows run that are
 * larger than the file allows, or the draw runs off its end.
 */
#include <stdlib.h>
#include <string.h>

#include "flow-file.h"
#include "fuzz.h"
#include "must.h"
#include "textbuf.h"

#define HOSTS 8
#define FLOWS 200

static void
check_draws(const struct weft_table *t)
{
    const struct weft_workload_ops *ops = weft_workload_find("poisson");
    const struct weft_hosts hosts = {
        .n = HOSTS, .per_tor = 4, .per_pod = HOSTS, .rate = INT64_C(100000000000)};
    const uint64_t least = t->sizes[0].bytes, most = t->sizes[t->nsizes - 1].bytes;
    struct weft_traffic_size size;
    struct weft_message messages[FLOWS];
    void *config = xcalloc(1, ops->algo.config_size);
    MUST(weft_config_default(&ops->algo, config) == 0);
    MUST(weft_config_set(&ops->algo, config, "load", "0.5") == 0);
    MUST(weft_config_set(&ops->algo, config, "flows", "200") == 0);
    ops->use(config, t);
    /* Refused: flows so large that they start for more than 1000 s. */
    if (ops->size(config, &hosts, &size) == 0)
    {
        MUST(size.nmessages == FLOWS && ops->fill(config, &hosts, 1, 0, messages, NULL) == 0);
        for (uint32_t i = 0; i < FLOWS; i++)
        {
            MUST(messages[i].bytes >= 1 && messages[i].bytes <= most);
            MUST(messages[i].bytes >= least && messages[i].src != messages[i].dst);
            MUST(i == 0 || messages[i].start >= messages[i - 1].start);
        }
    }
    free(config);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "fuzz.txt", .scenario_line = 1, .d = &d};
    struct flow_file f = {0};
    struct table_lines t;
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    table_lines_begin(&t, &from, bytes, size);
    const bool good = size_file_parse(&t, &f);
    table_lines_end(&t);
    MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "fuzz.txt:", 9) == 0));
    if (good)
    {
        check_draws(&f.table);
    }
    flow_file_free(&f);
    free(bytes);
    diag_free(&d);
    return 0;
}
