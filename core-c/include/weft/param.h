/* SPDX-License-Identifier: MIT */
/**
 * @file param.h  Parameter tables.
 *
 * Everything that can be chosen by name (a balancer, a transport, a topology, ...) starts with a
 * struct weft_algo: its name, its documentation and the table of its parameters. Scenario loading,
 * `weft list`, the RELAX NG schema, ns-3 attributes and the manual's tables all derive from these
 * tables; nothing about a parameter is written down twice.
 *
 * A configuration is a plain struct in which every parameter is an int64_t member (a double for
 * WEFT_REAL) at the table's offset. Times are picoseconds, sizes bytes, rates bits per second.
 */
#ifndef WEFT_PARAM_H
#define WEFT_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** "No deadline": later than any time. */
#define WEFT_NEVER INT64_MAX

    enum weft_type
    {
        WEFT_TIME,   /**< int64_t picoseconds; units ps ns us ms s; "inf" where max is "inf":
                        WEFT_NEVER */
        WEFT_BYTES,  /**< int64_t bytes; units B KB MB GB (powers of 1000), KiB MiB GiB (of 1024) */
        WEFT_RATE,   /**< int64_t bit/s; units bps Kbps Mbps Gbps Tbps (powers of 1000) */
        WEFT_COUNT,  /**< int64_t, no unit */
        WEFT_REAL,   /**< double, no unit; finite */
        WEFT_BOOL,   /**< int64_t 0 or 1; on/off, true/false, yes/no, 1/0 */
        WEFT_CHOICE, /**< int64_t index into choices */
    };

    struct weft_param
    {
        const char *name; /**< as written in a scenario: lower case, dashes */
        enum weft_type type;
        size_t offset;       /**< of the member in the configuration struct */
        const char *def;     /**< default, as text with its unit; NULL: must be given */
        const char *min;     /**< least legal value, as text; NULL: the type's own */
        const char *max;     /**< greatest legal value, as text; NULL: the type's own */
        const char *choices; /**< WEFT_CHOICE: the names, separated by one space; of a time or a
                                count: a word for WEFT_NEVER, such as "never"; else NULL */
        const char *doc;     /**< one sentence */
        const char *source;  /**< "themis §3.3", "RFC 2992", "(ours)" */
    };

    /** A named set of values: the ones a paper or a vendor uses. */
    struct weft_preset
    {
        const char *name;
        const char *settings; /**< "t-i=900us t-d=4us": name=value, separated by one space */
        const char *doc;
        const char *source;
    };

    /** First member of every ops table: its name, its documentation and its parameters. */
    struct weft_algo
    {
        const char *name;
        const char *doc;    /**< one line */
        const char *source; /**< where it is described */
        const struct weft_param *params;
        size_t nparams;
        const struct weft_preset *presets;
        size_t npresets;
        size_t config_size;
        /**
         * Checks what no single bound can (kmin <= kmax). Optional. Returns NULL if @p config is
         * sound, else a sentence that says what is wrong and what was expected.
         */
        const char *(*check)(const void *config);
    };

