/* SPDX-License-Identifier: MIT */
/* Values of parameters as text: parsed with their units, checked, written, and what is expected. */
#include <stdbool.h>
#include <string.h>

#include <weft/error.h>
#include <weft/param.h>

#include "base/decimal.h"

struct unit
{
    const char *name;
    int64_t size; /* in base units */
};

/* Largest first; of equally short texts the first is written. */
static const struct unit time_units[] = {
    {"s", INT64_C(1000000000000)},
    {"ms", 1000000000},
    {"us", 1000000},
    {"ns", 1000},
    {"ps", 1},
    {NULL, 0},
};

static const struct unit byte_units[] = {
    {"GB", 1000000000}, {"MB", 1000000}, {"KB", 1000}, {"GiB", 1073741824},
    {"MiB", 1048576},   {"KiB", 1024},   {"B", 1},     {NULL, 0},
};

static const struct unit rate_units[] = {
    {"Tbps", INT64_C(1000000000000)},
    {"Gbps", 1000000000},
    {"Mbps", 1000000},
    {"Kbps", 1000},
    {"bps", 1},
    {NULL, 0},
};

static const struct unit no_units[] = {
    {"", 1},
    {NULL, 0},
};

static const struct unit *
units_of(enum weft_type type)
{
    switch (type)
    {
    case WEFT_TIME:
        return time_units;
    case WEFT_BYTES:
        return byte_units;
    case WEFT_RATE:
        return rate_units;
    default:
        return no_units;
    }
}

static int64_t
integer_in(const struct weft_param *p, const void *config)
{
    int64_t value;
    memcpy(&value, (const char *)config + p->offset, sizeof(value));
    return value;
}

static double
real_in(const struct weft_param *p, const void *config)
{
    double value;
    memcpy(&value, (const char *)config + p->offset, sizeof(value));
    return value;
}

/* The word that stands for WEFT_NEVER; NULL: none does. */
static const char *
word_of(const struct weft_param *p)
{
    const bool endless = p->type == WEFT_TIME && p->max != NULL && strcmp(p->max, "inf") == 0;
    return p->choices != NULL ? p->choices : endless ? "inf" : NULL;
}

static bool
is_word(const struct weft_param *p, const char *text)
{
    const char *word = word_of(p);
    return word != NULL && strcmp(text, word) == 0;
}

static bool
only_letters(const char *text)
{
    for (; *text != '\0'; text++)
    {
        if ((*text < 'a' || *text > 'z') && (*text < 'A' || *text > 'Z'))
        {
            return false;
        }
    }
    return true;
}

/* An integer with its unit, without regard to bounds. */
static int
parse_integer(const struct weft_param *p, const char *text, int64_t *value)
{
    struct weft_decimal d;
    const char *rest;
    if (is_word(p, text))
    {
        *value = WEFT_NEVER;
        return 0;
    }
    const int err = weft_decimal_scan(text, &d, &rest);
    if (err != 0)
    {
        return err;
    }
    const struct unit *unit = units_of(p->type);
    while (unit->name != NULL && strcmp(unit->name, rest) != 0)
    {
        unit++;
    }
    if (unit->name == NULL)
    {
        return only_letters(rest) ? WEFT_EUNIT : WEFT_ESYNTAX;
    }
    const int fits = weft_decimal_integer(&d, (uint64_t)unit->size, value);
    return fits == 0 && *value == WEFT_NEVER ? (int)WEFT_EOVERFLOW : fits;
}

/* Without a least value of its own, an integer must not be negative. */
static int
check_integer(const struct weft_param *p, int64_t value)
{
    int64_t bound = 0;
    if (value == WEFT_NEVER && word_of(p) != NULL)
    {
        return 0;
    }
    int err = p->min != NULL ? parse_integer(p, p->min, &bound) : 0;
    if (err == 0 && value < bound)
    {
        err = WEFT_ERANGE;
    }
    if (err == 0 && p->max != NULL)
    {
        err = parse_integer(p, p->max, &bound);
        if (err == 0 && value > bound)
        {
            err = WEFT_ERANGE;
        }
    }
    return err;
}

static int
check_real(const struct weft_param *p, double value)
{
    double bound = 0;
    int err = p->min != NULL ? weft_decimal_real(p->min, &bound) : 0;
    if (err == 0 && p->min != NULL && value < bound)
    {
        err = WEFT_ERANGE;
    }
    if (err == 0 && p->max != NULL)
    {
        err = weft_decimal_real(p->max, &bound);
        if (err == 0 && value > bound)
        {
            err = WEFT_ERANGE;
        }
    }
    return err;
}

