/* SPDX-License-Identifier: MIT */
/* A user would lose exact parameters, or a clear refusal of mistaken ones. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/param.h>
#include <weft/rng.h>

#include "must.h"

struct config
{
    int64_t time, endless, bytes, rate, count, sign, flag, choice;
    double real, share;
    int64_t when, which;
};

static const struct weft_param params[] = {
    {"time", WEFT_TIME, WEFT_P(struct config, time), "1us", NULL, NULL, NULL, "d", "s"},
    {"endless", WEFT_TIME, WEFT_P(struct config, endless), "inf", "1us", "inf", NULL, "d", "s"},
    {"bytes", WEFT_BYTES, WEFT_P(struct config, bytes), "64MB", NULL, "1GB", NULL, "d", "s"},
    {"rate", WEFT_RATE, WEFT_P(struct config, rate), "400Gbps", "1bps", NULL, NULL, "d", "s"},
    {"count", WEFT_COUNT, WEFT_P(struct config, count), "16", "1", "1000", NULL, "d", "s"},
    {"sign", WEFT_COUNT, WEFT_P(struct config, sign), "-1", "-1", NULL, NULL, "d", "s"},
    {"flag", WEFT_BOOL, WEFT_P(struct config, flag), "on", NULL, NULL, NULL, "d", "s"},
    {"choice", WEFT_CHOICE, WEFT_P(struct config, choice), "first", NULL, NULL, "share first last",
     "d", "s"},
    {"real", WEFT_REAL, WEFT_P(struct config, real), "0.00390625", NULL, NULL, NULL, "d", "s"},
    {"share", WEFT_REAL, WEFT_P(struct config, share), NULL, "0", "1", NULL, "d", "s"},
    {"when", WEFT_TIME, WEFT_P(struct config, when), "never", "1us", NULL, "never", "d", "s"},
    {"which", WEFT_COUNT, WEFT_P(struct config, which), "0", "0", "7", "all", "d", "s"},
};

static const struct weft_preset presets[] = {
    {"fast", "time=4us count=7", "d", "s"},
    {"one", "share=0.25", "d", "s"},
    {"broken", "time=4us nonsense", "d", "s"},
};

static const struct weft_algo algo = {
    "test", "d", "s", params, 12, presets, 3, sizeof(struct config), NULL,
};

static int64_t
parsed(const char *name, const char *text)
{
    struct config config;
    memset(&config, 0x5a, sizeof(config));
    const int err = weft_config_set(&algo, &config, name, text);
    if (err != 0)
    {
        ck_abort_msg("%s=%s: %s", name, text, weft_strerror(err));
    }
    int64_t value;
    memcpy(&value, (const char *)&config + weft_param_find(&algo, name)->offset, sizeof(value));
    return value;
}

static double
parsed_real(const char *text)
{
    struct config config;
    const int err = weft_config_set(&algo, &config, "real", text);
    if (err != 0)
    {
        ck_abort_msg("%s: %s", text, weft_strerror(err));
    }
    return config.real;
}

/* The error, having seen that the configuration was left alone. */
static int
refused(const char *name, const char *text)
{
    struct config config, before;
    memset(&config, 0x5a, sizeof(config));
    before = config;
    const int err = weft_config_set(&algo, &config, name, text);
    ck_assert_msg(memcmp(&config, &before, sizeof(config)) == 0, "%s=%s was written", name, text);
    return err;
}

