/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-layout.h  Where everything in a figure stands, so that nothing overlaps. All
 * lengths are in units of the font's size ("em") unless they say otherwise. */
#ifndef WEFT_RUNNER_FIGURE_LAYOUT_H
#define WEFT_RUNNER_FIGURE_LAYOUT_H

#include "figure.h"

/* --- axes: figure-axis.c ---------------------------------------------------------------------- */

/* The ends of axes of numbers, and as many tics as have room beside each other. */

struct figure_axis
{
    bool log, any;      /**< any: something stands on it */
    bool bytes;         /**< its numbers have a unit each: "10 KB" */
    double least, most; /**< of what stands on it; of a logarithmic one, above 0 */
    double from, to;    /**< its ends */
    struct text tics;   /**< gnuplot's list of them; empty: it makes its own */
    struct text bare;   /**< the same without numbers */
    double beyond;      /**< how far a number that lies flat reaches beyond the end */
};

/** Makes room for a value. */
void axis_extend(struct figure_axis *a, double value);

/**
 * Sets the ends: those that are given (not NULL), else a linear axis begins at 0 or below what is
 * negative, and a logarithmic one before what stands on it; @p decade: at a power of ten. @p room:
 * the share of the axis that stays free above.
 */
void axis_set_ends(struct figure_axis *a, const double *from, const double *to, bool decade,
                   double room);

/** Adds a number as it stands on an axis: "10 KB" where it is of bytes, "2×10^{6}" where some of
 * the axis' numbers are too long otherwise, else as "%g" has it. */
void axis_add_number(struct text *t, const struct figure_axis *a, double value);

/** Makes the list of tics, each with its number, of an axis @p length long (units of the font's
 * size); @p upright: one above the other. Returns the width of the widest number. */
double axis_tics(struct figure_axis *a, double length, bool upright);

/** Where a value stands, as a share of the axis. */
double axis_place(const struct figure_axis *a, double value);

/** The place of category @p i of @p n along the axis, as a share of it. */
double category_place(size_t i, size_t n);

/* --- all of it -------------------------------------------------------------------------------- */

/** Between the paper's edge and anything. */
#define EDGE_EM 0.6

/** Points: less cannot be read in print. */
#define LEAST_FONT 6.0

/** Distance of two lines of text. */
#define LINE_EM 1.25

/** The size of the note below a figure, as a share of the font's. */
#define NOTE_SIZE 0.8

/** The texts around the plot; none is NULL. */
struct figure_texts
{
    char *title, *x, *y, *z, *legend, *note;
    char **panels; /**< [panel] */
    size_t npanels;
    bool x_bytes, y_bytes,
        z_bytes; /**< the numbers of the axis have units, and its name has none */
};

/** How the names along the horizontal axis are written. */
struct name_layout
{
    double width;   /**< after which a name goes on in another line */
    double turn;    /**< degrees: 0, 35 or 90 */
    double below;   /**< the room that they need below the axis */
    double left;    /**< the room that the first needs to its left */
    double beyond;  /**< how far one of them reaches beyond the end of the axis */
    double apart;   /**< names nearer than this to one that is written are left out; 0: none */
    size_t longest; /**< lines of the longest */
    bool one_row;   /**< what would stand in several rows follows one another */
    bool grouped;   /**< below the second rows of neighbours their first row, which is the same,
                         stands once */
};

struct figure_layout
{
    double width, height;              /**< mm */
    double font;                       /**< points */
    double wide, high;                 /**< of the figure */
    double left, right, top, bottom;   /**< around all panels */
    double panel_left, panel_right;    /**< around the plot within its panel */
    double panel_above, panel_below;   /**< the same */
    double x_wrap, y_wrap, panel_wrap; /**< widths after which names of axes and panels go on in
                                          another line */
    double plot_wide, plot_high;       /**< of one panel */
    bool values_upright;               /**< the numbers above bars, which are narrower */
    size_t columns, rows;              /**< of panels */
    bool shared;                       /**< numbers and names stand at the outer panels alone */
    double x_at, y_at;                 /**< of the axes' names, from the lower and left edge */
    double title_high;                 /**< of the title */
    double longest_whisker;            /**< as far as the y axis makes room */
    enum legend_place legend_at;
    bool legend_titled;
    bool legend_has_no_room;      /**< where it is to be: beside the plots they are too low, and in
                                     each corner of the first it would cover something */
    bool legend_left, legend_low; /**< which of its corners legend_x and legend_y are; else the
                                     upper right, and of one on top the middle */
    double legend_x, legend_y;    /**< from the left and the upper edge */
    double legend_wide;           /**< of one entry */
    size_t legend_columns, legend_rows; /**< rows: 0: no legend */
    double legend_font;                 /**< points */
    double legend_pad, legend_pad_svg;  /**< letters by which gnuplot takes its entries for too
                                           short */
    double y_high, z_high; /**< of the names of the vertical axis and of the colours, upright */
    double note_high;      /**< of the note below */
    struct figure_axis x, y, z;
    struct name_layout names;
};

/** Lays out a figure. False with a sentence in *why: its height leaves no room. */
bool figure_layout_make(const struct figure *figure, const struct figure_data *data,
                        const struct figure_texts *texts, struct figure_layout *l, char **why);
void figure_layout_free(struct figure_layout *l);

/** The second row of a name of several rows. */
const char *second_row(const char *name);

/** Returns how many names from place @p from on have the same first row, of names at @p places
 * along an axis. */
size_t group_length(const struct figure_names *names, const size_t *places, size_t from);

/* --- the legend: figure-legend.c -------------------------------------------------------------- */

/** Where it is to stand, its rows and columns and its font; @p titled: with a title above. */
void legend_lay_out(struct figure_layout *l, const struct figure *figure,
                    const struct figure_data *data, bool titled);

/** The room that it takes, with its distance to what stands below it. */
double legend_height(const struct figure_layout *l);

/** Places the legend, given the place of the plots. False: there is no room for it; then it is on
 * top after another layout. */
bool legend_place(struct figure_layout *l, const struct figure *figure,
                  const struct figure_data *data);

/* --- texts: figure-texts.c -------------------------------------------------------------------- */

/** How its lines show their spread, never SPREAD_AUTO: bands of many lines cover one another. */
enum figure_spread figure_spread(const struct figure *figure, const struct figure_data *data);

/** Whether a line has so many points that dashes, or a whisker at each, would break it up. */
bool figure_is_dense(const struct figure *figure, const struct figure_data *data);

/** The texts around the plots. */
struct figure_texts figure_texts_make(const struct plan *plan, const struct figure *figure,
                                      const struct figure_data *data);
void figure_texts_free(struct figure_texts *t);

/**
 * The name of a column, of a CSV file or of the sweep, with the unit of its numbers times @p scale:
 * "completion time (ms)" for cct_us and 0.001. Without @p numbers, where its cells stand as they
 * are and carry their units, the name alone. "" for the column of <cases> without a name. The
 * caller frees it.
 */
char *column_title(const char *column, double scale, bool numbers);

/** The names of the columns in a list of words, with commas. The caller frees it. */
char *columns_title(const char *columns, double scale, bool numbers);

#endif
