/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A switch's memory against the rules of <weft/mmu.h> written down plainly, in integers and with a
 * list of all frames. Else frames are dropped that have room, PFC pauses for ever, or a run ends
 * with memory in use that nobody holds.
 *
 * The switch is used as a fabric does: releases are put off while weft_mmu_admits_easily(), and
 * what cannot be admitted whole is trimmed, itself or the newest of its queue.
 */
#include <stdlib.h>
#include <string.h>

#include <weft/mmu.h>

#include "fuzz.h"
#include "must.h"

#define PORTS  4
#define FRAMES 512
#define ALPHA  16 /* alpha is a whole number of sixteenths */

struct frame
{
    uint32_t in, out, tclass, bytes;
};

struct model
{
    struct weft_mmu_config config;
    uint32_t ports;
    int64_t sixteenths; /* of alpha */
    struct frame frame[FRAMES];
    uint32_t frames;
    int64_t headroom[PORTS][WEFT_MAX_CLASSES]; /* in use */
    bool paused[PORTS][WEFT_MAX_CLASSES];
    int64_t peak;
    uint64_t drops, pauses, trims, header_drops;
};

static int64_t
held(const struct model *m, int64_t in, int64_t out, int64_t tclass)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < m->frames; i++)
    {
        const struct frame *f = &m->frame[i];
        const bool counts = (in < 0 || f->in == in) && (out < 0 || f->out == out) &&
                            (tclass < 0 || f->tclass == tclass);
        bytes += counts ? f->bytes : 0;
    }
    return bytes;
}

static int64_t
in_headroom(const struct model *m)
{
    int64_t bytes = 0;
    for (uint32_t p = 0; p < m->ports; p++)
    {
        for (uint32_t c = 0; c < WEFT_MAX_CLASSES; c++)
        {
            bytes += m->headroom[p][c];
        }
    }
    return bytes;
}

static int64_t
pool(const struct model *m)
{
    const struct weft_mmu_config *c = &m->config;
    return c->port_buffer ? c->port_buffer * m->ports
                          : c->buffer - (c->pfc ? m->ports * (c->classes - 1) * c->headroom : 0);
}

static int64_t
shared_used(const struct model *m)
{
    return held(m, -1, -1, -1) - in_headroom(m);
}

/** More than alpha times what is free of the pool. */
static bool
exceeds(const struct model *m, int64_t bytes)
{
    return bytes * ALPHA > m->sixteenths * (pool(m) - shared_used(m));
}

static bool
lossless(const struct model *m, uint32_t tclass)
{
    return m->config.pfc && tclass > 0;
}

static unsigned
pause(struct model *m, const struct frame *f)
{
    bool *paused = &m->paused[f->in][f->tclass];
    if (*paused || held(m, f->in, -1, f->tclass) == 0)
    {
        return 0;
    }
    *paused = true;
    m->pauses++;
    return WEFT_MMU_PAUSE;
}

static unsigned
drop(struct model *m)
{
    m->drops++;
    return WEFT_MMU_DROP;
}

static unsigned
take_lossless(struct model *m, const struct frame *f)
{
    int64_t *headroom = &m->headroom[f->in][f->tclass];
    const bool shared = !m->paused[f->in][f->tclass] && shared_used(m) + f->bytes <= pool(m);
    if (!shared && *headroom + f->bytes > m->config.headroom)
    {
        return drop(m) | pause(m, f);
    }
    m->frame[m->frames++] = *f;
    *headroom += shared ? 0 : f->bytes;
    const int64_t bytes = held(m, f->in, -1, f->tclass) - *headroom;
    return WEFT_MMU_ADMIT | (!shared || exceeds(m, bytes) ? pause(m, f) : 0);
}

/** The queue that limits look at, with the frame. */
static int64_t
longer_queue(const struct model *m, const struct frame *f)
{
    const bool by_class = m->config.classes > 2 || m->config.trim;
    return held(m, -1, f->out, by_class ? (int64_t)f->tclass : -1) + f->bytes;
}

static bool
fits(const struct model *m, const struct frame *f)
{
    const struct weft_mmu_config *c = &m->config;
    const int64_t headers = c->header_queue ? c->header_queue : 2 * c->trim_at;
    const bool full = c->port_buffer ? held(m, -1, f->out, -1) + f->bytes > c->port_buffer
                                     : f->tclass > 0 && exceeds(m, longer_queue(m, f));
    const bool too_many = c->trim && f->tclass == 0 && longer_queue(m, f) > headers;
    return !full && !too_many && shared_used(m) + f->bytes <= pool(m);
}

static unsigned
take_lossy(struct model *m, const struct frame *f)
{
    if (!fits(m, f))
    {
        return drop(m);
    }
    m->frame[m->frames++] = *f;
    return WEFT_MMU_ADMIT;
}