START_TEST(units_are_exact)
{
    ck_assert_int_eq(parsed("time", "1ps"), 1);
    ck_assert_int_eq(parsed("time", "1.5us"), 1500000);
    ck_assert_int_eq(parsed("time", "0.001ns"), 1);
    ck_assert_int_eq(parsed("time", "+900us"), 900000000);
    ck_assert_int_eq(parsed("time", "9000000s"), INT64_C(9000000000000000000));
    ck_assert_int_eq(parsed("time", "1.50000000000000000000000000000us"), 1500000);
    ck_assert_int_eq(parsed("time", "9223372036854775806ps"), INT64_MAX - 1);
    ck_assert_int_eq(parsed("endless", "inf"), WEFT_NEVER);
    ck_assert_int_eq(parsed("when", "never"), WEFT_NEVER);
    ck_assert_int_eq(parsed("which", "all"), WEFT_NEVER);
    ck_assert_int_eq(parsed("bytes", "1452B"), 1452);
    ck_assert_int_eq(parsed("bytes", "1.5KiB"), 1536);
    ck_assert_int_eq(parsed("bytes", "0.0009765625MiB"), 1024);
    ck_assert_int_eq(parsed("bytes", "64MB"), 64000000);
    ck_assert_int_eq(parsed("bytes", "64MiB"), 67108864);
    ck_assert_int_eq(parsed("rate", "400Gbps"), INT64_C(400000000000));
    ck_assert_int_eq(parsed("rate", "0.1Tbps"), INT64_C(100000000000));
    ck_assert_int_eq(parsed("count", "007"), 7);
    ck_assert_int_eq(parsed("count", "10.00"), 10);
    ck_assert_int_eq(parsed("sign", "-1"), -1);
}
END_TEST

START_TEST(words_have_their_values)
{
    static const char *const yes[] = {"on", "true", "yes", "1"};
    static const char *const no[] = {"off", "false", "no", "0"};
    for (int i = 0; i < 4; i++)
    {
        ck_assert_int_eq(parsed("flag", yes[i]), 1);
        ck_assert_int_eq(parsed("flag", no[i]), 0);
    }
    ck_assert_int_eq(parsed("choice", "share"), 0);
    ck_assert_int_eq(parsed("choice", "first"), 1);
    ck_assert_int_eq(parsed("choice", "last"), 2);
}
END_TEST

START_TEST(mistakes_are_told_apart)
{
    static const struct
    {
        const char *name, *text;
        int err;
    } cases[] = {
        {"time", "", WEFT_ESYNTAX},
        {"time", "us", WEFT_ESYNTAX},
        {"time", "-", WEFT_ESYNTAX},
        {"time", "nan", WEFT_ESYNTAX},
        {"time", "inf", WEFT_ESYNTAX},
        {"when", "inf", WEFT_ESYNTAX},
        {"which", "never", WEFT_ESYNTAX},
        {"which", "8", WEFT_ERANGE},
        {"time", "0.3ps", WEFT_ESYNTAX},
        {"time", "1..5us", WEFT_ESYNTAX},
        {"time", "1.us", WEFT_ESYNTAX},
        {"time", ".5us", WEFT_ESYNTAX},
        {"time", "1,5us", WEFT_ESYNTAX},
        {"time", "1 us", WEFT_ESYNTAX},
        {"time", " 1us", WEFT_ESYNTAX},
        {"time", "1us ", WEFT_ESYNTAX},
        {"time", "--1us", WEFT_ESYNTAX},
        {"time", "5", WEFT_EUNIT},
        {"time", "5us5", WEFT_ESYNTAX},
        {"time", "5MB", WEFT_EUNIT},
        {"time", "5US", WEFT_EUNIT},
        {"time", "-5us", WEFT_ERANGE},
        {"time", "9223372036854775807ps", WEFT_EOVERFLOW},
        {"time", "9223372036854775808ps", WEFT_EOVERFLOW},
        {"time", "9223373s", WEFT_EOVERFLOW},
        {"time", "99999999999999999999999999us", WEFT_EOVERFLOW},
        {"endless", "1ns", WEFT_ERANGE},
        {"endless", "-inf", WEFT_ESYNTAX},
        {"bytes", "1.0001KB", WEFT_ESYNTAX},
        {"bytes", "0.1KiB", WEFT_ESYNTAX},
        {"bytes", "1.1GB", WEFT_ERANGE},
        {"bytes", "64M", WEFT_EUNIT},
        {"rate", "0bps", WEFT_ERANGE},
        {"rate", "10GB", WEFT_EUNIT},
        {"rate", "1e400Gbps", WEFT_ESYNTAX},
        {"count", "0", WEFT_ERANGE},
        {"count", "1001", WEFT_ERANGE},
        {"count", "1000000000", WEFT_ERANGE},
        {"count", "2.5", WEFT_ESYNTAX},
        {"count", "0x10", WEFT_ESYNTAX},
        {"count", "2e2", WEFT_ESYNTAX},
        {"count", "5KB", WEFT_EUNIT},
        {"count", "18446744073709551617", WEFT_EOVERFLOW},
        {"sign", "-2", WEFT_ERANGE},
        {"flag", "maybe", WEFT_ESYNTAX},
        {"flag", "ON", WEFT_ESYNTAX},
        {"choice", "firs", WEFT_ENOTFOUND},
        {"choice", "share first", WEFT_ENOTFOUND},
        {"choice", "", WEFT_ENOTFOUND},
        {"real", "nan", WEFT_ESYNTAX},
        {"real", "inf", WEFT_ESYNTAX},
        {"real", "-inf", WEFT_ESYNTAX},
        {"real", "0x1p3", WEFT_ESYNTAX},
        {"real", "1e", WEFT_ESYNTAX},
        {"real", "1e+", WEFT_ESYNTAX},
        {"real", "1e1.0", WEFT_ESYNTAX},
        {"real", "1.5.2", WEFT_ESYNTAX},
        {"real", "0.5 ", WEFT_ESYNTAX},
        {"real", "", WEFT_ESYNTAX},
        {"real", "1e400", WEFT_EOVERFLOW},
        {"real", "1e-400", WEFT_EOVERFLOW},
        {"real", "1e99999999999999999999", WEFT_EOVERFLOW},
        {"real", "12345678901234567890123", WEFT_EOVERFLOW},
        {"share", "1.0000001", WEFT_ERANGE},
        {"share", "-0.0000001", WEFT_ERANGE},
        {"nothing", "1", WEFT_ENOTFOUND},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const int err = refused(cases[i].name, cases[i].text);
        ck_assert_msg(err == cases[i].err, "%s=\"%s\": \"%s\", expected \"%s\"", cases[i].name,
                      cases[i].text, weft_strerror(err), weft_strerror(cases[i].err));
    }
}
END_TEST