static int
parse_bool(const char *text, int64_t *value)
{
    static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
    {
        if (strcmp(words[i], text) == 0)
        {
            *value = (int64_t)(i % 2);
            return 0;
        }
    }
    return WEFT_ESYNTAX;
}

/* Choice number @p index, or NULL; *length of its name. */
static const char *
choice_at(const struct weft_param *p, int64_t index, size_t *length)
{
    const char *name = p->choices;
    for (; index > 0 && name != NULL; index--)
    {
        name = strchr(name, ' ');
        name = name != NULL ? name + 1 : NULL;
    }
    if (index < 0 || name == NULL)
    {
        return NULL;
    }
    *length = strcspn(name, " ");
    return name;
}

static int
parse_choice(const struct weft_param *p, const char *text, int64_t *value)
{
    size_t length = 0;
    const char *name;
    for (int64_t i = 0; (name = choice_at(p, i, &length)) != NULL; i++)
    {
        if (strlen(text) == length && memcmp(text, name, length) == 0)
        {
            *value = i;
            return 0;
        }
    }
    return WEFT_ENOTFOUND;
}

static int
parse_real(const struct weft_param *p, const char *text, void *config)
{
    double value = 0;
    int err = weft_decimal_real(text, &value);
    err = err == 0 ? check_real(p, value) : err;
    if (err == 0)
    {
        memcpy((char *)config + p->offset, &value, sizeof(value));
    }
    return err;
}

int
weft_param_parse(const struct weft_param *p, const char *text, void *config)
{
    if (p == NULL || text == NULL || config == NULL)
    {
        return WEFT_EINVAL;
    }
    int64_t value = 0;
    int err;
    switch (p->type)
    {
    case WEFT_REAL:
        return parse_real(p, text, config);
    case WEFT_BOOL:
        err = parse_bool(text, &value);
        break;
    case WEFT_CHOICE:
        err = parse_choice(p, text, &value);
        break;
    default:
        err = parse_integer(p, text, &value);
        err = err == 0 ? check_integer(p, value) : err;
        break;
    }
    if (err == 0)
    {
        memcpy((char *)config + p->offset, &value, sizeof(value));
    }
    return err;
}

static int
check_value(const struct weft_param *p, int64_t value)
{
    size_t length = 0;
    switch (p->type)
    {
    case WEFT_REAL:
        return WEFT_EINVAL;
    case WEFT_BOOL:
        return value == 0 || value == 1 ? 0 : WEFT_ERANGE;
    case WEFT_CHOICE:
        return choice_at(p, value, &length) != NULL ? 0 : WEFT_ENOTFOUND;
    default:
        return value == WEFT_NEVER && word_of(p) == NULL ? (int)WEFT_EOVERFLOW
                                                         : check_integer(p, value);
    }
}

/* Refuses numbers that cannot be written and read back. */
static int
check_finite(const struct weft_param *p, double value)
{
    const double size = value < 0 ? -value : value;
    if (p->type != WEFT_REAL)
    {
        return WEFT_EINVAL;
    }
    return size == 0 || (size >= 1e-27 && size <= 1e27) ? check_real(p, value)
                                                        : (int)WEFT_EOVERFLOW;
}

int
weft_param_set_int(const struct weft_param *p, int64_t value, void *config)
{
    const int err = p != NULL && config != NULL ? check_value(p, value) : (int)WEFT_EINVAL;
    if (err == 0)
    {
        memcpy((char *)config + p->offset, &value, sizeof(value));
    }
    return err;
}

int
weft_param_set_real(const struct weft_param *p, double value, void *config)
{
    const int err = p != NULL && config != NULL ? check_finite(p, value) : (int)WEFT_EINVAL;
    if (err == 0)
    {
        memcpy((char *)config + p->offset, &value, sizeof(value));
    }
    return err;
}

int
weft_param_check(const struct weft_param *p, const void *config)
{
    if (p == NULL || config == NULL)
    {
        return WEFT_EINVAL;
    }
    return p->type == WEFT_REAL ? check_finite(p, real_in(p, config))
                                : check_value(p, integer_in(p, config));
}