static unsigned
model_admit(struct model *m, const struct frame *f, bool trimmable)
{
    const struct weft_mmu_config *c = &m->config;
    if (trimmable && c->trim && f->tclass > 0 && f->bytes > c->trim_bytes &&
        (longer_queue(m, f) > c->trim_at || !fits(m, f)))
    {
        return WEFT_MMU_TRIM;
    }
    const unsigned verdict = lossless(m, f->tclass) ? take_lossless(m, f) : take_lossy(m, f);
    const int64_t used = held(m, -1, -1, -1);
    m->peak = used > m->peak ? used : m->peak;
    return verdict;
}

/** Takes frame number @p i out. Returns whether its ingress is resumed. */
static bool
model_release(struct model *m, uint32_t i)
{
    const struct frame f = m->frame[i];
    memmove(&m->frame[i], &m->frame[i + 1], (m->frames - i - 1) * sizeof f);
    m->frames--;
    if (!lossless(m, f.tclass))
    {
        return false;
    }
    int64_t *headroom = &m->headroom[f.in][f.tclass];
    bool *paused = &m->paused[f.in][f.tclass];
    *headroom -= *headroom < f.bytes ? *headroom : f.bytes;
    const int64_t left = held(m, f.in, -1, f.tclass);
    const bool resumes =
        *paused && *headroom == 0 && (left == 0 || !exceeds(m, left + m->config.xon_gap));
    *paused = *paused && !resumes;
    return resumes;
}

static void
compare(const struct model *m, const struct weft_mmu *mmu)
{
    MUST(mmu->shared == pool(m) && mmu->shared_used == shared_used(m));
    MUST(mmu->headroom_used == in_headroom(m) && mmu->peak_used == m->peak);
    MUST(mmu->drops == m->drops && mmu->pauses == m->pauses);
    MUST(mmu->trims == m->trims && mmu->header_drops == m->header_drops);
    for (uint32_t p = 0; p < m->ports; p++)
    {
        MUST(weft_mmu_queues(mmu)[p] == held(m, -1, p, -1));
        for (uint32_t c = 0; c < m->config.classes; c++)
        {
            const uint32_t index = weft_mmu_index(mmu, p, c);
            const struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[index];
            MUST((int64_t)i->bytes + i->headroom == held(m, p, -1, c));
            MUST(i->headroom == m->headroom[p][c]);
            MUST(weft_mmu_is_paused(mmu, p, c) == m->paused[p][c]);
            MUST(!weft_mmu_counts_by_class(&m->config) ||
                 weft_mmu_class_queues(mmu)[index] == held(m, -1, p, c));
        }
    }
}

/** Frames that have left, and whose release is put off. */
struct put_off
{
    struct frame frame[FRAMES];
    uint32_t frames;
};

static void
release_all(struct weft_mmu *mmu, struct put_off *late)
{
    for (uint32_t i = 0; i < late->frames; i++)
    {
        const struct frame *f = &late->frame[i];
        MUST(!weft_mmu_release(mmu, f->in, f->out, f->tclass, f->bytes));
    }
    late->frames = 0;
}

static bool
any_paused(const struct model *m)
{
    bool any = false;
    for (uint32_t p = 0; p < m->ports; p++)
    {
        for (uint32_t c = 0; c < WEFT_MAX_CLASSES; c++)
        {
            any = any || m->paused[p][c];
        }
    }
    return any;
}

/** The newest frame of a queue in the model, or m->frames. */
static uint32_t
newest_of(const struct model *m, uint32_t out, uint32_t tclass)
{
    uint32_t i = m->frames;
    for (uint32_t k = 0; k < m->frames; k++)
    {
        i = m->frame[k].out == out && m->frame[k].tclass == tclass ? k : i;
    }
    return i;
}

/** A frame that is refused whole loses its payload, or the newest of its queue does. */
static void
trim(struct model *m, struct weft_mmu *mmu, const struct frame *f, bool coin)
{
    struct frame cut = *f;
    const uint32_t i = newest_of(m, f->out, f->tclass);
    if (coin && i < m->frames)
    {
        const struct frame newest = m->frame[i];
        m->frame[i].bytes = 0;
        const bool may = fits(m, f);
        m->frame[i] = may ? *f : newest;
        MUST(weft_mmu_replace(mmu, f->in, f->out, f->tclass, f->bytes, newest.in, newest.bytes) ==
             may);
        cut = may ? newest : *f;
        m->peak = held(m, -1, -1, -1) > m->peak ? held(m, -1, -1, -1) : m->peak;
    }
    const struct frame header = {cut.in, cut.out, 0, (uint32_t)m->config.trim_bytes};
    const unsigned verdict = model_admit(m, &header, false);
    m->trims++;
    m->header_drops += verdict == WEFT_MMU_DROP;
    MUST(weft_mmu_admit_header(mmu, cut.in, cut.out) == verdict);
}

