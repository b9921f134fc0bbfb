/* SPDX-License-Identifier: MIT */
/*
 * The shared buffer. If these fail, a lossless fabric loses packets or stays paused for ever, a
 * lossy one drops at the wrong queue, or memory leaks away frame by frame.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/mmu.h>

Suite *mmu_suite(void);

#define PORTS    8U
#define DATA     1U
#define CONTROL  0U
#define HEADROOM 20000

static struct weft_mmu_config config;
static union
{
    uint64_t align;
    unsigned char bytes[8192];
} memory;

static struct weft_mmu *
make(void)
{
    ck_assert_int_le(weft_mmu_size(&config, PORTS), (int64_t)sizeof memory);
    struct weft_mmu *mmu = (struct weft_mmu *)(void *)&memory;
    return weft_mmu_init(mmu, &config, PORTS) == 0 ? mmu : NULL;
}

/* 10,000 bytes of shared pool, thresholds at equal shares. */
static void
setup(void)
{
    ck_assert_uint_eq(weft_mmu_algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    ck_assert_ptr_null(weft_mmu_algo.check(&config));
    config.buffer = 10000;
    config.alpha = 1;
    config.pfc = 0;
    config.xon_gap = 0;
}

static void
lossless(int64_t headroom)
{
    config.pfc = 1;
    config.headroom = headroom;
    config.buffer = 10000 + PORTS * headroom;
}

START_TEST(lossy_threshold_admits_at_equality)
{
    struct weft_mmu *mmu = make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 10001), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 4000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, DATA, 2001), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, DATA, 2000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 3, DATA, 4001), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 3, DATA, 4000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(mmu->drops, 4);
    ck_assert_uint_eq(weft_mmu_queues(mmu)[1], 6000);
    ck_assert_int_eq(mmu->peak_used, 10000);
}
END_TEST

START_TEST(lossy_pool_is_never_exceeded_however_large_alpha)
{
    config.alpha = 1024;
    struct weft_mmu *mmu = make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 9000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1001), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1000), WEFT_MMU_ADMIT);
}
END_TEST

START_TEST(control_is_dropped_only_by_a_full_pool)
{
    struct weft_mmu *mmu = make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 5000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 64), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, CONTROL, 4999), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, CONTROL, 2), WEFT_MMU_DROP);
    ck_assert_uint_eq(mmu->pauses, 0);
}
END_TEST

/* Ports that own their memory: what one holds costs no other a byte, and replies count as well. */
START_TEST(ports_with_memory_of_their_own_share_nothing)
{
    config.port_buffer = 1000;
    struct weft_mmu *mmu = make();
    ck_assert_int_eq(mmu->shared, 1000 * (int64_t)PORTS);
    for (uint32_t out = 0; out < PORTS; out++)
    {
        ck_assert_uint_eq(weft_mmu_admit(mmu, 0, out, DATA, 600), WEFT_MMU_ADMIT);
        ck_assert(!weft_mmu_admits_easily(mmu, 0, out, CONTROL, 401));
        ck_assert_uint_eq(weft_mmu_admit(mmu, 0, out, CONTROL, 401), WEFT_MMU_DROP);
        ck_assert_uint_eq(weft_mmu_admit(mmu, 0, out, CONTROL, 400), WEFT_MMU_ADMIT);
        ck_assert_uint_eq(weft_mmu_admit(mmu, 0, out, DATA, 1), WEFT_MMU_DROP);
    }
    weft_mmu_release(mmu, 0, 3, DATA, 600);
    ck_assert(!weft_mmu_admits_easily(mmu, 1, 3, DATA, 601));
    ck_assert_uint_eq(weft_mmu_admit(mmu, 1, 3, DATA, 600), WEFT_MMU_ADMIT);
}
END_TEST

