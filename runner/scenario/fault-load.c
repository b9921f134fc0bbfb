/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults of links: <failure>, <degrade>, <random-failures> and <random-degrade>. */
#include <math.h>
#include <string.h>

#include <weft/rng.h>

#include "element-values.h"
#include "input-file.h"
#include "link-failures.h"
#include "messages.h"
#include "scenario-load.h"
#include "textbuf.h"

/* "chance" in ASCII. */
#define CHANCE_SALT UINT64_C(0x6368616e6365)

/* --- when ------------------------------------------------------------------------------------- */

/** Attributes of which one needs the other, or has no place beside it. */
static const struct
{
    const char *attribute, *other;
    bool excludes;
} pairs[] = {
    {"for", "repair", true},         {"duty", "period", false},
    {"mean-up", "mean-down", false}, {"mean-down", "mean-up", false},
    {"mean-up", "period", true},     {"share", "rate", true},
    {"loss", "to-bad", true},        {"to-bad", "to-good", false},
    {"to-good", "to-bad", false},    {"loss-bad", "to-bad", false},
    {"loss-good", "to-bad", false},
};

static void
check_pairs(const struct element *e, struct diagnostics *d)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
        const char *one = pairs[i].attribute, *other = pairs[i].other;
        if (element_attribute(e, one) && !element_attribute(e, other) && !pairs[i].excludes)
        {
            diag_error(d, element_line(e, one), "%s of <%s>: there is no %s; expected it as well",
                       one, e->name, other);
        }
        if (element_attribute(e, one) && element_attribute(e, other) && pairs[i].excludes)
        {
            diag_error(d, element_line(e, one),
                       "%s of <%s>: there is %s as well; expected one of them", one, e->name,
                       other);
        }
    }
    if (element_attribute(e, "count") && !element_attribute(e, "period") &&
        !element_attribute(e, "mean-up"))
    {
        diag_error(d, element_line(e, "count"),
                   "count of <%s>: it does not flap; expected period, or mean-up and mean-down",
                   e->name);
    }
}

/** Settles when it is there. */
static void
settle_times(const struct element *e, struct link_fault *f, struct diagnostics *d)
{
    if (f->at == WEFT_NEVER)
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
    f->duty = f->period > 0 && isnan(f->duty) ? 0.5 : f->duty;
}

/* --- what ------------------------------------------------------------------------------------- */

#define EFFECT_BIT(effect) (1U << WEFT_FAULT_##effect)

/** Names of effects in messages, and the attributes of which one is needed. */
static const struct
{
    const char *are, *needs, * or ;
} effects[WEFT_FAULT_EFFECTS] = {
    [WEFT_FAULT_DOWN] = {"down", NULL, NULL},
    [WEFT_FAULT_SLOW] = {"degraded", "share", "rate"},
    [WEFT_FAULT_LOSSY] = {"lossy", "loss", "to-bad"},
    [WEFT_FAULT_CORRUPTING] = {"corrupting", "loss", "to-bad"},
    [WEFT_FAULT_DELAYED] = {"delayed", "extra-delay", "extra-delay"},
};

/** An effect lacks what says how much; what is of other effects changes nothing. */
static void
check_effect(const struct element *e, const struct link_fault *f, struct diagnostics *d)
{
    static const char *const names[] = {"share",   "rate",     "loss",      "to-bad",
                                        "to-good", "loss-bad", "loss-good", "extra-delay"};
    static const unsigned of[] = {0, 0, 1, 1, 1, 1, 1, 2};
    static const unsigned takes[] = {EFFECT_BIT(SLOW), EFFECT_BIT(LOSSY) | EFFECT_BIT(CORRUPTING),
                                     EFFECT_BIT(DELAYED)};
    const char *needs = effects[f->effect].needs, * or = effects[f->effect].or ;
    if (needs && !element_attribute(e, needs) && !element_attribute(e, or))
    {
        const bool two = strcmp(needs, or) != 0 && grammar_attribute(e->spec, or);
        diag_error(d, element_line(e, "effect"), "<%s> of %s links lacks %s; expected %s%s%s",
                   e->name, effects[f->effect].are, needs, needs, two ? " or " : "", two ? or : "");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        if (element_attribute(e, names[i]) && !(takes[of[i]] >> f->effect & 1U))
        {
            diag_idle(d, element_line(e, names[i]), "%s of <%s> has no effect: its links are %s",
                      names[i], e->name, effects[f->effect].are);
        }
    }
}

