/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-layout.h  Sizes, ends of axes, and how names are written: the settings by which
 * plots/frame.gp places everything in a figure. All lengths are in units of the font's size ("em")
 * unless they say otherwise. */
#ifndef WEFT_RUNNER_FIGURE_LAYOUT_H
#define WEFT_RUNNER_FIGURE_LAYOUT_H

#include "figure.h"

/** Between the paper's edge and anything. */
#define EDGE_EM 0.6

/** Points: less cannot be read in print. */
#define LEAST_FONT 6.0

/** Distance of two lines of text. */
#define LINE_EM 1.25

/** Between an axis and its name. */
#define LINE_GAP 0.3

/** The size of the note below a figure, as a share of the font's. */
#define NOTE_SIZE 0.8

/** An axis of numbers. */
struct figure_axis
{
    bool log, any;      /**< any: something stands on it */
    bool bytes;         /**< its numbers have a unit each: "10 KB" */
    double least, most; /**< of what stands on it; of a logarithmic one, above 0 */
    double from, to;    /**< its ends */
};

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
    double width;  /**< after which a name goes on in another line */
    double turn;   /**< degrees: 0, 35 or 90 */
    double below;  /**< the room that they need below the axis */
    double left;   /**< the room that the first needs to its left */
    double beyond; /**< how far one of them reaches beyond the end of the axis */
    double apart;  /**< names nearer than this to one that is written are left out; 0: none */
    bool one_row;  /**< what would stand in several rows follows one another */
    bool grouped;  /**< below the second rows of neighbours their first row, which is the same,
                        stands once */
};

struct figure_layout
{
    double width, height;        /**< mm; height 0: as high as what stands in it needs */
    double font;                 /**< points */
    double wide;                 /**< of the figure */
    double plot_wide, plot_high; /**< of one panel, about: frame.gp knows how wide numbers are */
    size_t columns, rows;        /**< of panels */
    bool shared;                 /**< numbers and names stand at the outer panels alone */
    bool values_upright;         /**< the numbers above bars, which are narrower */
    double longest_whisker;      /**< as far as the y axis makes room */
    double rows_wide;            /**< of the widest name of a heat map's rows */
    enum legend_place legend_at;
    bool legend_left, legend_low;          /**< the corner of one inside */
    size_t legend_entries, legend_letters; /**< letters: most in an entry */
    double legend_wide;                    /**< of the widest text of an entry */
    struct figure_axis x, y, z;
    struct name_layout names;
};

/** Lays out a figure. */
void figure_layout_make(const struct figure *figure, const struct figure_data *data,
                        const struct figure_texts *texts, struct figure_layout *l);

/** The second row of a name of several rows. */
const char *second_row(const char *name);

/** Returns how many names from place @p from on have the same first row, of names at @p places
 * along an axis. */
size_t group_length(const struct figure_names *names, const size_t *places, size_t from);

/* --- axes: figure-axis.c ---------------------------------------------------------------------- */

/** Makes room for a value. */
void axis_extend(struct figure_axis *a, double value);

/** Sets the ends: those that the scenario gives, else a linear axis begins at 0 or below what is
 * negative, and a logarithmic one before what stands on it; @p decade: at a power of ten. @p room:
 * the share of the axis that stays free above. */
void axis_set_ends(struct figure_axis *a, double from, double to, bool decade, double room);

/** Where a value stands, as a share of the axis. */
double axis_place(const struct figure_axis *a, double value);

/** The place of category @p i of @p n along the axis, as a share of it. */
double category_place(size_t i, size_t n);

/* --- the legend: figure-legend.c -------------------------------------------------------------- */

/** Counts its entries, none if it stands nowhere. */
void legend_count(struct figure_layout *l, const struct figure *figure,
                  const struct figure_data *data);

/** The width of an entry. */
double legend_width(const struct figure_layout *l);

/** Finds the place of a legend that is not to be above the plots: if it has no room there, or would
 * cover something in each corner of the first plot, it is. */
void legend_place(struct figure_layout *l, const struct figure *figure,
                  const struct figure_data *data, bool titled);

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

#endif