START_TEST(pfc_pauses_above_the_threshold_not_at_it)
{
    lossless(1000);
    struct weft_mmu *mmu = make();
    ck_assert_int_eq(mmu->shared, 10000);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 5000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1), WEFT_MMU_ADMIT | WEFT_MMU_PAUSE);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 999), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1), WEFT_MMU_DROP);
    ck_assert_int_eq(mmu->shared_used, 5001);
    ck_assert_int_eq(mmu->headroom_used, 1000);
    ck_assert_uint_eq(mmu->pauses, 1);
}
END_TEST

START_TEST(pfc_resumes_at_threshold_less_gap_with_headroom_empty)
{
    lossless(1000);
    config.xon_gap = 500;
    struct weft_mmu *mmu = make();
    weft_mmu_admit(mmu, 0, 1, DATA, 5001);
    weft_mmu_admit(mmu, 0, 1, DATA, 300);
    ck_assert(!weft_mmu_release(mmu, 0, 1, DATA, 300)); /* headroom first: 5001 left */
    ck_assert_int_eq(mmu->headroom_used, 0);
    ck_assert(!weft_mmu_release(mmu, 0, 1, DATA, 250)); /* 4751 + 500 > 5249 */
    ck_assert(weft_mmu_release(mmu, 0, 1, DATA, 1));    /* 4750 + 500 = 5250 */
    ck_assert(!weft_mmu_release(mmu, 0, 1, DATA, 1));   /* resumed once */
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, DATA, 1), WEFT_MMU_ADMIT);
}
END_TEST

START_TEST(pfc_never_leaves_an_empty_ingress_paused)
{
    lossless(0);
    config.xon_gap = 100000; /* larger than any threshold */
    struct weft_mmu *mmu = make();
    weft_mmu_admit(mmu, 0, 1, DATA, 5001);
    ck_assert(weft_mmu_release(mmu, 0, 1, DATA, 5001));
    weft_mmu_admit(mmu, 0, 1, CONTROL, 10000);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, DATA, 1), WEFT_MMU_DROP); /* no pause: no release */
}
END_TEST

START_TEST(memory_without_a_shared_pool_is_refused)
{
    lossless(1000);
    config.buffer = PORTS * 1000;
    ck_assert_ptr_null(make());
    config.buffer++;
    ck_assert_ptr_nonnull(make());
    ck_assert_int_eq(weft_mmu_size(&config, 0), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_mmu_size(&config, UINT32_MAX), WEFT_EOVERFLOW);
}
END_TEST

START_TEST(unsound_parameters_are_named)
{
    config.kmin = config.kmax;
    ck_assert_ptr_null(weft_mmu_algo.check(&config));
    config.kmin = config.kmax + 1;
    ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "kmin"));
    config.kmin = 0;
    config.pfc = 1;
    config.headroom = config.buffer;
    ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "headroom"));
    config.headroom = 0;
    config.port_buffer = 1000;
    ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "port-buffer"));
    config.pfc = 0;
    ck_assert_ptr_null(weft_mmu_algo.check(&config));
    for (size_t i = 0; i < weft_mmu_algo.npresets; i++)
    {
        ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
        const char *name = weft_mmu_algo.presets[i].name;
        ck_assert_int_eq(weft_config_preset(&weft_mmu_algo, &config, name), 0);
        ck_assert_ptr_null(weft_mmu_algo.check(&config));
    }
    ck_assert_int_eq(config.kmax, 320000); /* the last one: trim-400g */
}
END_TEST

/* Whether a mark at this queue took a draw from the generator. */
static bool
mark(struct weft_mmu *mmu, uint32_t queue, struct weft_rng *rng, bool *drew)
{
    uint64_t before = rng->state;
    bool marked = weft_mmu_mark(mmu, queue, rng);
    *drew = rng->state != before;
    return marked;
}