START_TEST(absurdly_long_numbers_are_refused)
{
    char text[1000];
    memset(text, '0', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(refused("count", text), WEFT_EOVERFLOW);
    text[1] = '.';
    ck_assert_int_eq(refused("real", text), WEFT_EOVERFLOW);
}
END_TEST

START_TEST(reals_are_correctly_rounded)
{
    /* Hard cases of decimal conversion, and what scenarios hold. The C library is the reference. */
    static const char *const texts[] = {"0",
                                        "-0.5",
                                        "0.1",
                                        "0.2",
                                        "0.00390625",
                                        "1e-4",
                                        "1E6",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.5",
                                        "0.3333333333333333333",
                                        "1.00000000000000011",
                                        "2.2250738585072014e-8",
                                        "8.5e-26",
                                        "6.02214076e23",
                                        "123456789012345678e8",
                                        "1e22",
                                        "1e23"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    {
        ck_assert_msg(parsed_real(texts[i]) == strtod(texts[i], NULL), "%s", texts[i]);
    }
    ck_assert(!signbit(parsed_real("-0")));
}
END_TEST

START_TEST(random_reals_are_correctly_rounded)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 0, 0);
    for (int i = 0; i < 200000; i++)
    {
        char text[64];
        uint64_t digits = (uint64_t)weft_rng_u32(&rng) << 32 | weft_rng_u32(&rng);
        digits >>= 1 + weft_rng_below(&rng, 63);
        digits %= UINT64_C(10000000000000000000);
        int exponent = (int)weft_rng_below(&rng, 54) - 27;
        if (exponent > 7)
        {
            exponent = -exponent; /* 19 digits and 10^8 reach 10^27, the limit */
        }
        snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits, exponent);
        if (parsed_real(text) != strtod(text, NULL))
        {
            ck_abort_msg("%s", text);
        }
    }
}
END_TEST

