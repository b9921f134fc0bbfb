/* SPDX-License-Identifier: GPL-2.0-only */
/* What algorithms need of the simulator that calls them, and what they read of packets: for who
 * embeds the C core. */
#include "list-calls.h"

#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "textbuf.h"

/* "psn kind", or "-". */
static char *
fields_text(uint32_t fields)
{
    struct text t = {0};
    for (uint32_t i = 0; i < WEFT_NFIELDS; i++)
    {
        if (fields & (UINT32_C(1) << i))
        {
            text_add(&t, "%s%s", t.len ? " " : "", weft_field_name(i));
        }
    }
    text_add(&t, "%s", fields ? "" : "-");
    return text_take(&t);
}

static char *
needs_text(const struct weft_lb_ops *lb)
{
    struct text t = {0};
    size_t count;
    const struct weft_need_text *needs = weft_needs(&count);
    for (size_t i = 0; i < count; i++)
    {
        if (weft_lb_needs(lb) & needs[i].need)
        {
            text_add(&t, "%s%s", t.len ? " " : "", needs[i].name);
        }
    }
    return text_take(&t);
}

static void
print_call(const char *name, const char *where, const char *needs, const struct weft_fields *fields,
           bool markdown)
{
    OWNED char *reads = fields_text(fields->reads);
    OWNED char *writes = fields_text(fields->writes);
    printf(markdown ? "| `%s` | %s | %s | %s | %s |\n" : "  %-16s %-9s %-36s %s; writes %s\n", name,
           where, needs, reads, writes);
}

static void
print_head(const char *title, bool markdown)
{
    if (markdown)
    {
        printf("\n| %s | where | needs | reads | writes |\n|---|---|---|---|---|\n", title);
    }
    else
    {
        printf("%s: where it is called, what it needs, which members of packets it reads\n", title);
    }
}

static void
print_balancer(const struct weft_lb_ops *lb, bool markdown)
{
    OWNED char *needs = needs_text(lb);
    print_call(lb->algo.name, "switch", needs, &lb->fields, markdown);
    if (lb->path)
    {
        print_call(lb->algo.name, "host", "", &lb->path->fields, markdown);
    }
    if (lb->tor)
    {
        print_call(lb->algo.name, "last ToR", "", &lb->tor->fields, markdown);
    }
}

static void
print_kind(const char *kind, bool markdown)
{
    const struct weft_registry *registry = weft_registry_find(kind);
    print_head(kind, markdown);
    for (size_t i = 0; i < registry->count; i++)
    {
        const char *name = registry->algos[i]->name;
        const struct weft_lb_ops *lb = kind[0] == 'b' ? weft_lb_find(name) : NULL;
        if (lb)
        {
            print_balancer(lb, markdown);
        }
        else
        {
            print_call(name, "host", "",
                       kind[0] == 't' ? &weft_transport_find(name)->fields
                                      : &weft_cc_find(name)->fields,
                       markdown);
        }
    }
}

void
list_calls(bool markdown)
{
    size_t count;
    const struct weft_need_text *needs = weft_needs(&count);
    printf("%s", markdown ? "\n| need | what a simulator does |\n|---|---|\n" : "needs:\n");
    for (size_t i = 0; i < count; i++)
    {
        printf(markdown ? "| `%s` | %s |\n" : "  %-10s %s\n", needs[i].name, needs[i].doc);
    }
    print_kind("balancer", markdown);
    print_kind("transport", markdown);
    print_kind("congestion-control", markdown);
}
