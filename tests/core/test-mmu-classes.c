/* SPDX-License-Identifier: MIT */
/*
 * A shared buffer with more than two classes, and with trimming. If these fail, one class pauses or
 * drops another's frames, or payloads are cut where there is room, or memory leaks away with them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/mmu.h>

Suite *mmu_classes_suite(void);

#define PORTS 4U

static struct weft_mmu_config config;
static struct weft_mmu *mmu;

static struct weft_mmu *
make(void)
{
    const int64_t size = weft_mmu_size(&config, PORTS);
    ck_assert_int_gt(size, 0);
    mmu = malloc((size_t)size);
    ck_assert_int_eq(weft_mmu_init(mmu, &config, PORTS), 0);
    return mmu;
}

/* 100,000 bytes, thresholds at equal shares. */
static void
setup(void)
{
    mmu = NULL;
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    config.buffer = 100000;
    config.alpha = 1;
    config.pfc = 0;
}

static void
teardown(void)
{
    free(mmu);
}

static void
trimming(int64_t at)
{
    config.trim = 1;
    config.trim_at = at;
    ck_assert_ptr_null(weft_mmu_algo.check(&config));
}

static uint32_t
class_queue(uint32_t port, uint32_t tclass)
{
    return weft_mmu_class_queues(mmu)[weft_mmu_index(mmu, port, tclass)];
}

START_TEST(sizes_follow_ports_and_classes)
{
    const int64_t two = weft_mmu_size(&config, PORTS);
    config.classes = 4;
    const int64_t four = weft_mmu_size(&config, PORTS);
    config.classes = 8;
    ck_assert_int_eq(four - two, PORTS * (4 * 16 - 2 * 12));
    ck_assert_int_eq(weft_mmu_size(&config, PORTS) - four, PORTS * 4 * 16);
    const int64_t wrong[] = {0, 1, 3, 5, 6, 7, 9, 16, -2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        config.classes = wrong[i];
        ck_assert_int_eq(weft_mmu_size(&config, PORTS), WEFT_ERANGE);
        ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "2, 4 or 8"));
    }
}
END_TEST

START_TEST(each_class_is_paused_by_itself)
{
    config.classes = 8;
    config.pfc = 1;
    config.headroom = 500; /* of 4 ports with 7 data classes each */
    config.alpha = 0.1;
    make();
    ck_assert_int_eq(mmu->shared, 86000);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 7, 7000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 7, 1000), WEFT_MMU_ADMIT | WEFT_MMU_PAUSE);
    ck_assert(weft_mmu_is_paused(mmu, 0, 7) && !weft_mmu_is_paused(mmu, 0, 6));
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 3, 6000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 0, 30000), WEFT_MMU_ADMIT); /* control */
    ck_assert(!weft_mmu_is_paused(mmu, 0, 0) && !weft_mmu_is_paused(mmu, 0, 3));
    ck_assert(!weft_mmu_release(mmu, 0, 1, 3, 6000));
    ck_assert(!weft_mmu_release(mmu, 0, 1, 0, 30000));
    ck_assert(!weft_mmu_release(mmu, 0, 1, 7, 1000));
    ck_assert(weft_mmu_release(mmu, 0, 1, 7, 7000));
    ck_assert_int_eq(mmu->shared_used, 0);
}
END_TEST

/* Without PFC a threshold is that of a class' own queue. */
START_TEST(a_long_class_does_not_drop_another)
{
    config.classes = 4;
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 45000), WEFT_MMU_ADMIT);
    ck_assert(!weft_mmu_admits_easily(mmu, 0, 1, 1, 10001));
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 10001), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 2, 10001), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_queues(mmu)[1], 55001);
    ck_assert_uint_eq(class_queue(1, 1), 45000);
    ck_assert_uint_eq(class_queue(1, 2), 10001);
}
END_TEST

START_TEST(trims_above_the_limit_not_at_it)
{
    trimming(6000);
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 0, 64), WEFT_MMU_ADMIT); /* does not count */
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 3000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 3000), WEFT_MMU_ADMIT);
    ck_assert(!weft_mmu_admits_easily(mmu, 2, 1, 1, 65));
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, 1, 65), WEFT_MMU_TRIM);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, 1, 64), WEFT_MMU_ADMIT); /* as short as a header */
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 3, 1, 3000), WEFT_MMU_ADMIT); /* another port */
    ck_assert_uint_eq(weft_mmu_admit_header(mmu, 2, 1), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(class_queue(1, 0), 128);
    ck_assert_uint_eq(class_queue(1, 1), 6064);
    ck_assert(mmu->trims == 1 && mmu->header_drops == 0 && mmu->drops == 0);
    ck_assert(!weft_mmu_release(mmu, 2, 1, 0, 64));
    ck_assert_uint_eq(class_queue(1, 0), 64);
    ck_assert_int_eq(mmu->shared_used, 64 + 6000 + 64 + 3000);
}
END_TEST

