/* SPDX-License-Identifier: GPL-2.0-only */
/* Templates of figures: Weft's own and the user's. */
#include "figure-script.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "input-file.h"

#define MOST_BYTES ((size_t)1 << 20)

/** A file of the folder plots/ of the checkout or of the installation. */
static char *
read_plot(const char *name, char **why)
{
    static const char *const folders[] = {"../plots", "../share/weft/plots", "plots"};
    char exe[PATH_MAX];
    const char *chosen = getenv("WEFT_PLOTS");
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash)
    {
        *slash = '\0';
    }
    for (size_t i = 0; i < (chosen ? 1 : sizeof folders / sizeof *folders); i++)
    {
        OWNED char *path = chosen ? xformat("%s/%s.gp", chosen, name)
                                  : xformat("%s/%s/%s.gp", exe, folders[i], name);
        char *unread = NULL, *text = file_read_path(path, MOST_BYTES, NULL, &unread);
        free(unread);
        if (text)
        {
            return text;
        }
    }
    *why = xformat("the template plots/%s.gp is not there (WEFT_PLOTS can name its folder)", name);
    return NULL;
}

/** The user's own template, which a results folder keeps in inputs/. */
static char *
read_own(const struct plan *plan, const struct figure *figure, char **why)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    const char *name = figure->own_template;
    const struct input_file *f =
        input_file_load_text(plan->doc->path, name, element_line(figure->e, "template"), &d);
    char *text = f ? xformat("%.*s", (int)f->n, f->bytes) : NULL;
    if (!f)
    {
        *why = xformat("cannot read the template '%s'", name);
    }
    return text;
}

char *
figure_template(const struct plan *plan, const struct figure *figure, char **why)
{
    OWNED char *frame = read_plot("frame", why), *draw = frame ? read_plot("draw", why) : NULL;
    OWNED char *own = !draw                  ? NULL
                      : figure->own_template ? read_own(plan, figure, why)
                                             : read_plot(figure->template, why);
    return own ? xformat("%s\n%s\n%s", frame, own, draw) : NULL;
}

void
figure_template_check(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    const char *name = figure->own_template;
    if (name)
    {
        input_file_load_text(plan->doc->path, name, element_line(figure->e, "template"), d);
    }
    else if (element_attribute(figure->e, "like"))
    {
        diag_error(d, element_line(figure->e, "like"),
                   "like of <figure %s> with a template of Weft's; expected a file ending "
                   "in " TEMPLATE_END,
                   figure->name);
    }
}
