/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values as a user may write them: a text must be read as exactly the number that it says, or be
 * refused, and what Weft writes of a value must be read as the same. Else a run has another delay,
 * size or rate than its scenario says.
 *
 * The first two bytes choose the parameter, the third says how much room there is to write to; the
 * rest is the text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/registry.h>

#include "base/muldiv.h"
#include "fuzz.h"
#include "must.h"

/** Largest configuration of all. */
#define CONFIG 64

static const struct weft_param *
choose(uint32_t number)
{
    size_t kinds = 0, all = 0;
    const struct weft_registry *registries = weft_registries(&kinds);
    for (unsigned round = 0; round < 2; round++)
    {
        size_t at = 0;
        for (size_t k = 0; k < kinds; k++)
        {
            for (size_t a = 0; a < registries[k].count; a++)
            {
                const struct weft_algo *algo = registries[k].algos[a];
                const size_t n = algo->nparams;
                MUST(algo->config_size <= CONFIG * sizeof(int64_t));
                if (round == 1 && number % all < at + n)
                {
                    return &algo->params[number % all - at];
                }
                at += n;
            }
        }
        all = at;
    }
    return NULL;
}

/** How many base units a unit's name stands for; 0: it is none of this type. */
static uint64_t
unit_size(enum weft_type type, const char *name)
{
    static const struct
    {
        enum weft_type type;
        const char *name;
        uint64_t size;
    } units[] = {
        {WEFT_TIME, "ps", 1},
        {WEFT_TIME, "ns", 1000},
        {WEFT_TIME, "us", 1000000},
        {WEFT_TIME, "ms", 1000000000},
        {WEFT_TIME, "s", 1000000000000},
        {WEFT_BYTES, "B", 1},
        {WEFT_BYTES, "KB", 1000},
        {WEFT_BYTES, "MB", 1000000},
        {WEFT_BYTES, "GB", 1000000000},
        {WEFT_BYTES, "KiB", 1 << 10},
        {WEFT_BYTES, "MiB", 1 << 20},
        {WEFT_BYTES, "GiB", 1 << 30},
        {WEFT_RATE, "bps", 1},
        {WEFT_RATE, "Kbps", 1000},
        {WEFT_RATE, "Mbps", 1000000},
        {WEFT_RATE, "Gbps", 1000000000},
        {WEFT_RATE, "Tbps", 1000000000000},
        {WEFT_COUNT, "", 1},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    {
        if (units[i].type == type && strcmp(units[i].name, name) == 0)
        {
            return units[i].size;
        }
    }
    return 0;
}

/** Reads an integer's text, by schoolbook arithmetic over at most 18 digits. False: longer, or not
 * a whole number that fits. *known: whether the answer is to be trusted. */
static bool
whole_number(enum weft_type type, const char *text, int64_t *value, bool *known)
{
    uint64_t digits = 0, scale = 1, rest = 0;
    unsigned n = 0, before = 0;
    const bool negative = *text == '-';
    text += *text == '-' || *text == '+';
    for (; *text >= '0' && *text <= '9'; text++, n++, before++)
    {
        digits = n < 18 ? digits * 10 + (uint64_t)(*text - '0') : 0;
    }
    if (before > 0 && *text == '.')
    {
        for (text++; *text >= '0' && *text <= '9'; text++, n++)
        {
            digits = n < 18 ? digits * 10 + (uint64_t)(*text - '0') : 0;
            scale = n < 18 ? scale * 10 : 1;
        }
    }
    const bool point = before > 0 && text[-1] == '.';
    const uint64_t unit = unit_size(type, text);
    const uint64_t whole = weft_muldiv(digits, unit, scale, &rest);
    *known = n <= 18;
    if (before == 0 || point || unit == 0 || rest != 0 || whole >= INT64_MAX)
    {
        return false;
    }
    *value = (int64_t)whole;
    *value = negative ? -*value : *value;
    return true;
}

static int64_t
bound(const struct weft_param *p, const char *text, int64_t otherwise)
{
    bool known;
    int64_t value = otherwise;
    if (text && strcmp(text, "inf") != 0)
    {
        MUST(whole_number(p->type, text, &value, &known) && known);
    }
    return value;
}

static void
check_integer(const struct weft_param *p, const char *text, int err, int64_t got)
{
    int64_t value = 0;
    bool known = false;
    if (p->type == WEFT_TIME && p->max && strcmp(p->max, "inf") == 0 && strcmp(text, "inf") == 0)
    {
        MUST(err == 0 && got == WEFT_NEVER);
        return;
    }
    bool good = whole_number(p->type, text, &value, &known);
    if (known)
    {
        good = good && value >= bound(p, p->min, 0) && value <= bound(p, p->max, INT64_MAX);
        MUST(good == (err == 0));
        MUST(!good || value == got);
    }
}

/** The text has a form that strtod() knows as well, and no other. */
static bool
is_plain_real(const char *text)
{
    const char *s = text + (*text == '-' || *text == '+');
    const size_t before = strspn(s, "0123456789");
    s += before;
    if (before > 0 && *s == '.')
    {
        const size_t after = strspn(s + 1, "0123456789");
        if (after == 0)
        {
            return false;
        }
        s += 1 + after;
    }
    return before > 0 && *s == '\0';
}

static void
check_real(const struct weft_param *p, const char *text, int err, double got)
{
    const bool plain = is_plain_real(text);
    if (err == 0)
    {
        char *end;
        const double value = strtod(text, &end);
        MUST(isfinite(got) && *end == '\0' && value == got);
        MUST(!p->min || got >= strtod(p->min, NULL));
        MUST(!p->max || got <= strtod(p->max, NULL));
    }
    else if (plain && strlen(text) <= 18)
    {
        const double value = strtod(text, NULL);
        MUST((p->min && value < strtod(p->min, NULL)) || (p->max && value > strtod(p->max, NULL)));
        MUST(err == WEFT_ERANGE);
    }
}

/** Checks that what is written fits the room or is refused, and is read as the same value. */
static void
check_written(const struct weft_param *p, const int64_t *config, size_t room)
{
    char text[512];
    int64_t again[CONFIG];
    const size_t at = p->offset / sizeof *config;
    const int length = weft_param_format(p, config, text, sizeof text);
    MUST(length > 0 && (size_t)length == strlen(text));
    memset(again, 0x55, sizeof again);
    MUST(weft_param_parse(p, text, again) == 0);
    MUST(again[at] == config[at]);
    char *small = malloc(room + 1);
    const int fits = weft_param_format(p, config, small, room);
    MUST(fits == ((size_t)length < room ? length : (int)WEFT_ENOMEM));
    const int expected = weft_param_expected(p, text, sizeof text);
    MUST(expected > 0 && (size_t)expected == strlen(text));
    MUST(weft_param_expected(p, small, room) ==
         ((size_t)expected < room ? expected : (int)WEFT_ENOMEM));
    free(small);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    const struct weft_param *p = choose((uint32_t)fuzz_number(&in, 2));
    const size_t room = fuzz_byte(&in);
    char *text = calloc(in.left + 1, 1);
    int64_t config[CONFIG];
    if (in.left > 0)
    {
        memcpy(text, in.at, in.left);
    }
    memset(config, 0x55, sizeof config);
    const int err = weft_param_parse(p, text, config);
    const size_t at = p->offset / sizeof *config;
    for (size_t i = 0; i < CONFIG; i++)
    {
        MUST((i == at && err == 0) || config[i] == INT64_C(0x5555555555555555));
    }
    if (p->type == WEFT_REAL)
    {
        double value;
        memcpy(&value, &config[at], sizeof value);
        check_real(p, text, err, value);
    }
    else if (p->type != WEFT_BOOL && p->type != WEFT_CHOICE)
    {
        check_integer(p, text, err, config[at]);
    }
    if (err == 0)
    {
        check_written(p, config, room);
    }
    free(text);
    return 0;
}