START_TEST(red_is_certain_outside_its_ramp)
{
    struct weft_mmu *mmu = make();
    struct weft_rng rng;
    bool drew = false;
    weft_rng_seed(&rng, 1, 1, 1);
    ck_assert(!mark(mmu, 400000, &rng, &drew) && !drew);
    ck_assert(mark(mmu, 1600001, &rng, &drew) && drew == false);
    mark(mmu, 400001, &rng, &drew);
    ck_assert(drew);
    mmu->config.kmax = mmu->config.kmin; /* a step */
    ck_assert(!mark(mmu, 400000, &rng, &drew) && !drew);
    ck_assert(mark(mmu, 400001, &rng, &drew) && !drew);
    mmu->config.ecn = 0;
    ck_assert(!mark(mmu, 4000000, &rng, &drew) && !drew);
}
END_TEST

/* 10^5 draws; four standard deviations of a binomial on either side. */
START_TEST(red_marks_the_share_that_the_ramp_says)
{
    static const struct
    {
        uint32_t queue;
        int expected, slack;
    } points[] = {{700000, 5000, 276}, {1000000, 10000, 380}, {1600000, 20000, 506}};
    struct weft_mmu *mmu = make();
    struct weft_rng rng;
    weft_rng_seed(&rng, 42, 0, 0);
    for (int p = 0; p < 3; p++)
    {
        uint64_t before = mmu->marks;
        for (int i = 0; i < 100000; i++)
        {
            weft_mmu_mark(mmu, points[p].queue, &rng);
        }
        int marks = (int)(mmu->marks - before);
        ck_assert_int_le(abs(marks - points[p].expected), points[p].slack);
    }
}
END_TEST

/* The naive buffer: a list of frames, everything counted anew from it. */
struct frame
{
    uint32_t in, out, tclass, bytes;
};

#define MAX_FRAMES 512

struct naive
{
    struct frame list[MAX_FRAMES];
    unsigned count;
    int64_t headroom[PORTS]; /* of the data class */
    bool paused[PORTS];
};

static int64_t
held(const struct naive *n, uint32_t in, uint32_t tclass)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < n->count; i++)
    {
        sum += n->list[i].in == in && n->list[i].tclass == tclass ? n->list[i].bytes : 0;
    }
    return sum;
}

static int64_t
queued(const struct naive *n, uint32_t out)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < n->count; i++)
    {
        sum += n->list[i].out == out || out == PORTS ? n->list[i].bytes : 0;
    }
    return sum;
}

static int64_t
shared_used(const struct naive *n)
{
    int64_t sum = queued(n, PORTS);
    for (uint32_t p = 0; p < PORTS; p++)
    {
        sum -= n->headroom[p];
    }
    return sum;
}

static double
threshold(const struct naive *n)
{
    int64_t reserved = config.pfc ? PORTS * config.headroom : 0;
    return config.alpha * (double)(config.buffer - reserved - shared_used(n));
}

static unsigned
naive_admit(struct naive *n, const struct frame *f)
{
    int64_t pool = config.buffer - (config.pfc ? PORTS * config.headroom : 0);
    bool fits = shared_used(n) + f->bytes <= pool;
    if (f->tclass == CONTROL || !config.pfc)
    {
        bool below = (double)(queued(n, f->out) + f->bytes) <= threshold(n);
        if (!fits || (f->tclass == DATA && !below))
        {
            return WEFT_MMU_DROP;
        }
        n->list[n->count++] = *f;
        return WEFT_MMU_ADMIT;
    }
    unsigned verdict = WEFT_MMU_DROP;
    bool was = n->paused[f->in];
    bool wants = true;
    if (!was && fits)
    {
        n->list[n->count++] = *f;
        wants = (double)(held(n, f->in, DATA) - n->headroom[f->in]) > threshold(n);
        verdict = WEFT_MMU_ADMIT;
    }
    else if (n->headroom[f->in] + f->bytes <= config.headroom)
    {
        n->list[n->count++] = *f;
        n->headroom[f->in] += f->bytes;
        verdict = WEFT_MMU_ADMIT;
    }
    n->paused[f->in] = was || (wants && held(n, f->in, DATA) > 0);
    return verdict | (n->paused[f->in] && !was ? (unsigned)WEFT_MMU_PAUSE : 0U);
}

