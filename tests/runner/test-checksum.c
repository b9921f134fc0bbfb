/* SPDX-License-Identifier: GPL-2.0-only */
/* The checksums in lists of files are those of POSIX's cksum, whatever the parts they come in. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"

static uint32_t
checksum_of(const char *bytes, size_t n, size_t part)
{
    struct checksum c = {0};
    for (size_t i = 0; i < n; i += part)
    {
        checksum_add(&c, bytes + i, n - i < part ? n - i : part);
    }
    ck_assert_uint_eq(c.bytes, n);
    return checksum_value(&c);
}

/* As GNU coreutils 9.1 prints them. */
START_TEST(known_values)
{
    static const struct
    {
        const char *bytes;
        uint32_t checksum;
    } known[] = {{"", 4294967295u}, {"a", 1220704766u}, {"123456789", 930766865u}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    {
        const size_t n = strlen(known[i].bytes);
        ck_assert_uint_eq(checksum_of(known[i].bytes, n, 1000), known[i].checksum);
        ck_assert_uint_eq(checksum_of(known[i].bytes, n, 1), known[i].checksum);
    }
    /* More bytes than fit into one of the length's: head -c 70000 /dev/zero | cksum */
    static const char zeros[70000];
    ck_assert_uint_eq(checksum_of(zeros, sizeof zeros, 4096), 1774371287u);
}
END_TEST

START_TEST(every_change_of_one_bit_is_seen)
{
    char bytes[37];
    for (size_t i = 0; i < sizeof bytes; i++)
    {
        bytes[i] = (char)(7 * i + 1);
    }
    const uint32_t whole = checksum_of(bytes, sizeof bytes, sizeof bytes);
    for (size_t part = 1; part < sizeof bytes; part++)
    {
        ck_assert_uint_eq(checksum_of(bytes, sizeof bytes, part), whole);
    }
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++)
    {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        ck_assert_uint_ne(checksum_of(bytes, sizeof bytes, sizeof bytes), whole);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tcase = tcase_create("checksum");
    tcase_add_test(tcase, known_values);
    tcase_add_test(tcase, every_change_of_one_bit_is_seen);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