START_TEST(halfway_reals_go_to_even)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 6, 0, 0);
    for (int i = 0; i < 100000; i++)
    {
        char text[64];
        const uint64_t high = UINT64_C(1) << 53 | (uint64_t)weft_rng_u32(&rng) << 15;
        const uint64_t digits = (high | weft_rng_below(&rng, 1U << 15)) | 1U;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)digits);
        if (parsed_real(text) != strtod(text, NULL))
        {
            ck_abort_msg("%s", text);
        }
    }
}
END_TEST

static const char *
formatted(const char *name, struct config *config)
{
    static char text[64];
    const int length = weft_param_format(weft_param_find(&algo, name), config, text, sizeof(text));
    MUST(length == (int)strlen(text));
    return text;
}

START_TEST(values_are_written_in_the_unit_that_reads_best)
{
    struct config c = {900000000, WEFT_NEVER, 65536,     INT64_C(400000000000), 16, -1, 1, 2, 0.1,
                       1.0,       WEFT_NEVER, WEFT_NEVER};
    ck_assert_str_eq(formatted("time", &c), "900us");
    ck_assert_str_eq(formatted("endless", &c), "inf");
    ck_assert_str_eq(formatted("when", &c), "never");
    ck_assert_str_eq(formatted("which", &c), "all");
    ck_assert_str_eq(formatted("bytes", &c), "64KiB");
    ck_assert_str_eq(formatted("rate", &c), "400Gbps");
    ck_assert_str_eq(formatted("count", &c), "16");
    ck_assert_str_eq(formatted("sign", &c), "-1");
    ck_assert_str_eq(formatted("flag", &c), "on");
    ck_assert_str_eq(formatted("choice", &c), "last");
    ck_assert_str_eq(formatted("real", &c), "0.1");
    ck_assert_str_eq(formatted("share", &c), "1");
    c.bytes = 1452;
    c.time = 0;
    c.real = 0.00390625;
    c.share = 1e-20;
    ck_assert_str_eq(formatted("bytes", &c), "1452B");
    ck_assert_str_eq(formatted("time", &c), "0ps");
    ck_assert_str_eq(formatted("real", &c), "0.00390625");
    ck_assert_str_eq(formatted("share", &c), "1e-20");
    c.bytes = 64000000;
    c.real = -1e23;
    ck_assert_str_eq(formatted("bytes", &c), "64MB");
    ck_assert_str_eq(formatted("real", &c), "-100000000000000000000000");
}
END_TEST

START_TEST(what_is_written_reads_back_the_same)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 7, 0, 0);
    for (int i = 0; i < 10000; i++)
    {
        char text[64];
        struct config c;
        memset(&c, 0, sizeof(c));
        const uint64_t high = weft_rng_u32(&rng);
        const int64_t x = (int64_t)((high << 32 | weft_rng_u32(&rng)) >> 1);
        c.time = x >> weft_rng_below(&rng, 63);
        c.real = 0.5 + weft_rng_unit(&rng);
        c.real *= pow(10, (double)weft_rng_below(&rng, 30) - 9);
        c.real += weft_rng_unit(&rng) * 1e-9 * c.real;
        snprintf(text, sizeof(text), "%s", formatted("time", &c));
        MUST(parsed("time", text) == c.time);
        snprintf(text, sizeof(text), "%s", formatted("real", &c));
        if (parsed_real(text) != c.real)
        {
            ck_abort_msg("%s is not %.17g", text, c.real);
        }
    }
}
END_TEST

START_TEST(a_short_buffer_is_never_overrun)
{
    struct config c = {900000000, 0, 0, 0, 0, 0, 0, 9, 0, 0};
    for (size_t size = 0; size < 6; size++)
    {
        char text[8];
        memset(text, 'x', sizeof(text));
        ck_assert_int_eq(weft_param_format(&params[0], &c, text, size), WEFT_ENOMEM);
        ck_assert(text[size] == 'x');
    }
    char text[8];
    ck_assert_int_eq(weft_param_format(&params[7], &c, text, sizeof(text)), WEFT_ERANGE);
    c.real = (double)NAN;
    ck_assert_int_eq(weft_param_format(&params[8], &c, text, sizeof(text)), WEFT_ERANGE);
    c.real = 1e300;
    ck_assert_int_eq(weft_param_format(&params[8], &c, text, sizeof(text)), WEFT_ERANGE);
}
END_TEST