static bool
naive_release(struct naive *n, unsigned i)
{
    struct frame f = n->list[i];
    n->list[i] = n->list[--n->count];
    if (f.tclass == CONTROL || !config.pfc)
    {
        return false;
    }
    n->headroom[f.in] -= n->headroom[f.in] < f.bytes ? n->headroom[f.in] : f.bytes;
    int64_t rest = held(n, f.in, DATA) - n->headroom[f.in];
    bool low = rest == 0 || (double)(rest + config.xon_gap) <= threshold(n);
    bool resume = n->paused[f.in] && n->headroom[f.in] == 0 && low;
    n->paused[f.in] = n->paused[f.in] && !resume;
    return resume;
}

static void
same_counters(const struct weft_mmu *mmu, const struct naive *n)
{
    ck_assert_int_eq(mmu->shared_used, shared_used(n));
    ck_assert_int_eq(mmu->shared_used + mmu->headroom_used, queued(n, PORTS));
    ck_assert_int_ge(mmu->peak_used, queued(n, PORTS));
    ck_assert_int_le(mmu->peak_used, config.buffer);
    for (uint32_t p = 0; p < PORTS; p++)
    {
        const struct weft_mmu_ingress *in = weft_mmu_ingresses(mmu) + weft_mmu_index(mmu, p, 0);
        /* A single assertion stands for all: each is a system call, and this is done 200,000 times.
         * */
        bool same = weft_mmu_queues(mmu)[p] == queued(n, p) &&
                    (int64_t)in[DATA].bytes + in[DATA].headroom == held(n, p, DATA) &&
                    in[CONTROL].bytes == held(n, p, CONTROL) &&
                    in[DATA].headroom == n->headroom[p] && in[DATA].flags == n->paused[p];
        ck_assert_msg(same, "accounts of port %u", p);
    }
}

/*
 * A second buffer, of a host that takes what is admitted easily and gives frames back late: while
 * nothing is paused, and until somebody asks for more than that.
 */
struct lazy
{
    struct weft_mmu *mmu;
    struct frame left[MAX_FRAMES]; /* gone, but not yet given back */
    unsigned count;
    unsigned easy; /* frames admitted easily while others had left */
};

static union
{
    uint64_t align;
    unsigned char bytes[sizeof memory];
} lazy_memory;

static bool
anyone_paused(const struct naive *n)
{
    bool paused = false;
    for (uint32_t p = 0; p < PORTS; p++)
    {
        paused = paused || n->paused[p];
    }
    return paused;
}

static void
give_back(struct lazy *lazy)
{
    while (lazy->count > 0)
    {
        const struct frame *f = &lazy->left[--lazy->count];
        ck_assert(!weft_mmu_release(lazy->mmu, f->in, f->out, f->tclass, f->bytes));
    }
}

static void
same_accounts(const struct weft_mmu *a, const struct weft_mmu *b)
{
    bool totals = a->shared_used == b->shared_used && a->headroom_used == b->headroom_used &&
                  a->peak_used == b->peak_used && a->pauses == b->pauses && a->drops == b->drops;
    size_t queues = PORTS * sizeof(uint32_t);
    size_t ingress = weft_mmu_index(a, PORTS, 0) * sizeof(struct weft_mmu_ingress);
    ck_assert_msg(totals, "totals");
    ck_assert_msg(memcmp(weft_mmu_queues(a), weft_mmu_queues(b), queues) == 0, "queues");
    ck_assert_msg(memcmp(weft_mmu_ingresses(a), weft_mmu_ingresses(b), ingress) == 0, "ingress");
}

/* Checks that the buffer that knows all admits at once, below its peak, what the lazy one finds
 * easy. */