/** In bursts all frames are lost in the bad state and none in the good one, if nothing else is
 * said. */
static void
settle_bursts(struct link_fault *f)
{
    if (f->bursts.to_bad >= 0)
    {
        f->bursts.bad = isnan(f->bursts.bad) ? 1 : f->bursts.bad;
        f->bursts.good = isnan(f->bursts.good) ? 0 : f->bursts.good;
    }
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
            const bool both = faults_meet(other, f) && has_link(other, f->links[i]);
            const bool single = f->nlinks == 1 && other->nlinks == 1;
            if (both && (single || f->effect != WEFT_FAULT_DOWN))
            {
                diag_error(d, f->e->line,
                           "this link is %s by the <%s> of line %d at that time; expected one at a "
                           "time",
                           effects[other->effect].are, other->e->name, other->e->line);
                return;
            }
            covered = covered ||
                      (both && other->at <= f->at && other->repair >= f->repair &&
                       (other->direction == WEFT_BOTH_WAYS || other->direction == f->direction) &&
                       !fault_flaps(other) && isnan(other->chance));
        }
        down += covered;
    }
    if (f->nlinks > 0 && down == f->nlinks)
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

/** Draws whether a fault happens in this run. Its stream is not that of the times at which it
 * flaps. */
static bool
is_spared(const struct scenario *s, const struct link_fault *f)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, s->seed, s->run, weft_mix64(f->stream ^ CHANCE_SALT));
    return weft_rng_unit(&rng) >= f->chance;
}

/* --- all -------------------------------------------------------------------------------------- */

/** A fault of which nothing is said: attributes that its element does not have are absent. */
static struct link_fault *
next_fault(const struct element_spec *spec, struct scenario *s, struct diagnostics *d)
{
    struct link_fault *f = element_next(spec, s);
    element_read(NULL, vocabulary_find("failure", "scenario"), f, d);
    element_read(NULL, vocabulary_find("random-failures", "scenario"), f, d);
    f->of = spec;
    return f;
}

static void
load_fault(const struct element *e, struct scenario *s, struct link_fault *f, struct diagnostics *d)
{
    const struct attribute *name = element_attribute(e, "name");
    const bool random = grammar_attribute(e->spec, "links");
    f->e = e;
    f->effect = grammar_attribute(e->spec, "effect") ? WEFT_FAULT_DOWN : WEFT_FAULT_SLOW;
    element_read(e, e->spec, f, d);
    if (name && name->overridden)
    {
        report_no_element(d, name->line, s->root, e->name, name->value);
        return;
    }
    check_pairs(e, d);
    check_effect(e, f, d);
    settle_times(e, f, d);
    settle_bursts(f);
    f->spared = is_spared(s, f);
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

/** Makes links of a graph lossy whose file gives them an error rate. */
static void
load_losses(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    const double *losses =
        s->topology_file ? s->topology_file->losses[s->clos.graph == NULL] : NULL;
    const size_t first = s->nfaults;
    for (uint64_t i = 0; losses && s->clos.nhosts > 0 && i < weft_planes_links(&s->clos); i++)
    {
        size_t k = first;
        while (k < s->nfaults && s->faults[k].loss != losses[i])
        {
            k++;
        }
        if (losses[i] > 0 && k == s->nfaults)
        {
            struct link_fault *f = next_fault(vocabulary_find("failure", "scenario"), s, d);
            f->e = element_child(root, "topology");
            f->of_file = true;
            f->effect = WEFT_FAULT_LOSSY;
            f->loss = losses[i];
        }
        if (losses[i] > 0)
        {
            ARRAY_GROW(s->faults[k].links, s->faults[k].nlinks);
            s->faults[k].links[s->faults[k].nlinks++] = i;
        }
    }
}

void
load_faults(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    static const char *const kinds[] = {"degrade", "random-degrade", "failure", "random-failures"};
    load_losses(root, s, d);
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
            f->stream = ((uint64_t)k << 32) + n;
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