static void
expect(const char *name, const char *sentence)
{
    char text[128];
    const int length = weft_param_expected(weft_param_find(&algo, name), text, sizeof(text));
    ck_assert_str_eq(text, sentence);
    ck_assert_int_eq(length, (int)strlen(sentence));
}

START_TEST(what_is_expected_is_said_plainly)
{
    expect("time", "a time (ps, ns, us, ms or s)");
    expect("endless", "a time (ps, ns, us, ms or s) of at least 1us, or inf");
    expect("when", "a time (ps, ns, us, ms or s) of at least 1us, or never");
    expect("which", "a whole number from 0 to 7, or all");
    expect("bytes", "a size (B, KB, MB, GB, KiB, MiB or GiB) of at most 1GB");
    expect("rate", "a rate (bps, Kbps, Mbps, Gbps or Tbps) of at least 1bps");
    expect("count", "a whole number from 1 to 1000");
    expect("flag", "on or off");
    expect("choice", "one of share, first, last");
    expect("share", "a number from 0 to 1");
}
END_TEST

START_TEST(defaults_and_presets_apply)
{
    struct config c;
    memset(&c, 0x5a, sizeof(c));
    ck_assert_int_eq(weft_config_default(&algo, &c), 0);
    ck_assert_int_eq(c.time, 1000000);
    ck_assert_int_eq(c.endless, WEFT_NEVER);
    ck_assert(c.real == 0.00390625 && c.share == 0);
    ck_assert_int_eq(weft_config_preset(&algo, &c, "fast"), 0);
    ck_assert_int_eq(c.time, 4000000);
    ck_assert_int_eq(c.count, 7);
    ck_assert_int_eq(weft_config_preset(&algo, &c, "one"), 0);
    ck_assert(c.share == 0.25);
    ck_assert_int_eq(weft_config_preset(&algo, &c, "slow"), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_preset(&algo, &c, "broken"), WEFT_ESYNTAX);
}
END_TEST

