# SPDX-License-Identifier: GPL-2.0-only
# What all figures share: where the plots stand, and the texts around them. Stands behind the settings
# and before the template. Lengths are in units of the font's size.
data = name.'.dat'
grey = '#606060'
dark = '#202020'

cell_wide = (wide - left - right) / panel_columns
cell_high = (high - top - bottom) / panel_rows
plot_left(p) = (left + (p % panel_columns) * cell_wide + panel_left) / wide
plot_right(p) = (left + (p % panel_columns + 1) * cell_wide - panel_right) / wide
plot_top(p) = 1 - (top + (p / panel_columns) * cell_high + panel_above) / high
plot_bottom(p) = 1 - (top + (p / panel_columns + 1) * cell_high - panel_below) / high

borders = 3
set grid ytics lt 1 lw 0.5 lc rgb '#E0E0E0'
set tics nomirror out scale 0.5 textcolor rgb dark
set errorbars small

middle_x = (plot_left(0) + plot_right(panel_columns - 1)) / 2
middle_y = (plot_top(0) + plot_bottom(panel_columns * panel_rows - 1)) / 2
# Once more for each drawing.
text_labels = "\
set label 1 title at screen 0.5, screen 1 - (0.6 + 0.7) / high center font title_font; \
set label 2 x_label at screen middle_x, screen (bottom - 0.9) / high center; \
set label 3 y_label at screen (left - y_high + 0.3) / wide, screen middle_y rotate by 90 center; \
set label 4 note at screen 1 - 0.6 / wide, screen (note_high - 0.1) / high right font note_font textcolor rgb grey; \
set label 5 z_label at screen 1 - z_high / wide, screen middle_y rotate by 90 center"
title_font = sprintf(',%.4g', 1.1 * font_size)
note_font = sprintf(',%.4g', note_size)
legend_font = sprintf(',%.4g', legend_size)
eval text_labels
set key at screen 0.5, screen 1 - (0.8 + title_high) / high center top horizontal \
    maxcols legend_columns Left reverse samplen 3 width legend_pad font legend_font
if (strlen(legend_title)) { set key title legend_title }
if (legend_rows == 0) { set key off }

# A whisker that reaches below the axis ends at it.
low(y) = y < y_min ? y_min : y
# The block of data of a series in the panel that is drawn.
curve(i) = panel * n_series + i - 1
look_of_level = "lines lw 1.5 dt 2 + i % 4 lc rgb dark "
look_of_mark = "points pt 3 ps 1.2 lw 1.5 lc rgb dark "
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with ".look_of_level."notitle"
marks = n_marks == 0 ? '' \
    : ", for [i = 1:n_marks] $marks using 1:2 every ::i - 1::i - 1 with ".look_of_mark."notitle"
names = !has_tics || names_turn > 0 ? '' : ", $tics using 1:(NaN):xtic(lines_of(int($2), int($3))) notitle"
# An empty list would be gnuplot's own tics.
if (has_tics) { set xtics ('' 1e299) }
# A number above its bar; upright where the bar is narrower than it.
turned = (values_upright ? 'rotate by 90 left offset 0, 0.4' : 'offset 0, 0.7')." font note_font textcolor rgb dark"
written(y) = sprintf(abs(y) < 1000 ? '%.3g' : '%.0f', y)
# What a template says: the legend's entries of its series, and what is drawn in a panel.
entries = ''
plots = ''
