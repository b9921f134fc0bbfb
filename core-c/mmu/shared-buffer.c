/* SPDX-License-Identifier: MIT */
/*
 * The shared buffer of a switch: dynamic thresholds, PFC with headroom, ECN parameters.
 *
 * Control (class 0) is never paused and never meets a threshold: it is dropped only when the
 * shared pool is full. Otherwise a congested data queue would cost ACKs and CNPs.
 */
#include <assert.h>
#include <string.h>

#include <weft/error.h>
#include <weft/mmu.h>

/* A packet carries its ports in 16 bits. */
#define MAX_PORTS UINT32_C(65536)
#define CONTROL   0U

/* Queues are counted in 32 bits. */
#define MOST UINT32_MAX

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
     "Memory per port for what is under way when a pause is sent: 2 x delay x rate + 2 frames "
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
};

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
    return NULL;
}

const struct weft_algo weft_mmu_algo = {
    "shared-buffer",
    "Shared packet memory with dynamic thresholds, PFC and ECN-RED.",
    "Choudhury & Hahne 1998; IEEE 802.1Qbb; DCQCN §5",
    params,
    sizeof params / sizeof params[0],
    presets,
    sizeof presets / sizeof presets[0],
    sizeof(struct weft_mmu_config),
    check,
};

int64_t
weft_mmu_size(uint32_t nports)
{
    if (nports == 0 || nports > MAX_PORTS)
    {
        return WEFT_EOVERFLOW;
    }
    uint64_t size = WEFT_MMU_ARRAYS + nports * sizeof(uint32_t) +
                    (uint64_t)nports * WEFT_CLASSES * sizeof(struct weft_mmu_ingress);
    return (int64_t)((size + 7) & ~UINT64_C(7));
}

static bool
sound(const struct weft_mmu_config *c)
{
    const int64_t sizes[] = {c->buffer, c->headroom, c->xon_gap, c->kmin, c->kmax, c->port_buffer};
    bool in_bounds = c->alpha > 0 && c->alpha <= 1024 && c->pmax >= 0 && c->pmax <= 1;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    {
        in_bounds = in_bounds && sizes[i] >= 0 && sizes[i] <= MOST;
    }
    return in_bounds && c->kmin <= c->kmax;
}

static int64_t
reserved_of(const struct weft_mmu_config *config, uint32_t nports)
{
    return config->pfc ? (int64_t)nports * config->headroom : 0;
}

int
weft_mmu_check(const struct weft_mmu_config *config, uint32_t nports, struct weft_refusal *why)
{
    if (weft_mmu_size(nports) < 0)
    {
        return weft_refuse(why, WEFT_EOVERFLOW, NULL,
                           "a switch has no ports, or more than can be; expected 1 to 4096");
    }
    if (!sound(config))
    {
        return weft_refuse_config(why, &weft_mmu_algo, config);
    }
    return reserved_of(config, nports) < weft_mmu_total(config, nports)
               ? 0
               : weft_refuse(
                     why, WEFT_ERANGE, "headroom",
                     "the headroom of all ports leaves nothing of the buffer; expected less "
                     "headroom, or a larger buffer");
}

