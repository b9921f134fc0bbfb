/* SPDX-License-Identifier: MIT */
/*
 * The shared buffer of a switch: dynamic thresholds, PFC with headroom, ECN parameters, trimming.
 *
 * Control (class 0) is never paused and never meets a threshold: it is dropped only when the
 * shared pool is full. Otherwise a congested data queue would cost ACKs and CNPs.
 */
#include "checked/check.h"

#include <string.h>

#include <weft/clos.h>
#include <weft/error.h>
#include <weft/mmu.h>

#include "base/text-out.h"

/* A packet carries its ports in 16 bits. */
#define CONTROL 0U

/* Queues are counted in 32 bits. */
#define MOST UINT32_MAX

#define RULE_PORTS    "ports are below nports of the buffer"
#define RULE_RELEASED "no more is released than was admitted, from the same port and class"

/* Asserts what callers owe about a frame: its ports and its class are there. */
#define CHECK_FRAME(mmu, in, out, tclass, call)                                                    \
    WEFT_ASSERT((in) < (mmu)->nports && (out) < (mmu)->nports, (call), RULE_PORTS);                \
    WEFT_ASSERT((tclass) < (mmu)->config.classes, (call),                                          \
                "a traffic class is below the buffer's classes");                                  \
    WEFT_CHECK((mmu)->shared_used >= 0, (call), RULE_RELEASED)

#define FIELD(member) WEFT_P(struct weft_mmu_config, member)

static const struct weft_param params[] = {
    {"buffer", WEFT_BYTES, FIELD(buffer), "64MB", "1KB", "4GB", NULL,
     "Packet memory of the switch, headroom included.", "themis §5"},
    {"alpha", WEFT_REAL, FIELD(alpha), "0.125", "0.0001", "1024", NULL,
     "Dynamic-threshold factor: an ingress (with PFC) or an egress queue (without) may hold alpha "
     "times the free shared memory.",
     "HPCC's ns-3 model"},
    {"pfc", WEFT_BOOL, FIELD(pfc), "on", NULL, NULL, NULL,
     "Priority flow control: pause the upstream instead of dropping.", "IEEE 802.1Qbb"},
    {"headroom", WEFT_BYTES, FIELD(headroom), "110KB", "0B", "1GB", NULL,
     "Memory per port and data class for what is under way when a pause is sent: 2 x delay x rate "
     "+ 2 frames "
     "(400 Gb/s, 1 us, 4 KB frames).",
     "(ours)"},
    {"xon-gap", WEFT_BYTES, FIELD(xon_gap), "3KiB", "0B", "1GB", NULL,
     "A paused ingress resumes this far below its threshold.", "HPCC's ns-3 model"},
    {"ecn", WEFT_BOOL, FIELD(ecn), "on", NULL, NULL, NULL, "Mark packets by RED.", "DCQCN §5"},
    {"ecn-at", WEFT_CHOICE, FIELD(ecn_at), "enqueue", NULL, NULL, "enqueue dequeue",
     "Where a packet looks at the egress queue to be marked.", "(ours)"},
    {"kmin", WEFT_BYTES, FIELD(kmin), "400KB", "0B", "4GB", NULL,
     "Egress queue up to which nothing is marked.", "HPCC §5.1"},
    {"kmax", WEFT_BYTES, FIELD(kmax), "1600KB", "0B", "4GB", NULL,
     "Egress queue above which everything is marked.", "HPCC §5.1"},
    {"pmax", WEFT_REAL, FIELD(pmax), "0.2", "0", "1", NULL, "Marking probability at kmax.",
     "HPCC §5.1"},
    {"port-buffer", WEFT_BYTES, FIELD(port_buffer), "0B", "0B", "1GB", NULL,
     "Memory that each port has for itself, data and replies alike; then buffer and alpha mean "
     "nothing, and pfc must be off. 0B: all ports share buffer.",
     "ofan §5"},
    {"classes", WEFT_COUNT, FIELD(classes), "2", "2", "8", NULL,
     "Traffic classes of every port, each with a queue of its own; 2, 4 or 8. Class 0 is control, "
     "class 1 data.",
     "IEEE 802.1Q"},
    {"trim", WEFT_BOOL, FIELD(trim), "off", NULL, NULL, NULL,
     "Cut the payload of a data frame for which there is no room, and send on its header in class "
     "0; pfc must be off.",
     "prime §IV"},
    {"trim-at", WEFT_BYTES, FIELD(trim_at), "400KB", "1B", "1GB", NULL,
     "Length of a port's data queue, with the frame in service, above which frames are trimmed; "
     "the "
     "default is the bandwidth-delay product of 400 Gb/s and 8 us.",
     "prime §IV"},
    {"trim-bytes", WEFT_BYTES, FIELD(trim_bytes), "64B", "1B", "16KiB", NULL,
     "Length of a trimmed frame; frames of up to that length are never trimmed.",
     "UEC's simulator"},
    {"trim-victim", WEFT_CHOICE, FIELD(trim_victim), "arrival", NULL, NULL, "arrival coin",
     "Which frame is trimmed: the one that arrives, or by a fair coin that one or the newest of "
     "its queue.",
     "coin: UEC's simulator; default (ours)"},
    {"header-queue", WEFT_BYTES, FIELD(header_queue), "0B", "0B", "1GB", NULL,
     "With trim, the queue of class 0 at a port that a frame of that class may not exceed. 0B: "
     "twice trim-at.",
     "UEC's simulator"},
};

