/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file vocabulary.h  Every element and attribute of a scenario, in one table. Loading, the RELAX
 * NG schema, `weft list` and the manual derive from it; elements that choose an algorithm take
 * their attributes from the registries.
 */
#ifndef WEFT_RUNNER_VOCABULARY_H
#define WEFT_RUNNER_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

#include <weft/weft.h>

/** What an attribute holds. */
enum attribute_shape
{
    SHAPE_VALUE,    /**< one value of attribute_spec.param */
    SHAPE_LIST,     /**< whole numbers of attribute_spec.param and ranges of them, separated by
                       spaces */
    SHAPE_NAME,     /**< a name that can be part of a file name */
    SHAPE_TEXT,     /**< anything but nothing */
    SHAPE_LABEL,    /**< anything */
    SHAPE_WORDS,    /**< words separated by spaces */
    SHAPE_LENGTH,   /**< millimetres of paper: "84mm" */
    SHAPE_TEMPLATE, /**< one of attribute_spec.param's choices, or a file of the user's own */
};

struct attribute_spec
{
    enum attribute_shape shape;
    bool required;
    struct weft_param param; /**< name, doc; for values type, bounds and default (offset 0) */
};

enum element_flag
{
    ELEMENT_MANY = 1,     /**< may stand several times */
    ELEMENT_TEXT = 2,     /**< holds text */
    ELEMENT_SETTABLE = 4, /**< <set>, <vary> and --set may change its attributes */
    ELEMENT_CHANGES = 8,  /**< changes another one: but for its name no attribute is required */
};

struct element_spec
{
    const char *name;
    const char *parents;  /**< separated by one space; "" for the root */
    const char *selector; /**< "name" or "kind": the attribute that chooses from the registry of
                             the element's name; NULL: an element with fixed attributes */
    unsigned flags;
    const struct attribute_spec *attributes; /**< with a selector: besides the algorithm's own */
    size_t nattributes;
    const char *doc;
};

extern const struct element_spec vocabulary[];
extern const size_t vocabulary_size;

/** The element of that name under @p parent, or NULL. */
const struct element_spec *vocabulary_find(const char *name, const char *parent);

/** Whether @p spec may stand under @p parent. */
bool vocabulary_allows(const struct element_spec *spec, const char *parent);

/** Whether an element lacks something without that attribute. */
bool vocabulary_requires(const struct element_spec *spec, const struct attribute_spec *attribute);

const struct attribute_spec *vocabulary_attribute(const struct element_spec *spec,
                                                  const char *name);

/** Whether an attribute of that name has a meaning where the element chooses @p algo. */
bool vocabulary_takes(const struct element_spec *spec, const struct weft_algo *algo,
                      const char *name);

/** The attributes of an element with fixed ones in a struct: values, parsed by attribute_value().
 */
union attribute_value
{
    int64_t integer;
    double real;
};

/** The value of @p text under @p spec; 0 or an error of weft_param_parse(). */
int attribute_parse(const struct attribute_spec *spec, const char *text,
                    union attribute_value *value);

/** Ends the name of a SHAPE_TEMPLATE that is a file. */
#define TEMPLATE_END ".gp"

/** Whether the value of a SHAPE_TEMPLATE names a file. */
bool template_is_file(const char *name);

/** Bounds of a SHAPE_LENGTH, mm. */
#define LENGTH_LEAST 20
#define LENGTH_MOST  2000

/** The value of a SHAPE_LENGTH in mm; false: it is none, or out of bounds. */
bool length_parse(const char *text, double *mm);

/** What an algorithm is called when a scenario leaves its element or its name out; NULL: it must be
 * given. */
const char *default_algorithm(const char *kind);

#endif