static unsigned
digits_of(uint64_t value)
{
    unsigned n = 1;
    for (; value >= 10; value /= 10)
    {
        n++;
    }
    return n;
}

/* In the unit that gives the fewest digits; zero in the base unit. */
static void
write_integer(struct weft_text *out, const struct weft_param *p, int64_t value)
{
    const char *word = word_of(p);
    if (value == WEFT_NEVER && (word != NULL || p->type == WEFT_TIME))
    {
        weft_text_put(out, word != NULL ? word : "inf");
        return;
    }
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const struct unit *best = NULL;
    for (const struct unit *unit = units_of(p->type); unit->name != NULL; unit++)
    {
        const uint64_t count = size / (uint64_t)unit->size;
        if (count * (uint64_t)unit->size == size &&
            (best == NULL || size == 0 ||
             digits_of(count) < digits_of(size / (uint64_t)best->size)))
        {
            best = unit;
        }
    }
    if (value < 0)
    {
        weft_text_char(out, '-');
    }
    weft_text_u64(out, size / (uint64_t)best->size);
    weft_text_put(out, best->name);
}

static int
write_choice(struct weft_text *out, const struct weft_param *p, int64_t value)
{
    size_t length = 0;
    const char *name = choice_at(p, value, &length);
    if (name == NULL)
    {
        return WEFT_ERANGE;
    }
    for (size_t i = 0; i < length; i++)
    {
        weft_text_char(out, name[i]);
    }
    return 0;
}

int
weft_param_format(const struct weft_param *p, const void *config, char *buf, size_t size)
{
    if (p == NULL || config == NULL || (buf == NULL && size > 0))
    {
        return WEFT_EINVAL;
    }
    struct weft_text out = {buf, size, 0};
    int err = 0;
    switch (p->type)
    {
    case WEFT_REAL:
        err = weft_decimal_write(&out, real_in(p, config));
        break;
    case WEFT_BOOL:
        weft_text_put(&out, integer_in(p, config) != 0 ? "on" : "off");
        break;
    case WEFT_CHOICE:
        err = write_choice(&out, p, integer_in(p, config));
        break;
    default:
        write_integer(&out, p, integer_in(p, config));
        break;
    }
    const int length = weft_text_end(&out);
    return err != 0 ? err : length;
}

static void
write_choices(struct weft_text *out, const char *choices)
{
    weft_text_put(out, "one of ");
    for (const char *c = choices; *c != '\0'; c++)
    {
        if (*c == ' ')
        {
            weft_text_char(out, ',');
        }
        weft_text_char(out, *c);
    }
}

static void
write_kind(struct weft_text *out, const struct weft_param *p)
{
    switch (p->type)
    {
    case WEFT_TIME:
        weft_text_put(out, "a time (ps, ns, us, ms or s)");
        break;
    case WEFT_BYTES:
        weft_text_put(out, "a size (B, KB, MB, GB, KiB, MiB or GiB)");
        break;
    case WEFT_RATE:
        weft_text_put(out, "a rate (bps, Kbps, Mbps, Gbps or Tbps)");
        break;
    case WEFT_COUNT:
        weft_text_put(out, "a whole number");
        break;
    case WEFT_REAL:
        weft_text_put(out, "a number");
        break;
    case WEFT_BOOL:
        weft_text_put(out, "on or off");
        break;
    default:
        write_choices(out, p->choices);
        break;
    }
}

static void
write_bounds(struct weft_text *out, const struct weft_param *p)
{
    const bool bounded = p->max != NULL && strcmp(p->max, "inf") != 0;
    if (p->min != NULL)
    {
        weft_text_put(out, bounded ? " from " : " of at least ");
        weft_text_put(out, p->min);
    }
    if (bounded)
    {
        weft_text_put(out, p->min != NULL ? " to " : " of at most ");
        weft_text_put(out, p->max);
    }
    if (word_of(p) != NULL)
    {
        weft_text_put(out, ", or ");
        weft_text_put(out, word_of(p));
    }
}

int
weft_param_expected(const struct weft_param *p, char *buf, size_t size)
{
    if (p == NULL || (buf == NULL && size > 0))
    {
        return WEFT_EINVAL;
    }
    struct weft_text out = {buf, size, 0};
    write_kind(&out, p);
    if (p->type != WEFT_BOOL && p->type != WEFT_CHOICE)
    {
        write_bounds(&out, p);
    }
    return weft_text_end(&out);
}