static const struct weft_preset presets[] = {
    {"100g", "kmin=400KB kmax=1600KB pmax=0.2 headroom=35KB",
     "Thresholds for 100 Gb/s links of 1 us.", "HPCC §5.1; headroom (ours)"},
    {"400g", "kmin=1600KB kmax=6400KB pmax=0.2 headroom=110KB",
     "The same, scaled to 400 Gb/s links of 1 us.", "(ours)"},
    {"ofan", "port-buffer=800KiB pfc=off ecn=off",
     "800 KB for each port, nothing paused or marked.", "ofan §5"},
    {"ofan-ecn", "port-buffer=800KiB pfc=off ecn=on kmin=80KiB kmax=80KiB pmax=1",
     "The same, and frames that find a tenth of it full are marked.", "ofan Table 2 (REPS)"},
    {"pro",
     "buffer=100MB alpha=1 pfc=on headroom=60KB ecn=on ecn-at=dequeue kmin=100KB kmax=400KB "
     "pmax=0.2",
     "100 MB for 200 Gb/s links of 1 us, lossless, marks at dequeue.",
     "pro §VI-A; ecn-at: conweave-ns3; headroom (ours)"},
    {"trim-400g", "pfc=off trim=on trim-at=400KB ecn=on ecn-at=dequeue kmin=80KB kmax=320KB pmax=1",
     "Trimming above a bandwidth-delay product of 400 Gb/s and 8 us, marks from 0.2 to 0.8 of it.",
     "prime §IV; marks: UEC's simulator"},
};

static bool
classes_valid(const struct weft_mmu_config *c)
{
    return c->classes == 2 || c->classes == 4 || c->classes == 8;
}

static const char *
check(const void *config)
{
    const struct weft_mmu_config *c = (const struct weft_mmu_config *)config;
    if (c->kmin > c->kmax)
    {
        return "kmin is larger than kmax; expected kmin <= kmax";
    }
    if (c->port_buffer && c->pfc)
    {
        return "pfc needs a shared buffer; expected pfc=off with port-buffer";
    }
    if (c->pfc && c->headroom >= c->buffer)
    {
        return "one port's headroom fills the whole buffer; expected headroom < buffer";
    }
    if (!classes_valid(c))
    {
        return "classes must be a power of two; expected 2, 4 or 8";
    }
    if (c->trim && c->pfc)
    {
        return "a switch that pauses its neighbours has nothing to trim; expected pfc=off with "
               "trim=on";
    }
    if (c->trim && c->trim_bytes >= c->trim_at)
    {
        return "trim-at holds not even a trimmed frame; expected trim-bytes < trim-at";
    }
    return NULL;
}

const struct weft_algo weft_mmu_algo = {
    "shared-buffer",
    "Shared packet memory with dynamic thresholds, PFC, ECN-RED and packet trimming.",
    "Choudhury & Hahne 1998; IEEE 802.1Qbb; DCQCN §5",
    params,
    sizeof params / sizeof params[0],
    presets,
    sizeof presets / sizeof presets[0],
    sizeof(struct weft_mmu_config),
    check,
};

int64_t
weft_mmu_size(const struct weft_mmu_config *config, uint32_t nports)
{
    if (nports == 0 || nports > WEFT_MAX_PORTS)
    {
        return WEFT_EOVERFLOW;
    }
    if (!config)
    {
        return WEFT_EINVAL;
    }
    if (!classes_valid(config))
    {
        return WEFT_ERANGE;
    }
    const uint64_t each =
        sizeof(struct weft_mmu_ingress) + (weft_mmu_counts_by_class(config) ? sizeof(uint32_t) : 0);
    uint64_t size = WEFT_MMU_ARRAYS + nports * sizeof(uint32_t) +
                    (uint64_t)nports * (uint64_t)config->classes * each;
    return (int64_t)((size + 7) & ~UINT64_C(7));
}