/** Offsets without repeating the struct's name: WEFT_P(struct dcqcn_config, t_i). */
#define WEFT_P(config, member) offsetof(config, member)

    /**
     * Parses @p text as parameter @p p into its member of @p config.
     * Integers are exact: "1.5us" is 1,500,000 ps; a value that is not a whole number of the base
     * unit (0.3ps) is WEFT_ESYNTAX. Reals are correctly rounded; they have at most 19 significant
     * digits, and 10^27 and 10^-27 are the limits (WEFT_EOVERFLOW). Without a min, times, sizes,
     * rates and counts must not be negative. On error @p config is unchanged.
     * Returns 0, WEFT_ESYNTAX, WEFT_EUNIT, WEFT_EOVERFLOW, WEFT_ERANGE, WEFT_ENOTFOUND (choice), or
     * WEFT_EINVAL: one of the three is NULL, as it is for the functions below.
     */
    WEFT_API int weft_param_parse(const struct weft_param *p, const char *text, void *config);

    /**
     * Sets a parameter by value, without text: @p value in the parameter's own unit (ps, bytes,
     * bit/s, a count), WEFT_NEVER for its word, 0 or 1 for a boolean, the choice's number. The
     * bounds are those of weft_param_parse(). On error @p config is unchanged. Returns 0,
     * WEFT_EINVAL (the parameter is a real), WEFT_ERANGE (out of bounds; a boolean that is neither
     * 0 nor 1), WEFT_EOVERFLOW (INT64_MAX where no word stands for it), WEFT_ENOTFOUND (no such
     * choice).
     */
    WEFT_API int weft_param_set_int(const struct weft_param *p, int64_t value, void *config);

    /** Sets a real. Returns 0, WEFT_EINVAL (the parameter is no real), WEFT_ERANGE or
     * WEFT_EOVERFLOW (not finite, or beyond the limits of weft_param_parse()). */
    WEFT_API int weft_param_set_real(const struct weft_param *p, double value, void *config);

    /** Whether what @p config holds is a legal value of @p p: 0, or as weft_param_set_int() and
     * weft_param_set_real(). */
    WEFT_API int weft_param_check(const struct weft_param *p, const void *config);

    /**
     * Writes the canonical text ("900us") of a parameter: weft_param_parse() reads the same value
     * back. Returns its length, WEFT_ENOMEM, or WEFT_ERANGE (no such choice, a real that is not
     * finite).
     */
    WEFT_API int weft_param_format(const struct weft_param *p, const void *config, char *buf,
                                   size_t size);

    /** Writes what is expected ("a time (ps, ns, us, ms or s) from 1us to 1s"); length or
     * WEFT_ENOMEM. */
    WEFT_API int weft_param_expected(const struct weft_param *p, char *buf, size_t size);

    /** "time", "bytes", "rate", "count", "real", "boolean" or "choice". */
    WEFT_API const char *weft_type_name(enum weft_type type);

    /** The parameter of that name, or NULL; so if the algorithm or the name is NULL. */
    WEFT_API const struct weft_param *weft_param_find(const struct weft_algo *algo,
                                                      const char *name);

    /**
     * Fills @p config with the defaults (members without one become 0).
     * Never fails on a well-formed table: tests iterate every registry to see to that. WEFT_EINVAL
     * if the algorithm is NULL, as one that was not found, or @p config, where it has members.
     */
    WEFT_API int weft_config_default(const struct weft_algo *algo, void *config);

    /** Parses one parameter by name. WEFT_ENOTFOUND if there is no such parameter, or the name or
     * the algorithm is NULL; else as weft_param_parse(). So are the functions below. */
    WEFT_API int weft_config_set(const struct weft_algo *algo, void *config, const char *name,
                                 const char *text);

    /** Sets one parameter by name and value, as weft_param_set_int(): a time in ps, a size in
     * bytes, a rate in bit/s, a count, a choice by its number. WEFT_ENOTFOUND if there is no such
     * parameter or choice. */
    WEFT_API int weft_config_set_int(const struct weft_algo *algo, void *config, const char *name,
                                     int64_t value);

    /** The value of one parameter by name, as weft_config_set_int() takes it; @p otherwise if there
     * is no such parameter, or it is a real, or there is no configuration (NULL). */
    WEFT_API int64_t weft_config_get_int(const struct weft_algo *algo, const void *config,
                                         const char *name, int64_t otherwise);

    /** Sets one real by name and value, as weft_param_set_real(). WEFT_ENOTFOUND if there is no
     * such parameter. */
    WEFT_API int weft_config_set_real(const struct weft_algo *algo, void *config, const char *name,
                                      double value);

    /** Sets one boolean. WEFT_ENOTFOUND if there is no such parameter, WEFT_EINVAL if it is no
     * boolean. */
    WEFT_API int weft_config_set_bool(const struct weft_algo *algo, void *config, const char *name,
                                      bool value);

    /** Applies a preset. WEFT_ENOTFOUND if there is none of that name; else as weft_config_set. */
    WEFT_API int weft_config_preset(const struct weft_algo *algo, void *config, const char *preset);

    /** Optimal-string-alignment distance between two names, capped at 255: for "did you mean".
     * Upper and lower case count as the same. 255 from NULL. */
    WEFT_API unsigned weft_name_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