/* Frames that would be dropped for want of memory are trimmed: by a threshold, or by a port's own
 * memory. */
START_TEST(trims_what_would_be_dropped)
{
    trimming(90000);
    config.port_buffer = _i ? 50000 : 0;
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 45000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 11000), WEFT_MMU_TRIM);
    ck_assert_uint_eq(weft_mmu_admit_whole(mmu, 0, 1, 1, 11000), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit_header(mmu, 0, 1), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(mmu->drops, 1);
}
END_TEST

START_TEST(headers_have_a_limit_of_their_own)
{
    trimming(200);
    config.header_queue = _i ? 150 : 0;
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 200), WEFT_MMU_ADMIT);
    const uint32_t most = _i ? 2 : 6; /* 64 bytes each, in 150 or twice trim-at */
    for (uint32_t n = 0; n < most; n++)
    {
        ck_assert_uint_eq(weft_mmu_admit_header(mmu, 0, 1), WEFT_MMU_ADMIT);
    }
    ck_assert(!weft_mmu_admits_easily(mmu, 0, 1, 0, 64));
    ck_assert_uint_eq(weft_mmu_admit_header(mmu, 0, 1), WEFT_MMU_DROP);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 0, 64), WEFT_MMU_DROP); /* so has a reply */
    ck_assert_uint_eq(weft_mmu_admit_header(mmu, 0, 2), WEFT_MMU_ADMIT);
    ck_assert(mmu->trims == most + 2 && mmu->header_drops == 1 && mmu->drops == 2);
}
END_TEST

/* The newest gives up its place, which came in elsewhere; a longer arrival may pass the limit. */
START_TEST(the_newest_gives_up_its_place)
{
    trimming(4000);
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 3000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 3, 1, 1, 1000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, 1, 1500), WEFT_MMU_TRIM);
    ck_assert(weft_mmu_replace(mmu, 2, 1, 1, 1500, 3, 1000));
    ck_assert_uint_eq(weft_mmu_admit_header(mmu, 3, 1), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(class_queue(1, 1), 4500);
    ck_assert_uint_eq(weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 3, 1)].bytes, 0);
    ck_assert_uint_eq(weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 3, 0)].bytes, 64);
    ck_assert_uint_eq(weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 2, 1)].bytes, 1500);
    ck_assert_int_eq(mmu->shared_used, 4564);
    ck_assert_int_ge(mmu->peak_used, 4564);
}
END_TEST

START_TEST(the_newest_stays_where_that_makes_no_room)
{
    trimming(90000);
    make();
    ck_assert_uint_eq(weft_mmu_admit(mmu, 0, 1, 1, 48000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 3, 1, 1, 1000), WEFT_MMU_ADMIT);
    ck_assert_uint_eq(weft_mmu_admit(mmu, 2, 1, 1, 9000), WEFT_MMU_TRIM);
    ck_assert(!weft_mmu_replace(mmu, 2, 1, 1, 9000, 3, 1000));
    ck_assert_uint_eq(class_queue(1, 1), 49000);
    ck_assert_uint_eq(weft_mmu_ingresses(mmu)[weft_mmu_index(mmu, 3, 1)].bytes, 1000);
    ck_assert_int_eq(mmu->shared_used, 49000);
    ck_assert(mmu->trims == 0 && mmu->drops == 0);
}
END_TEST

START_TEST(unsound_trimming_is_refused)
{
    config.trim = 1;
    config.pfc = 1;
    config.headroom = 1000;
    ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "pfc=off"));
    struct weft_mmu *memory = malloc((size_t)weft_mmu_size(&config, PORTS));
    ck_assert_int_eq(weft_mmu_init(memory, &config, PORTS), WEFT_ERANGE);
    config.pfc = 0;
    config.trim_at = config.trim_bytes;
    ck_assert_ptr_nonnull(strstr(weft_mmu_algo.check(&config), "trim-bytes < trim-at"));
    config.trim_bytes = 0;
    ck_assert_int_eq(weft_mmu_init(memory, &config, PORTS), WEFT_ERANGE);
    config.trim_bytes = 1;
    ck_assert_int_eq(weft_mmu_init(memory, &config, PORTS), 0);
    free(memory);
}
END_TEST

Suite *
mmu_classes_suite(void)
{
    Suite *suite = suite_create("mmu-classes");
    TCase *tc = tcase_create("mmu-classes");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, sizes_follow_ports_and_classes);
    tcase_add_test(tc, each_class_is_paused_by_itself);
    tcase_add_test(tc, a_long_class_does_not_drop_another);
    tcase_add_test(tc, trims_above_the_limit_not_at_it);
    tcase_add_loop_test(tc, trims_what_would_be_dropped, 0, 2);
    tcase_add_loop_test(tc, headers_have_a_limit_of_their_own, 0, 2);
    tcase_add_test(tc, the_newest_gives_up_its_place);
    tcase_add_test(tc, the_newest_stays_where_that_makes_no_room);
    tcase_add_test(tc, unsound_trimming_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