static bool
sound(const struct weft_mmu_config *c)
{
    const int64_t sizes[] = {c->buffer,      c->headroom, c->xon_gap,    c->kmin,        c->kmax,
                             c->port_buffer, c->trim_at,  c->trim_bytes, c->header_queue};
    bool in_bounds = c->alpha > 0 && c->alpha <= 1024 && c->pmax >= 0 && c->pmax <= 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    {
        in_bounds = in_bounds && sizes[i] >= 0 && sizes[i] <= MOST;
    }
    return in_bounds && classes_valid(c) && c->kmin <= c->kmax &&
           !(c->trim && (c->pfc || c->trim_bytes < 1));
}

/* Sets what weft_mmu_admits_easily() compares with, once headroom or the peak has changed. */
static void
set_easy(struct weft_mmu *mmu)
{
    const int64_t below_peak = mmu->peak_used - mmu->headroom_used;
    mmu->easy_used = below_peak < mmu->shared ? below_peak : mmu->shared;
    const double threshold = mmu->alpha * (double)(mmu->shared - mmu->easy_used);
    mmu->easy_bytes = threshold < (double)MOST ? (int64_t)threshold : (int64_t)MOST;
}

static int64_t
reserved_of(const struct weft_mmu_config *config, uint32_t nports)
{
    return (int64_t)nports * weft_mmu_port_headroom(config);
}

static int
refuse_headroom(const struct weft_mmu_config *config, uint32_t nports, struct weft_refusal *why)
{
    const uint64_t total = (uint64_t)weft_mmu_total(config, nports);
    const uint64_t classes = (uint64_t)config->classes - 1;
    char buf[WEFT_REFUSAL_BYTES];
    struct weft_text text = {buf, sizeof buf, 0};
    weft_text_put(&text, "the headroom of ");
    weft_text_u64(&text, nports);
    weft_text_put(&text, " ports leaves nothing of a buffer of ");
    weft_text_u64(&text, total);
    weft_text_put(&text, " bytes, for ");
    weft_text_u64(&text, classes);
    weft_text_put(&text, " data classes each; expected headroom below ");
    weft_text_u64(&text, total / nports / classes);
    weft_text_put(&text, " bytes, or a larger buffer");
    weft_text_end(&text);
    return weft_refuse(why, WEFT_ERANGE, "headroom", buf);
}

int
weft_mmu_check(const struct weft_mmu_config *config, uint32_t nports, struct weft_refusal *why)
{
    if (!config)
    {
        return weft_config_check(&weft_mmu_algo, NULL, why);
    }
    if (weft_mmu_size(config, nports) == WEFT_EOVERFLOW)
    {
        return weft_refuse(why, WEFT_EOVERFLOW, NULL,
                           "a switch has no ports, or more than can be; expected 1 to 8192");
    }
    if (!sound(config))
    {
        return weft_refuse_config(why, &weft_mmu_algo, config);
    }
    return reserved_of(config, nports) < weft_mmu_total(config, nports)
               ? 0
               : refuse_headroom(config, nports, why);
}

int
weft_mmu_init(struct weft_mmu *mmu, const struct weft_mmu_config *config, uint32_t nports)
{
    const int code = mmu ? weft_mmu_check(config, nports, NULL) : (int)WEFT_EINVAL;
    if (code)
    {
        return code;
    }
    const int64_t size = weft_mmu_size(config, nports);
    const int64_t reserved = reserved_of(config, nports);
    const int64_t total = weft_mmu_total(config, nports);
    memset(mmu, 0, (size_t)size);
    mmu->config = *config;
    mmu->nports = nports;
    mmu->shared = total - reserved;
    mmu->alpha = config->alpha;
    mmu->port_limit = weft_mmu_counts_by_class(config) ? -1 : config->port_buffer;
    mmu->pfc = config->pfc != 0;
    set_easy(mmu);
    mmu->class_shift = config->classes == 8 ? 3 : config->classes == 4 ? 2 : 1;
    for (uint32_t i = 0; mmu->port_limit < 0 && i < nports << mmu->class_shift; i++)
    {
        weft_mmu_ingresses(mmu)[i].flags = WEFT_MMU_BY_CLASS;
    }
    return 0;
}

static bool
exceeds(const struct weft_mmu *mmu, int64_t bytes)
{
    return (double)bytes > mmu->config.alpha * (double)(mmu->shared - mmu->shared_used);
}

