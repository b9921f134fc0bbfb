/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to links: <failure>, <degrade>, <random-failures> and <random-degrade>. */
#include <math.h>
#include <string.h>

#include "element-values.h"
#include "link-failures.h"
#include "messages.h"
#include "scenario-load.h"
#include "textbuf.h"

/* --- when ------------------------------------------------------------------------------------- */

/** Settles when it ends. */
static void
settle_times(const struct element *e, struct link_fault *f, struct diagnostics *d)
{
    if (element_attribute(e, "for") && element_attribute(e, "repair"))
    {
        diag_error(d, element_line(e, "for"),
                   "for of <%s>: there is repair as well; expected one of them", e->name);
    }
    else if (f->at == WEFT_NEVER)
    {
        f->repair = WEFT_NEVER;
    }
    else if (element_attribute(e, "for"))
    {
        f->repair = f->lasts < WEFT_NEVER - f->at ? f->at + f->lasts : WEFT_NEVER;
    }
    else if (f->repair <= f->at)
    {
        diag_error(d, element_line(e, "repair"),
                   "repair of <%s> is not after at; expected a later time or inf", e->name);
    }
    f->lasts = ATTRIBUTE_ABSENT;
}

/* --- links that chance chooses ---------------------------------------------------------------- */

/** A number of links, or probabilities: one of them must be there. */
static void
check_how_many(const struct element *e, const struct scenario *s, const struct link_fault *f,
               struct diagnostics *d)
{
    const bool by_chance = element_attribute(e, "probability") ||
                           element_attribute(e, "edge-aggregation") ||
                           element_attribute(e, "aggregation-core");
    const uint64_t all = s->clos.planes * (s->clos.nlinks - weft_clos_host_links(&s->clos));
    if (!by_chance && !element_attribute(e, "links"))
    {
        diag_error(d, e->line,
                   "<%s> without a probability: it would be none; expected links, probability, "
                   "edge-aggregation or aggregation-core",
                   e->name);
    }
    else if (by_chance && element_attribute(e, "links"))
    {
        diag_error(d, element_line(e, "links"),
                   "links of <%s>: there is a probability as well; expected one of them", e->name);
    }
    else if (s->clos.nhosts && (uint64_t)f->number > all)
    {
        diag_error(d, element_line(e, "links"),
                   "links of <%s>: there are %llu links between switches; expected at most as many",
                   e->name, (unsigned long long)all);
    }
    if (element_attribute(e, "aggregation-core") && s->clos.nhosts && s->clos.ncores == 0)
    {
        diag_error(d, element_line(e, "aggregation-core"),
                   "aggregation-core of <%s>: this %s has two tiers, whose links are all of "
                   "edge-aggregation; expected edge-aggregation or probability alone",
                   e->name, s->topology.algo->name);
    }
}

/** The probability of each kind of link, or a number: what is not meant is absent. */
static void
settle_number(const struct scenario *s, struct link_fault *f)
{
    const bool number = f->number > 0;
    f->edge = number ? NAN : isnan(f->edge) ? f->any : f->edge;
    f->above = number || !s->clos.ncores ? NAN : isnan(f->above) ? f->any : f->above;
    f->number = number ? f->number : ATTRIBUTE_ABSENT;
    f->any = NAN;
}

/* --- links that are named --------------------------------------------------------------------- */

static void
check_rate(const struct element *e, const struct scenario *s, const struct link_fault *f,
           struct diagnostics *d)
{
    for (size_t i = 0; i < f->nlinks; i++)
    {
        struct weft_link link;
        weft_planes_link(&s->clos, f->links[i], &link);
        if (f->rate > link.rate)
        {
            diag_error(d, element_line(e, "rate"),
                       "rate of <%s> is more than the link's %lld Mbps; expected less", e->name,
                       (long long)(link.rate / 1000000));
            return;
        }
    }
}

/** Whether two faults are there at one time; a slower link may not even touch the next time. */
static bool
meet(const struct link_fault *a, const struct link_fault *b)
{
    return a->slow == b->slow && a->at != WEFT_NEVER && b->at != WEFT_NEVER &&
           (a->slow ? a->at <= b->repair && b->at <= a->repair
                    : a->at < b->repair && b->at < a->repair);
}

