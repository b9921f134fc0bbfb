/* SPDX-License-Identifier: GPL-2.0-only */
/** @file figure-layout.h  Where everything in a figure stands, so that nothing overlaps. All
 * lengths are in units of the font's size ("em") unless they say otherwise. */
#ifndef WEFT_RUNNER_FIGURE_LAYOUT_H
#define WEFT_RUNNER_FIGURE_LAYOUT_H

#include "figure-axis.h"
#include "figure.h"

/** Between the paper's edge and anything. */
#define EDGE_EM 0.6

/** Points: less cannot be read in print. */
#define LEAST_FONT 6.0

/** Distance of two lines of text. */
#define LINE_EM 1.25

/** The size of the note below a figure, as a share of the font's. */
#define NOTE_SIZE 0.8

/** Where the legend stands: the choices of the attribute "legend". */
enum legend_place
{
    LEGEND_NONE,
    LEGEND_TOP,
    LEGEND_RIGHT,
    LEGEND_INSIDE,
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
    double width;   /**< after which a name goes on in another line */
    double turn;    /**< degrees: 0, 35 or 90 */
    double below;   /**< the room that they need below the axis */
    double left;    /**< the room that the first needs to its left */
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
    bool legend_has_no_corner;    /**< it would cover something in each of the first plot */
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
bool figure_layout_make(const struct element *figure, const struct figure_data *data,
                        const struct figure_texts *texts, struct figure_layout *l, char **why);
void figure_layout_free(struct figure_layout *l);

/** The second row of a name of several rows. */
const char *second_row(const char *name);

/** Of names at @p places along an axis, with the same first row each as some neighbours: how many
 * from place @p from on have that row. */
size_t group_length(const struct figure_names *names, const size_t *places, size_t from);

/** The place of category @p i of @p n along the axis, as a share of it. */
double category_place(size_t i, size_t n);

/** Ends of the axis of @p n categories. */
#define CATEGORY_FROM  (-0.6)
#define CATEGORY_TO(n) ((double)(n)-0.4)

/* --- the legend ------------------------------------------------------------------------------- */

/** Where it is to stand, its rows and columns and its font; @p titled: with a title above. */
void legend_lay_out(struct figure_layout *l, const struct element *figure,
                    const struct figure_data *data, bool titled);

/** The room that it takes, with its distance to what stands below it. */
double legend_height(const struct figure_layout *l);

/** Its place, given that of the plots. False: it is to stand in the first of them and would cover
 * something there in each corner; then it is on top after another layout. */
bool legend_place(struct figure_layout *l, const struct element *figure,
                  const struct figure_data *data);

#endif
