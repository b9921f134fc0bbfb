/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file page.h  Pages for readers, as a tree of XML, and the stylesheets that write it down
 * as HTML, Markdown or text. A tree holds what there is to say; how it looks is for the
 * stylesheets, and escaping for who writes them out: whatever the bytes are, nothing in them
 * becomes markup.
 */
#ifndef WEFT_RUNNER_PAGE_H
#define WEFT_RUNNER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

/** A tree with an empty root; xmlFreeDoc() frees it. */
xmlDoc *page_new(const char *root);

/** The tree as a file, which the caller frees, by a stylesheet and the templates of another one
 * (NULL: none), which read nothing but the tree. */
char *page_write(xmlDoc *page, const char *sheet, const char *more);

/** Puts a text into a file, which is replaced at once or not at all, or on standard output if @p
 * output is NULL. False with a sentence in *why. */
bool page_deliver(const char *text, const char *output, char **why);

/** In all that follows a text may be any bytes: control characters become spaces, and what XML
 * cannot hold becomes U+FFFD, as does what changes the direction of a line. */

/** Adds an element with a text in which nothing is markup; NULL: an empty one. */
xmlNode *page_add(xmlNode *parent, const char *name, const char *text);

/** Sets an attribute; NULL: leaves it out. */
void page_set(xmlNode *e, const char *name, const char *text);
void page_format(xmlNode *e, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Sets an attribute to the path of a file as a link in the file @p from; NULL: in one in this
 * folder. Whatever its name is, it is no address of anything else. Without a path it is left out.
 */
void page_set_link(xmlNode *e, const char *name, const char *path, const char *from);

/** Adds the first @p n bytes of a text to what is in an element. */
void page_add_text(xmlNode *e, const char *s, size_t n);

/** Adds <code> in one line. */
void page_add_code(xmlNode *parent, const char *text);

#endif