static bool
has_link(const struct link_fault *f, uint64_t link)
{
    for (size_t i = 0; i < f->nlinks; i++)
    {
        if (f->links[i] == link)
        {
            return true;
        }
    }
    return false;
}

/** Reports a link to which the same happens twice at a time, unless it goes down with others, which
 * it does while any of them is down; and links that are all down already. */
static void
check_others(const struct scenario *s, const struct link_fault *f, struct diagnostics *d)
{
    size_t down = 0;
    for (size_t i = 0; i < f->nlinks; i++)
    {
        bool covered = false;
        for (const struct link_fault *other = s->faults; other < f; other++)
        {
            const bool both = meet(other, f) && has_link(other, f->links[i]);
            if (both && (f->slow || (f->nlinks == 1 && other->nlinks == 1)))
            {
                diag_error(d, f->e->line,
                           "this link is %s by the <%s> of line %d at that time; expected one at a "
                           "time",
                           f->slow ? "degraded" : "down", other->e->name, other->e->line);
                return;
            }
            covered = covered || (both && other->at <= f->at && other->repair >= f->repair);
        }
        down += covered;
    }
    if (f->nlinks > 1 && down == f->nlinks)
    {
        diag_error(d, f->e->line, "<%s>: all of its links are down at that time already",
                   f->e->name);
    }
}

/** Finds the links that an element names, itself or by each <link> within it. */
static void
load_names(const struct element *e, struct scenario *s, struct link_fault *f, struct diagnostics *d)
{
    const struct element_spec *spec = vocabulary_find("link", e->name);
    if (e->nchildren == 0)
    {
        find_links(e, s, &f->to, f, d);
    }
    for (size_t i = 0; e->nchildren > 0 && i < spec->nattributes; i++)
    {
        const char *name = spec->attributes[i].param.name;
        if (element_attribute(e, name))
        {
            diag_error(d, element_line(e, name),
                       "<%s> has %s and <link> as well; expected it in a <link>", e->name, name);
            return;
        }
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        struct link_name *one = element_next(spec, f);
        element_read(e->children[i], spec, one, d);
        find_links(e->children[i], s, one, f, d);
        f->to.parallel = ATTRIBUTE_ABSENT;
    }
}

/* --- all -------------------------------------------------------------------------------------- */

/** A fault of which nothing is said: attributes that its element does not have are absent. */
static struct link_fault *
next_fault(const struct element_spec *spec, struct scenario *s, struct diagnostics *d)
{
    struct link_fault *f = element_next(spec, s);
    element_read(NULL, vocabulary_find("failure", "scenario"), f, d);
    element_read(NULL, vocabulary_find("degrade", "scenario"), f, d);
    element_read(NULL, vocabulary_find("random-degrade", "scenario"), f, d);
    f->of = spec;
    return f;
}

static void
load_fault(const struct element *e, struct scenario *s, struct link_fault *f, struct diagnostics *d)
{
    const struct attribute *name = element_attribute(e, "name");
    const bool random = grammar_attribute(e->spec, "links");
    f->e = e;
    f->slow = grammar_attribute(e->spec, "share") || grammar_attribute(e->spec, "rate");
    element_read(e, e->spec, f, d);
    if (name && name->overridden)
    {
        report_no_element(d, name->line, s->root, e->name, name->value);
        return;
    }
    settle_times(e, f, d);
    if (random)
    {
        check_how_many(e, s, f, d);
    }
    else if (s->clos.nhosts > 0)
    {
        load_names(e, s, f, d);
        check_rate(e, s, f, d);
        check_others(s, f, d);
    }
}

void
load_faults(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    static const char *const kinds[] = {"degrade", "random-degrade", "failure", "random-failures"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    {
        const struct element_spec *spec = vocabulary_find(kinds[k], "scenario");
        const bool random = grammar_attribute(spec, "links");
        const struct element *e = NULL;
        size_t n = 0;
        for (; (e = element_child_after(root, kinds[k], e)) != NULL || (n == 0 && random); n++)
        {
            struct link_fault *f = next_fault(spec, s, d);
            f->ordinal = n;
            if (e)
            {
                load_fault(e, s, f, d);
            }
            settle_number(s, f);
            if (!e)
            {
                break;
            }
        }
    }
}
