/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file grammar.h  Elements and attributes of the XML files that Weft reads, as tables. Checks,
 * loading, defaults, bounds, writing, the RELAX NG schema, `weft list` and the manual follow from
 * them.
 */
#ifndef WEFT_RUNNER_GRAMMAR_H
#define WEFT_RUNNER_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include <weft/weft.h>

/** Content of an attribute, and as what it lies in its struct. */
enum attribute_shape
{
    SHAPE_VALUE,    /**< one value of attribute_spec.param: int64_t or double */
    SHAPE_LIST,     /**< whole numbers of attribute_spec.param and ranges of them, separated by
                       spaces: uint32_t *, and how many as size_t */
    SHAPE_NAME,     /**< a name that can be part of a file name: const char * */
    SHAPE_TEXT,     /**< anything but nothing: const char * */
    SHAPE_LABEL,    /**< anything: const char * */
    SHAPE_WORDS,    /**< words separated by spaces: const char * */
    SHAPE_LENGTH,   /**< millimetres of paper, "84mm": const char * */
    SHAPE_FONT,     /**< letters, digits, spaces and '-': const char * */
    SHAPE_TEMPLATE, /**< one of attribute_spec.param's choices, or a file of the user's own: const
                       char * */
};

/** Value of an integer that has no default and is not given; a real is NAN then, a text NULL. */
#define ATTRIBUTE_ABSENT INT64_MIN

struct attribute_spec
{
    enum attribute_shape shape;
    bool required;
    struct weft_param param; /**< name, doc, place in the struct (offset); for values type, bounds
                                and default */
    size_t count;            /**< SHAPE_LIST: place of how many there are */
    unsigned templates;      /**< of a <figure>: FIGURE_SET()s that it has a meaning in; 0: all */
    bool later; /**< not written where it is the default: resolved scenarios of before lack it */
};

enum element_flag
{
    ELEMENT_MANY = 1,     /**< may stand several times */
    ELEMENT_TEXT = 2,     /**< holds text */
    ELEMENT_SETTABLE = 4, /**< <set>, <vary> and --set may change its attributes */
    ELEMENT_CHANGES = 8,  /**< changes another one: but for its name no attribute is required */
    ELEMENT_FILLED = 16,  /**< holds text that is not blank */
    ELEMENT_DISTINCT =
        32,             /**< beside ELEMENT_MANY: each in one place has another param, name or as */
    ELEMENT_SHORT = 64, /**< stands for others, and is in no resolved scenario */
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
    size_t choice; /**< with a selector: place of the struct choice */
    const char
        *def; /**< with a selector: what is chosen where nothing is; NULL: something must be */
    /** ELEMENT_MANY: the struct of one, and the places of the array and of its number in the
     * parent's struct. Others have their attributes in the parent's struct itself. Size 0: the
     * element is in no struct, but read from the tree. */
    size_t size, items, count;
};

struct grammar
{
    const struct element_spec *elements; /**< the first one is the root */
    size_t n;
};

/** The element of that name under @p parent, or NULL. */
const struct element_spec *grammar_find(const struct grammar *g, const char *name,
                                        const char *parent);

/** Whether @p spec may stand under @p parent. */
bool grammar_allows(const struct element_spec *spec, const char *parent);

/** Whether an element lacks something without that attribute. */
bool grammar_requires(const struct element_spec *spec, const struct attribute_spec *attribute);

const struct attribute_spec *grammar_attribute(const struct element_spec *spec, const char *name);

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

#endif
