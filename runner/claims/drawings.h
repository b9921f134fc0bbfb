/* SPDX-License-Identifier: GPL-2.0-only */
/** @file drawings.h  The figures of a folder of results in a page's tree. */
#ifndef WEFT_RUNNER_DRAWINGS_H
#define WEFT_RUNNER_DRAWINGS_H

#include "page.h"

/** Largest figure that a page takes up, bytes. */
#define DRAWING_MOST_BYTES ((size_t)8 << 20)

/** Adds a <drawing> for each NAME.svg in a folder, as the address of an image: whoever wrote the
 * file, browsers run nothing in an image and fetch nothing for it. */
void drawings_add(xmlNode *section, const char *folder);

#endif