static void
admit(struct model *m, struct weft_mmu *mmu, struct put_off *late, struct fuzz_input *in)
{
    const uint32_t classes = (uint32_t)m->config.classes;
    const struct frame f = {fuzz_below(in, m->ports), fuzz_below(in, m->ports),
                            fuzz_below(in, classes), 1 + 37 * fuzz_byte(in)};
    const bool trimmable = fuzz_below(in, 8) > 0;
    if (m->frames == FRAMES)
    {
        return;
    }
    if (weft_mmu_admits_easily(mmu, f.in, f.out, f.tclass, f.bytes))
    {
        weft_mmu_take(mmu, f.in, f.out, f.tclass, f.bytes);
        MUST(model_admit(m, &f, true) == WEFT_MMU_ADMIT);
        return;
    }
    release_all(mmu, late);
    const unsigned verdict = model_admit(m, &f, trimmable);
    MUST((trimmable ? weft_mmu_admit : weft_mmu_admit_whole)(mmu, f.in, f.out, f.tclass, f.bytes) ==
         verdict);
    if (verdict == WEFT_MMU_TRIM)
    {
        trim(m, mmu, &f, fuzz_below(in, 2) > 0);
    }
    compare(m, mmu);
}

static void
release(struct model *m, struct weft_mmu *mmu, struct put_off *late, struct fuzz_input *in)
{
    if (m->frames == 0)
    {
        return;
    }
    const uint32_t i = fuzz_below(in, m->frames);
    const struct frame f = m->frame[i];
    const bool paused = any_paused(m);
    const bool resumes = model_release(m, i);
    if (!paused && late->frames < FRAMES)
    {
        late->frame[late->frames++] = f;
        return;
    }
    release_all(mmu, late);
    MUST(weft_mmu_release(mmu, f.in, f.out, f.tclass, f.bytes) == resumes);
    compare(m, mmu);
}

static void
check_marking(struct weft_mmu *mmu, struct fuzz_input *in)
{
    const struct weft_mmu_config *c = &mmu->config;
    const uint32_t queue = (uint32_t)fuzz_number(in, 2);
    const uint64_t before = mmu->marks;
    struct weft_rng rng, same;
    weft_rng_seed(&rng, 1, queue, 0);
    same = rng;
    const double u = weft_rng_unit(&same);
    const double between = (double)(c->kmax - c->kmin);
    const bool chance = u * between < c->pmax * (double)((int64_t)queue - c->kmin);
    const bool marked = weft_mmu_mark(mmu, queue, &rng);
    MUST(marked == (c->ecn && queue > c->kmin && (queue > c->kmax || chance)));
    MUST(mmu->marks == before + marked);
}

static void
configure(struct model *m, struct fuzz_input *in)
{
    struct weft_mmu_config *c = &m->config;
    const uint32_t kind = fuzz_below(in, 6);
    MUST(weft_config_default(&weft_mmu_algo, c) == 0);
    m->ports = fuzz_between(in, 1, PORTS);
    m->sixteenths = 1 + fuzz_below(in, 64);
    c->alpha = (double)m->sixteenths / ALPHA;
    c->pfc = kind == 0;
    c->trim = kind > 2;
    c->classes = 2 << fuzz_below(in, 3);
    c->trim_bytes = 1 + fuzz_byte(in);
    c->trim_at = 1 + (int64_t)fuzz_number(in, 2);
    c->header_queue = fuzz_below(in, 2) ? (int64_t)fuzz_number(in, 2) : 0;
    c->port_buffer = kind == 1 || kind == 4 ? 1 + (int64_t)fuzz_number(in, 2) : 0;
    c->headroom = (int64_t)fuzz_number(in, 2) % (c->classes > 2 ? 4000 : 30000);
    c->buffer = 1 + (int64_t)fuzz_number(in, 3) % 200000;
    c->xon_gap = (int64_t)fuzz_number(in, 2) % 20000;
    c->ecn = fuzz_below(in, 4) > 0;
    c->kmin = (int64_t)fuzz_number(in, 2);
    c->kmax = c->kmin + (int64_t)fuzz_number(in, 2);
    c->pmax = fuzz_below(in, 11) / 10.0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    static struct model m;
    static struct put_off late;
    memset(&m, 0, sizeof m);
    late.frames = 0;
    configure(&m, &in);
    void *memory = malloc((size_t)weft_mmu_size(&m.config, m.ports));
    const int code = weft_mmu_init((struct weft_mmu *)memory, &m.config, m.ports);
    struct weft_mmu *mmu = code == 0 ? (struct weft_mmu *)memory : NULL;
    MUST((mmu == NULL) == (pool(&m) <= 0));
    while (mmu && in.left > 0)
    {
        const uint32_t what = fuzz_below(&in, 8);
        if (what < 4)
        {
            admit(&m, mmu, &late, &in);
        }
        else if (what < 7)
        {
            release(&m, mmu, &late, &in);
        }
        else
        {
            check_marking(mmu, &in);
        }
    }
    while (mmu && m.frames > 0)
    {
        release(&m, mmu, &late, &in);
    }
    if (mmu)
    {
        release_all(mmu, &late);
        compare(&m, mmu);
        MUST(mmu->shared_used == 0 && mmu->headroom_used == 0 && !any_paused(&m));
    }
    free(memory);
    return 0;
}