static unsigned
drop(struct weft_mmu *mmu)
{
    mmu->drops++;
    return WEFT_MMU_DROP;
}

/* An ingress that holds nothing is not paused: no release would ever resume it. */
static unsigned
pause_once(struct weft_mmu *mmu, struct weft_mmu_ingress *i)
{
    if ((i->flags & WEFT_MMU_PAUSED) || i->bytes + i->headroom == 0)
    {
        return 0;
    }
    i->flags |= WEFT_MMU_PAUSED;
    mmu->pauses++;
    return WEFT_MMU_PAUSE;
}

/* Data under PFC: shared memory until the threshold is passed, headroom from then on. */
static unsigned
admit_lossless(struct weft_mmu *mmu, struct weft_mmu_ingress *i, uint32_t bytes)
{
    if (!(i->flags & WEFT_MMU_PAUSED) && mmu->shared_used + bytes <= mmu->shared)
    {
        i->bytes += bytes;
        mmu->shared_used += bytes;
        return exceeds(mmu, i->bytes) ? WEFT_MMU_ADMIT | pause_once(mmu, i)
                                      : (unsigned)WEFT_MMU_ADMIT;
    }
    if ((int64_t)i->headroom + bytes > mmu->config.headroom)
    {
        return drop(mmu) | pause_once(mmu, i);
    }
    i->headroom += bytes;
    mmu->headroom_used += bytes;
    set_easy(mmu);
    return WEFT_MMU_ADMIT | pause_once(mmu, i);
}

/* The queue that a frame joins, with it. */
static int64_t
longer_queue(const struct weft_mmu *mmu, uint32_t out, uint32_t tclass, uint32_t bytes)
{
    const uint32_t queue = mmu->port_limit < 0
                               ? weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, out, tclass)]
                               : weft_mmu_queues(mmu)[out];
    return (int64_t)queue + bytes;
}

static int64_t
header_limit(const struct weft_mmu_config *c)
{
    return c->header_queue ? c->header_queue : 2 * c->trim_at;
}

/* Whether there is room for control always, and for data without PFC. */
static bool
has_room(const struct weft_mmu *mmu, uint32_t out, uint32_t tclass, uint32_t bytes)
{
    const struct weft_mmu_config *c = &mmu->config;
    const int64_t longer = longer_queue(mmu, out, tclass, bytes);
    if (mmu->shared_used + bytes > mmu->shared ||
        (c->trim && tclass == CONTROL && longer > header_limit(c)))
    {
        return false;
    }
    return c->port_buffer ? (int64_t)weft_mmu_queues(mmu)[out] + bytes <= c->port_buffer
                          : tclass == CONTROL || !exceeds(mmu, longer);
}

static unsigned
admit_lossy(struct weft_mmu *mmu, struct weft_mmu_ingress *i, uint32_t out, uint32_t tclass,
            uint32_t bytes)
{
    if (!has_room(mmu, out, tclass, bytes))
    {
        return drop(mmu);
    }
    i->bytes += bytes;
    mmu->shared_used += bytes;
    return WEFT_MMU_ADMIT;
}

unsigned
weft_mmu_admit_whole(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                     uint32_t bytes)
{
    CHECK_FRAME(mmu, in, out, tclass, "weft_mmu_admit_whole");
    struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, in, tclass)];
    unsigned verdict = mmu->config.pfc && tclass != CONTROL
                           ? admit_lossless(mmu, i, bytes)
                           : admit_lossy(mmu, i, out, tclass, bytes);
    if (verdict & WEFT_MMU_ADMIT)
    {
        weft_mmu_queues(mmu)[out] += bytes;
        if (mmu->port_limit < 0)
        {
            weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, out, tclass)] += bytes;
        }
        int64_t used = mmu->shared_used + mmu->headroom_used;
        if (used > mmu->peak_used)
        {
            mmu->peak_used = used;
            set_easy(mmu);
        }
    }
    return verdict;
}

/* Whether the queue is too long for a frame that can be trimmed. */
static bool
exceeds_trim_at(const struct weft_mmu *mmu, uint32_t out, uint32_t tclass, uint32_t bytes)
{
    return longer_queue(mmu, out, tclass, bytes) > mmu->config.trim_at;
}

static bool
may_trim(const struct weft_mmu *mmu, uint32_t tclass, uint32_t bytes)
{
    return mmu->config.trim && tclass != CONTROL && (int64_t)bytes > mmu->config.trim_bytes;
}