int
weft_mmu_init(struct weft_mmu *mmu, const struct weft_mmu_config *config, uint32_t nports)
{
    const int code = weft_mmu_check(config, nports, NULL);
    if (code)
    {
        return code;
    }
    const int64_t size = weft_mmu_size(nports);
    const int64_t reserved = reserved_of(config, nports);
    const int64_t total = weft_mmu_total(config, nports);
    memset(mmu, 0, (size_t)size);
    mmu->config = *config;
    mmu->nports = nports;
    mmu->shared = total - reserved;
    mmu->alpha = config->alpha;
    mmu->port_buffer = config->port_buffer;
    mmu->pfc = config->pfc != 0;
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
pause_once(struct weft_mmu *mmu, uint32_t i)
{
    if (weft_mmu_ingresses(mmu)[i].paused ||
        weft_mmu_ingresses(mmu)[i].bytes + weft_mmu_ingresses(mmu)[i].headroom == 0)
    {
        return 0;
    }
    weft_mmu_ingresses(mmu)[i].paused = 1;
    mmu->pauses++;
    return WEFT_MMU_PAUSE;
}

/* Data under PFC: shared memory until the threshold is passed, headroom from then on. */
static unsigned
admit_lossless(struct weft_mmu *mmu, uint32_t i, uint32_t bytes)
{
    if (!weft_mmu_ingresses(mmu)[i].paused && mmu->shared_used + bytes <= mmu->shared)
    {
        weft_mmu_ingresses(mmu)[i].bytes += bytes;
        mmu->shared_used += bytes;
        return exceeds(mmu, weft_mmu_ingresses(mmu)[i].bytes) ? WEFT_MMU_ADMIT | pause_once(mmu, i)
                                                              : (unsigned)WEFT_MMU_ADMIT;
    }
    if ((int64_t)weft_mmu_ingresses(mmu)[i].headroom + bytes > mmu->config.headroom)
    {
        return drop(mmu) | pause_once(mmu, i);
    }
    weft_mmu_ingresses(mmu)[i].headroom += bytes;
    mmu->headroom_used += bytes;
    return WEFT_MMU_ADMIT | pause_once(mmu, i);
}

/* Control always, and data without PFC. */
static unsigned
admit_lossy(struct weft_mmu *mmu, uint32_t i, uint32_t queue, uint32_t tclass, uint32_t bytes)
{
    const int64_t longer = (int64_t)queue + bytes;
    const bool full =
        mmu->port_buffer ? longer > mmu->port_buffer : tclass != CONTROL && exceeds(mmu, longer);
    if (full || mmu->shared_used + bytes > mmu->shared)
    {
        return drop(mmu);
    }
    weft_mmu_ingresses(mmu)[i].bytes += bytes;
    mmu->shared_used += bytes;
    return WEFT_MMU_ADMIT;
}

unsigned
weft_mmu_admit(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass, uint32_t bytes)
{
    assert(in < mmu->nports && out < mmu->nports && tclass < WEFT_CLASSES);
    uint32_t i = in * WEFT_CLASSES + tclass;
    unsigned verdict = mmu->config.pfc && tclass != CONTROL
                           ? admit_lossless(mmu, i, bytes)
                           : admit_lossy(mmu, i, weft_mmu_queues(mmu)[out], tclass, bytes);
    if (verdict & WEFT_MMU_ADMIT)
    {
        weft_mmu_queues(mmu)[out] += bytes;
        int64_t used = mmu->shared_used + mmu->headroom_used;
        if (used > mmu->peak_used)
        {
            mmu->peak_used = used;
        }
    }
    return verdict;
}

/* An empty ingress resumes whatever the threshold: nothing else would ever wake it. */
static bool
may_resume(const struct weft_mmu *mmu, uint32_t i)
{
    return weft_mmu_ingresses(mmu)[i].headroom == 0 &&
           (weft_mmu_ingresses(mmu)[i].bytes == 0 ||
            !exceeds(mmu, weft_mmu_ingresses(mmu)[i].bytes + mmu->config.xon_gap));
}

bool
weft_mmu_release_slowly(struct weft_mmu *mmu, uint32_t in, uint32_t out, uint32_t tclass,
                        uint32_t bytes)
{
    assert(in < mmu->nports && out < mmu->nports && tclass < WEFT_CLASSES);
    uint32_t i = in * WEFT_CLASSES + tclass;
    /* Headroom empties first, so that it is whole again before the next pause. */
    uint32_t extra = weft_mmu_ingresses(mmu)[i].headroom;
    extra = extra < bytes ? extra : bytes;
    uint32_t rest = bytes - extra;
    assert(weft_mmu_queues(mmu)[out] >= bytes && weft_mmu_ingresses(mmu)[i].bytes >= rest);
    weft_mmu_queues(mmu)[out] -= bytes;
    weft_mmu_ingresses(mmu)[i].headroom -= extra;
    mmu->headroom_used -= extra;
    weft_mmu_ingresses(mmu)[i].bytes -= rest;
    mmu->shared_used -= rest;
    if (!weft_mmu_ingresses(mmu)[i].paused || !may_resume(mmu, i))
    {
        return false;
    }
    weft_mmu_ingresses(mmu)[i].paused = 0;
    return true;
}