START_TEST(distances_between_names)
{
    ck_assert_uint_eq(weft_name_distance("ecmp", "ecmp"), 0);
    ck_assert_uint_eq(weft_name_distance("ECMP", "ecmp"), 0);
    ck_assert_uint_eq(weft_name_distance("ecpm", "ecmp"), 1);
    ck_assert_uint_eq(weft_name_distance("themsi", "themis"), 1);
    ck_assert_uint_eq(weft_name_distance("", "abc"), 3);
    ck_assert_uint_eq(weft_name_distance("abc", ""), 3);
    ck_assert_uint_eq(weft_name_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(weft_name_distance("ca", "abc"), 3); /* 2 if edits could overlap */
    char huge[1000];
    memset(huge, 'a', sizeof(huge));
    huge[sizeof(huge) - 1] = '\0';
    ck_assert_uint_eq(weft_name_distance(huge, "ecmp"), 255);
}
END_TEST

START_TEST(every_error_has_its_own_sentence)
{
    for (int a = WEFT_ENOTCLOS; a <= 0; a++)
    {
        ck_assert_str_ne(weft_strerror(a), "unknown error");
        for (int b = WEFT_ENOTCLOS; b < a; b++)
        {
            ck_assert_str_ne(weft_strerror(a), weft_strerror(b));
        }
    }
    ck_assert_str_eq(weft_strerror(-1000), "unknown error");
    ck_assert_str_eq(weft_strerror(12), "success");
}
END_TEST

/* The error of setting an integer by value. What was set must read as its text does; what was
 * refused must be left alone. */
static int
set_int(const char *name, int64_t value, const char *text)
{
    struct config config, expected;
    memset(&config, 0x5a, sizeof(config));
    expected = config;
    if (text != NULL)
    {
        MUST(weft_config_set(&algo, &expected, name, text) == 0);
    }
    const int err = weft_config_set_int(&algo, &config, name, value);
    ck_assert_msg(memcmp(&config, &expected, sizeof(config)) == 0, "%s", name);
    if (err == 0)
    {
        ck_assert_int_eq(weft_config_get_int(&algo, &config, name, -2), value);
    }
    return err;
}

START_TEST(values_are_set_as_their_texts_are)
{
    ck_assert_int_eq(set_int("time", 300000000, "300us"), 0);
    ck_assert_int_eq(set_int("endless", WEFT_NEVER, "inf"), 0);
    ck_assert_int_eq(set_int("bytes", 64000000, "64MB"), 0);
    ck_assert_int_eq(set_int("rate", INT64_C(400000000000), "400Gbps"), 0);
    ck_assert_int_eq(set_int("count", 1000, "1000"), 0);
    ck_assert_int_eq(set_int("sign", -1, "-1"), 0);
    ck_assert_int_eq(set_int("flag", 1, "on"), 0);
    ck_assert_int_eq(set_int("flag", 0, "off"), 0);
    ck_assert_int_eq(set_int("choice", 2, "last"), 0);
    struct config config = {0};
    MUST(weft_config_set_real(&algo, &config, "share", 0.25) == 0);
    MUST(weft_config_set_real(&algo, &config, "real", -1e27) == 0);
    MUST(weft_config_set_bool(&algo, &config, "flag", true) == 0);
    ck_assert_double_eq(config.share, 0.25);
    ck_assert_double_eq(config.real, -1e27);
    ck_assert_int_eq(config.flag, 1);
    ck_assert_int_eq(weft_config_get_int(&algo, &config, "share", -2), -2);
    ck_assert_int_eq(weft_config_get_int(&algo, &config, "nothing", -2), -2);
}
END_TEST

START_TEST(values_are_refused_as_their_texts_are)
{
    ck_assert_int_eq(set_int("time", -1, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("time", WEFT_NEVER, NULL), WEFT_EOVERFLOW);
    ck_assert_int_eq(set_int("endless", 999999, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("bytes", 1000000001, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("rate", 0, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("count", 0, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("sign", -2, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("flag", 2, NULL), WEFT_ERANGE);
    ck_assert_int_eq(set_int("choice", 3, NULL), WEFT_ENOTFOUND);
    ck_assert_int_eq(set_int("choice", -1, NULL), WEFT_ENOTFOUND);
    ck_assert_int_eq(set_int("share", 1, NULL), WEFT_EINVAL);
    ck_assert_int_eq(set_int("nothing", 1, NULL), WEFT_ENOTFOUND);
    struct config config = {0};
    const struct config before = config;
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "share", 1.5), WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "share", (double)NAN), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "real", 1e300), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "real", 1e-300), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "count", 5), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set_real(&algo, &config, "nothing", 5), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set_bool(&algo, &config, "count", true), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set_bool(&algo, &config, "nothing", true), WEFT_ENOTFOUND);
    ck_assert_int_eq(memcmp(&config, &before, sizeof(config)), 0);
}
END_TEST

Suite *
param_suite(void)
{
    Suite *suite = suite_create("param");
    TCase *tcase = tcase_create("param");
    tcase_add_test(tcase, units_are_exact);
    tcase_add_test(tcase, words_have_their_values);
    tcase_add_test(tcase, mistakes_are_told_apart);
    tcase_add_test(tcase, absurdly_long_numbers_are_refused);
    tcase_add_test(tcase, reals_are_correctly_rounded);
    tcase_add_test(tcase, random_reals_are_correctly_rounded);
    tcase_add_test(tcase, halfway_reals_go_to_even);
    tcase_add_test(tcase, values_are_written_in_the_unit_that_reads_best);
    tcase_add_test(tcase, what_is_written_reads_back_the_same);
    tcase_add_test(tcase, a_short_buffer_is_never_overrun);
    tcase_add_test(tcase, what_is_expected_is_said_plainly);
    tcase_add_test(tcase, defaults_and_presets_apply);
    tcase_add_test(tcase, values_are_set_as_their_texts_are);
    tcase_add_test(tcase, values_are_refused_as_their_texts_are);
    tcase_add_test(tcase, distances_between_names);
    tcase_add_test(tcase, every_error_has_its_own_sentence);
    suite_add_tcase(suite, tcase);
    return suite;
}
