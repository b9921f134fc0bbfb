/* SPDX-License-Identifier: GPL-2.0-only */
#include "loaded.h"

#include <stdio.h>
#include <stdlib.h>

#include "figures.h"

void
loaded_free(struct loaded *l)
{
    plan_free(l->plan);
    document_free(l->doc);
}

bool
loaded_read(const char *path, const struct plan_options *options, struct loaded *l)
{
    struct diagnostics d = {.file = path};
    *l = (struct loaded){document_read(path, &d), NULL};
    if (l->doc)
    {
        document_check(l->doc, &d);
    }
    if (l->doc && l->doc->root->spec)
    {
        l->plan = plan_build(l->doc, options, &d);
    }
    if (l->plan)
    {
        plan_check(l->plan, &d);
        figures_check(l->plan, &d);
    }
    if (l->doc && d.n == 0)
    {
        document_check_schema(l->doc, &d);
    }
    bool good = d.n == 0;
    diag_print(&d, stderr);
    diag_free(&d);
    if (!good)
    {
        loaded_free(l);
    }
    return good;
}

int
loaded_sweep(const struct loaded *l, const struct sweep_options *options, bool figures)
{
    int status = sweep_run(l->plan, options);
    if (status != EXIT_GOOD || !figures || options->run || figures_count(l->plan) == 0)
    {
        return status;
    }
    char *out = results_folder(l->plan, options->out);
    if (!figures_draw(l->plan, out, NULL))
    {
        fprintf(stderr,
                "weft: warning: the results are complete in %s, but not every figure was drawn; "
                "'weft plot %s' tries again\n",
                out, l->doc->path);
        status = EXIT_NO_FIGURE;
    }
    free(out);
    return status;
}
