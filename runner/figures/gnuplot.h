/* SPDX-License-Identifier: GPL-2.0-only */
/** @file gnuplot.h  Has gnuplot draw, and takes what it draws: it does not report a full disk
 * itself. */
#ifndef WEFT_RUNNER_GNUPLOT_H
#define WEFT_RUNNER_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

/** A file as gnuplot drew it. All zero: nothing. Free bytes. */
struct drawing
{
    char *bytes;
    size_t n;
};

/** How many drawings a figure is, and what their files' names end in: svg, png, pdf. */
#define DRAWINGS 3
extern const char *const drawing_kinds[DRAWINGS];

/**
 * Runs @p folder / @p name .gp, which must write to svg_file, png_file and pdf_file, and takes all
 * of them whole into @p drawn. The date in the PDF is a fixed one: the same figure, the same bytes.
 * Writes nothing itself. Returns false with a sentence in *why: gnuplot is not there, complains, is
 * killed, or ends before a figure does.
 */
bool gnuplot_draw(const char *folder, const char *name, struct drawing *drawn, char **why);

#endif
