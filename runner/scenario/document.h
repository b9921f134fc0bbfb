/* SPDX-License-Identifier: GPL-2.0-only */
/** @file document.h  A file of XML as a tree of elements that know their lines. */
#ifndef WEFT_RUNNER_DOCUMENT_H
#define WEFT_RUNNER_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "diagnostics.h"
#include "vocabulary.h"

struct attribute
{
    char *name;
    char *value;
    int line;        /**< where it stands, or LINE_COMMAND */
    bool overridden; /**< set by a sweep or on the command line */
};

struct element
{
    char *name;
    const struct element_spec *spec; /**< NULL: unknown (an error was reported) */
    int line;
    struct attribute *attributes;
    size_t nattributes;
    char *text;    /**< "" where there is none */
    int text_line; /**< where it begins: behind the start tag */
    struct element **children;
    size_t nchildren;
};

struct document
{
    char *path;
    char *bytes; /**< the file, verbatim */
    size_t size;
    const struct grammar *grammar;
    struct element *root;
    char *quick; /**< its quick version as a file, where it is that (quick_apply()); else NULL */
};

/** Largest scenario file, bytes. */
#define DOCUMENT_MOST_BYTES ((size_t)16 << 20)

/** Reads and parses a file. NULL after errors, which are in @p d. */
struct document *document_read_as(const struct grammar *g, const char *path, struct diagnostics *d);

/** Reads a document from memory; @p path is only for messages. */
struct document *document_parse_as(const struct grammar *g, const char *path, const char *bytes,
                                   size_t size, struct diagnostics *d);

/** Reads a scenario's document. */
struct document *document_read(const char *path, struct diagnostics *d);
struct document *document_parse(const char *path, const char *bytes, size_t size,
                                struct diagnostics *d);

void document_free(struct document *doc);
/** For CLEANUP(). */
void document_drop(struct document **doc);

/** Returns what a command that means this document has behind its path: " --quick" or "". */
const char *document_option(const struct document *doc);

/** A document with that root as a file, without comments; the caller frees it. */
char *document_write(const struct element *root);

/** Reports unknown elements and attributes, doubles, missing and malformed values. */
void document_check(const struct document *doc, struct diagnostics *d);

/** Reports children of one name and key where the grammar wants each once: what is set for a run
 * may give one the name of another. document_check() does so. */
void element_check_distinct(const struct element *parent, struct diagnostics *d);

/* --- the quick version: what <quick> makes smaller -------------------------------------------- */

/** Reports what is wrong in a document's <quick>, if it has one: names of parameters, cases and
 * figures that are not there, and what would change nothing. Values are for who loads its runs. */
void quick_check(const struct document *doc, struct diagnostics *d);

/**
 * Makes of a document its quick version, whose name ends in "-quick": values and elements of
 * <quick> take their places as if the file said so, and <quick> goes. doc->quick is the same as a
 * file. One without <quick> keeps its name and its values. False after errors, then the document
 * can only be freed.
 */
bool quick_apply(struct document *doc, struct diagnostics *d);

/* --- a case more ------------------------------------------------------------------------------ */

/** Adds to what varies the case that "NAME: PARAM=VALUE, ..." says, at the end of the <vary> or
 * <cases> that one of its parameters is of. With like=CASE it has that case's values, too, but for
 * those that an algorithm which it chooses does not have. False after errors. */
bool document_add_case(struct document *doc, const char *text, struct diagnostics *d);

/* --- elements --------------------------------------------------------------------------------- */

struct element *element_new(const char *name, const struct element_spec *spec, int line);
struct element *element_copy(const struct element *e);
void element_free(struct element *e);
/** The first child of that name, or NULL. */
struct element *element_child(const struct element *e, const char *name);
/** The child of a name that comes after another one (NULL: the first); NULL: there is none. */
struct element *element_child_after(const struct element *parent, const char *name,
                                    const struct element *after);
/** The first child of that kind with that name="...", or NULL. */
struct element *element_named(const struct element *e, const char *kind, const char *name);
void element_add(struct element *parent, struct element *child);
/** The attribute of that name, or NULL. */
struct attribute *element_attribute(const struct element *e, const char *name);
/** Returns the attribute's text, or NULL. */
const char *element_value(const struct element *e, const char *name);
/** Returns the attribute's line, or the element's. */
int element_line(const struct element *e, const char *name);
/** Adds an attribute that it does not have. */
void element_add_attribute(struct element *e, const char *name, const char *value, int line);
void element_set(struct element *e, const char *name, const char *value, int line, bool overridden);
void element_remove(struct element *e, const char *name);
/** Removes the children of that name. */
void element_remove_children(struct element *e, const char *name);

#endif