static void
admit(struct weft_mmu *mmu, struct naive *n, struct lazy *lazy, const struct frame *f)
{
    bool easy = weft_mmu_admits_easily(mmu, f->in, f->out, f->tclass, f->bytes);
    bool easy_late = weft_mmu_admits_easily(lazy->mmu, f->in, f->out, f->tclass, f->bytes);
    int64_t peak = mmu->peak_used;
    unsigned verdict = weft_mmu_admit(mmu, f->in, f->out, f->tclass, f->bytes);
    ck_assert_uint_eq(verdict, naive_admit(n, f));
    ck_assert(!easy || (verdict == WEFT_MMU_ADMIT && mmu->peak_used == peak));
    ck_assert(!easy_late || easy);
    if (easy_late)
    {
        lazy->easy += lazy->count > 0;
        weft_mmu_take(lazy->mmu, f->in, f->out, f->tclass, f->bytes);
        return;
    }
    give_back(lazy);
    ck_assert_uint_eq(weft_mmu_admit(lazy->mmu, f->in, f->out, f->tclass, f->bytes), verdict);
    same_accounts(lazy->mmu, mmu);
}

static void
release(struct weft_mmu *mmu, struct naive *n, struct lazy *lazy, unsigned i, bool late)
{
    struct frame f = n->list[i];
    bool put_off = late && lazy->count < MAX_FRAMES && !anyone_paused(n);
    bool resume = weft_mmu_release(mmu, f.in, f.out, f.tclass, f.bytes);
    ck_assert_int_eq(resume, naive_release(n, i));
    if (put_off)
    {
        lazy->left[lazy->count++] = f;
        return;
    }
    ck_assert_int_eq(weft_mmu_release(lazy->mmu, f.in, f.out, f.tclass, f.bytes), resume);
}

/* Admits or releases one random frame in all three; more likely to admit while @p filling. */
static void
random_step(struct weft_mmu *mmu, struct naive *n, struct lazy *lazy, struct weft_rng *rng,
            bool filling)
{
    bool in = weft_rng_below(rng, 8) < (filling ? 5U : 3U);
    if (in && n->count < MAX_FRAMES)
    {
        struct frame f = {weft_rng_below(rng, PORTS), weft_rng_below(rng, 3),
                          weft_rng_below(rng, 8) ? DATA : CONTROL, 64 + weft_rng_below(rng, 1500)};
        admit(mmu, n, lazy, &f);
    }
    else if (n->count > 0)
    {
        const uint32_t i = weft_rng_below(rng, n->count);
        release(mmu, n, lazy, i, weft_rng_below(rng, 4) > 0);
    }
    if (weft_rng_below(rng, 16) == 0)
    {
        give_back(lazy);
    }
    same_counters(mmu, n);
    if (lazy->count == 0)
    {
        same_accounts(lazy->mmu, mmu);
    }
}

/* Even numbers run with PFC, odd ones without. */
START_TEST(random_traffic_equals_a_naive_recount)
{
    static const double alphas[] = {0.0625, 0.125, 1, 8};
    static struct naive n;
    static struct lazy lazy;
    struct weft_rng rng;
    weft_rng_seed(&rng, 3, 0, (uint64_t)_i);
    memset(&n, 0, sizeof n);
    memset(&lazy, 0, sizeof lazy);
    config.pfc = _i % 2 == 0;
    config.alpha = alphas[_i / 2 % 4];
    config.headroom = weft_rng_below(&rng, 5000);
    config.xon_gap = weft_rng_below(&rng, 3000);
    config.buffer = PORTS * config.headroom + 5000 + weft_rng_below(&rng, 100000);
    struct weft_mmu *mmu = make();
    lazy.mmu = (struct weft_mmu *)(void *)&lazy_memory;
    ck_assert_int_eq(weft_mmu_init(lazy.mmu, &config, PORTS), 0);
    for (int step = 0; step < 3000; step++)
    {
        random_step(mmu, &n, &lazy, &rng, step / 500 % 2 == 0);
    }
    while (n.count > 0)
    {
        release(mmu, &n, &lazy, n.count - 1, false);
    }
    give_back(&lazy);
    same_counters(mmu, &n);
    same_accounts(lazy.mmu, mmu);
    ck_assert_int_eq(mmu->shared_used + mmu->headroom_used, 0);
    ck_assert_uint_gt(lazy.easy, config.pfc ? 20 : 5);
}
END_TEST

