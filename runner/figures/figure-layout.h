/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-layout.h  Where everything in a figure stands, so that nothing overlaps. All
 * lengths are in units of the font's size ("em") unless they say otherwise. */
#ifndef WEFT_RUNNER_FIGURE_LAYOUT_H
#define WEFT_RUNNER_FIGURE_LAYOUT_H

#include "figure-axis.h"
#include "figure.h"

/** Distance of two lines of text. */
#define LINE_EM 1.25

/** The size of the note below a figure, as a share of the font's. */
#define NOTE_SIZE 0.8

/** The texts around the plot; none is NULL. */
struct figure_texts
{
    char *title, *x, *y, *z, *legend, *note;
};

/** How the names along the horizontal axis are written. */
struct name_layout
{
    double width;   /**< after which a name goes on in another line */
    double turn;    /**< degrees: 0, 35 or 90 */
    double below;   /**< the room that they need below the axis */
    double left;    /**< the room that the first needs to its left */
    double apart;   /**< names nearer than this to one that is written are left out; 0: none */
    size_t longest; /**< lines of the longest */
};

struct figure_layout
{
    double width, height;               /**< mm */
    double font;                        /**< points */
    double wide, high;                  /**< of the figure */
    double left, right, top, bottom;    /**< around all panels */
    double panel_left, panel_right;     /**< around the plot within its panel */
    double panel_above, panel_below;    /**< the same */
    double plot_wide, plot_high;        /**< of one panel */
    bool values_upright;                /**< the numbers above bars, which are narrower */
    size_t columns, rows;               /**< of panels */
    size_t legend_columns, legend_rows; /**< rows: 0: no legend */
    double legend_font;                 /**< points */
    double legend_pad;     /**< letters by which gnuplot takes its entries for too short */
    double y_high, z_high; /**< of the names of the vertical axis and of the colours, upright */
    double note_high;      /**< of the note below */
    struct figure_axis x, y, z;
    struct name_layout names;
};

/** Lays out a figure. False with a sentence in *why: its height leaves no room. */
bool figure_layout_make(const struct element *figure, const struct figure_data *data,
                        const struct figure_texts *texts, struct figure_layout *l, char **why);
void figure_layout_free(struct figure_layout *l);

/** The place of category @p i of @p n along the axis, as a share of it. */
double category_place(size_t i, size_t n);

/** Ends of the axis of @p n categories. */
#define CATEGORY_FROM  (-0.6)
#define CATEGORY_TO(n) ((double)(n)-0.4)

#endif
