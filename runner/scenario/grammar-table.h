/* SPDX-License-Identifier: GPL-2.0-only */
/** @file grammar-table.h  Short words for the tables of a grammar. */
#ifndef WEFT_RUNNER_GRAMMAR_TABLE_H
#define WEFT_RUNNER_GRAMMAR_TABLE_H

#include "grammar.h"

#define COUNT_OF(a)     (sizeof(a) / sizeof *(a))
#define IN(type, field) offsetof(struct type, field)

#define ATTRIBUTE(holds, need, place, name, type, def, min, max, choices, doc)                     \
    .shape = holds, .required = need,                                                              \
    .param = {name, type, place, def, min, max, choices, doc, NULL}
#define VALUE_AT(place, name, need, type, def, min, max, doc)                                      \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, need, place, name, type, def, min, max, NULL, doc)                  \
    }
/* A time or a count, of which a word is WEFT_NEVER. */
#define WORD_AT(place, name, type, def, min, max, word, doc)                                       \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, place, name, type, def, min, max, word, doc)                 \
    }
#define BOOLEAN_AT(place, name, def, doc)                                                          \
    VALUE_AT(place, name, false, WEFT_BOOL, def, NULL, NULL, doc)
#define CHOICE_AT(place, name, def, choices, is_later, doc)                                        \
    {                                                                                              \
        ATTRIBUTE(SHAPE_VALUE, false, place, name, WEFT_CHOICE, def, NULL, NULL, choices, doc),    \
            .later = is_later                                                                      \
    }
#define LIST_AT(place, place_of_n, name, need, max, doc)                                           \
    {                                                                                              \
        ATTRIBUTE(SHAPE_LIST, need, place, name, WEFT_COUNT, NULL, "0", max, NULL, doc),           \
            .count = place_of_n                                                                    \
    }
#define TEXT_AT(place, holds, name, need, doc)                                                     \
    {                                                                                              \
        ATTRIBUTE(holds, need, place, name, WEFT_COUNT, NULL, NULL, NULL, NULL, doc)               \
    }

/* Attribute that is in no struct, but read from the tree. */
#define VALUE(name, need, type, def, min, max, doc)                                                \
    VALUE_AT(0, name, need, type, def, min, max, doc)
#define CHOICE(name, def, choices, doc) CHOICE_AT(0, name, def, choices, false, doc)
#define TEXTUAL(shape, name, need, doc) TEXT_AT(0, shape, name, need, doc)

#define ELEMENT(tag, where, flag, its, of)                                                         \
    .name = tag, .parents = where, .flags = flag, .attributes = its, .nattributes = COUNT_OF(its), \
    .doc = of
#define PLAIN(tag, where, flag, of)                                                                \
    {                                                                                              \
        .name = tag, .parents = where, .flags = flag, .doc = of                                    \
    }
#define WITH(tag, where, flag, its, of)                                                            \
    {                                                                                              \
        ELEMENT(tag, where, flag, its, of)                                                         \
    }
#define FIXED(tag, where, flag, of) WITH(#tag, where, flag, tag##_attributes, of)

#endif