/*
 * Everyone sends to port 0 as fast as allowed. After a pause an upstream has up to HEADROOM bytes
 * under way; not one of them may be lost, and everyone must get on again in the end.
 */
START_TEST(lossless_while_headroom_covers_what_is_under_way)
{
    struct weft_rng rng;
    static struct frame fifo[100000];
    size_t head = 0;
    size_t tail = 0;
    uint64_t sent[PORTS] = {0};
    int64_t credit[PORTS];
    weft_rng_seed(&rng, 5, 0, (uint64_t)_i);
    config.pfc = 1;
    config.alpha = 0.125;
    config.headroom = HEADROOM;
    config.xon_gap = 3072;
    config.buffer = PORTS * HEADROOM + 200000;
    struct weft_mmu *mmu = make();
    for (uint32_t p = 0; p < PORTS; p++)
    {
        credit[p] = INT64_MAX;
    }
    while (tail < 100000)
    {
        struct frame f = {1 + weft_rng_below(&rng, PORTS - 1), 0, DATA,
                          64 + weft_rng_below(&rng, 4096)};
        if (credit[f.in] >= f.bytes)
        {
            unsigned verdict = weft_mmu_admit(mmu, f.in, 0, DATA, f.bytes);
            ck_assert(verdict & WEFT_MMU_ADMIT);
            credit[f.in] -= credit[f.in] == INT64_MAX ? 0 : f.bytes;
            credit[f.in] = verdict & WEFT_MMU_PAUSE ? HEADROOM : credit[f.in];
            sent[f.in]++;
            fifo[tail++] = f;
        }
        if (head < tail && weft_rng_below(&rng, 4) == 0)
        {
            f = fifo[head++];
            credit[f.in] = weft_mmu_release(mmu, f.in, 0, DATA, f.bytes) ? INT64_MAX : credit[f.in];
        }
    }
    ck_assert_uint_eq(mmu->drops, 0);
    ck_assert_uint_gt(mmu->pauses, 100);
    for (uint32_t p = 1; p < PORTS; p++)
    {
        ck_assert_uint_gt(sent[p], 5000);
    }
}
END_TEST

Suite *
mmu_suite(void)
{
    Suite *suite = suite_create("mmu");
    TCase *tc = tcase_create("mmu");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, lossy_threshold_admits_at_equality);
    tcase_add_test(tc, lossy_pool_is_never_exceeded_however_large_alpha);
    tcase_add_test(tc, control_is_dropped_only_by_a_full_pool);
    tcase_add_test(tc, ports_with_memory_of_their_own_share_nothing);
    tcase_add_test(tc, pfc_pauses_above_the_threshold_not_at_it);
    tcase_add_test(tc, pfc_resumes_at_threshold_less_gap_with_headroom_empty);
    tcase_add_test(tc, pfc_never_leaves_an_empty_ingress_paused);
    tcase_add_test(tc, memory_without_a_shared_pool_is_refused);
    tcase_add_test(tc, unsound_parameters_are_named);
    tcase_add_test(tc, red_is_certain_outside_its_ramp);
    tcase_add_test(tc, red_marks_the_share_that_the_ramp_says);
    tcase_add_loop_test(tc, random_traffic_equals_a_naive_recount, 0, 64);
    tcase_add_loop_test(tc, lossless_while_headroom_covers_what_is_under_way, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