unsigned
weft_mmu_admit(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass, uint32_t bytes)
{
    CHECK_FRAME(mmu, in, out, tclass, "weft_mmu_admit");
    if (may_trim(mmu, tclass, bytes) &&
        (exceeds_trim_at(mmu, out, tclass, bytes) || !has_room(mmu, out, tclass, bytes)))
    {
        return WEFT_MMU_TRIM;
    }
    return weft_mmu_admit_whole(mmu, in, out, tclass, bytes);
}

bool
weft_mmu_replace(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass, uint32_t bytes,
                 uint32_t newest_in, uint32_t newest_bytes)
{
    CHECK_FRAME(mmu, in, out, tclass, "weft_mmu_replace");
    WEFT_CHECK(newest_in < mmu->nports, "weft_mmu_replace", RULE_PORTS);
    WEFT_ASSERT(may_trim(mmu, tclass, bytes), "weft_mmu_replace",
                "it comes after weft_mmu_admit() has said WEFT_MMU_TRIM of that frame");
    const uint32_t newest = weft_mmu_index(mmu, newest_in, tclass);
    weft_mmu_release_at(mmu, newest, out, newest_bytes);
    if (has_room(mmu, out, tclass, bytes))
    {
        weft_mmu_admit_whole(mmu, in, out, tclass, bytes);
        return true;
    }
    weft_mmu_take_by_class(mmu, newest_in, out, tclass, newest_bytes);
    return false;
}

unsigned
weft_mmu_admit_header(struct weft_mmu *mmu, uint32_t in, uint32_t out)
{
    const uint32_t bytes = (uint32_t)mmu->config.trim_bytes;
    WEFT_CHECK(mmu->config.trim, "weft_mmu_admit_header", "the buffer trims");
    const unsigned verdict = weft_mmu_admit_whole(mmu, in, out, CONTROL, bytes);
    mmu->trims++;
    mmu->header_drops += verdict == WEFT_MMU_DROP;
    return verdict;
}

bool
weft_mmu_admits_by_class(const struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                         uint32_t bytes)
{
    const struct weft_mmu_ingress *i = &weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, in, tclass)];
    if (mmu->pfc && tclass != CONTROL)
    {
        const int64_t free = mmu->shared - mmu->shared_used - bytes;
        return !(i->flags & WEFT_MMU_PAUSED) &&
               (double)(i->bytes + bytes) <= mmu->alpha * (double)free;
    }
    return has_room(mmu, out, tclass, bytes) &&
           !(may_trim(mmu, tclass, bytes) && exceeds_trim_at(mmu, out, tclass, bytes));
}

void
weft_mmu_take_by_class(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                       uint32_t bytes)
{
    weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, in, tclass)].bytes += bytes;
    weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, out, tclass)] += bytes;
    weft_mmu_queues(mmu)[out] += bytes;
    mmu->shared_used += bytes;
}

/* An empty ingress resumes whatever the threshold: nothing else would ever wake it. */
static bool
may_resume(const struct weft_mmu *mmu, const struct weft_mmu_ingress *i)
{
    return i->headroom == 0 && (i->bytes == 0 || !exceeds(mmu, i->bytes + mmu->config.xon_gap));
}

bool
weft_mmu_release_slowly(struct weft_mmu *mmu, uint32_t i, uint32_t out, uint32_t bytes)
{
    struct weft_mmu_ingress *ingress = &weft_mmu_ingresses(mmu)[i];
    WEFT_ASSERT(i < mmu->nports << mmu->class_shift && out < mmu->nports, "weft_mmu_release",
                RULE_PORTS);
    /* Headroom empties first, so that it is whole again before the next pause. */
    uint32_t extra = ingress->headroom;
    extra = extra < bytes ? extra : bytes;
    uint32_t rest = bytes - extra;
    WEFT_ASSERT(weft_mmu_queues(mmu)[out] >= bytes && ingress->bytes >= rest, "weft_mmu_release",
                RULE_RELEASED);
    weft_mmu_queues(mmu)[out] -= bytes;
    if (mmu->port_limit < 0)
    {
        const uint32_t tclass = i & ((1U << mmu->class_shift) - 1U);
        weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, out, tclass)] -= bytes;
    }
    ingress->headroom -= extra;
    mmu->headroom_used -= extra;
    if (extra)
    {
        set_easy(mmu);
    }
    ingress->bytes -= rest;
    mmu->shared_used -= rest;
    if (!(ingress->flags & WEFT_MMU_PAUSED) || !may_resume(mmu, ingress))
    {
        return false;
    }
    ingress->flags &= ~(uint32_t)WEFT_MMU_PAUSED;
    return true;
}
