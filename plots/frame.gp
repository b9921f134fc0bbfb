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

# Whether a panel bears the numbers or names of the vertical and of the horizontal axis: of panels
# that share them, the outer ones.
has_left(p) = !shared || p % panel_columns == 0
has_below(p) = !shared || p + panel_columns >= n_panels

middle_x = (plot_left(0) + plot_right(panel_columns - 1)) / 2
middle_y = (plot_top(0) + plot_bottom(panel_columns * panel_rows - 1)) / 2
# Once more for each drawing.
text_labels = "\
set label 1 title at screen 0.5, screen 1 - (0.6 + 0.7) / high center font title_font; \
set label 2 x_label at screen middle_x, screen x_at / high center; \
set label 3 y_label at screen y_at / wide, screen middle_y rotate by 90 center; \
set label 4 note at screen 1 - 0.6 / wide, screen (note_high - 0.1) / high right font note_font textcolor rgb grey; \
set label 5 z_label at screen 1 - z_high / wide, screen middle_y rotate by 90 center"
# Sizes are points, and pixels in SVG.
font_of(size) = sprintf(',%.4g', size * pixels)
pixels = 1
note_font = font_of(note_size)
title_font = font_of(1.1 * font_size)
eval text_labels
key_setting(pad) = sprintf("set key at screen %.6f, screen %.6f %s maxcols %d Left reverse samplen 3 width %.4f", \
    legend_x / wide, 1 - legend_y / high, legend_align, legend_columns, pad)
if (strlen(legend_title)) { set key title legend_title }
set key off

# A whisker that reaches below the axis ends at it.
low(y) = y < y_min ? y_min : y
# The block of data of a series in the panel that is drawn.
curve(i) = panel * n_series + i - 1
look_of_level = "lines lw 1.5 dt 2 + i % 4 lc rgb dark "
look_of_mark = "points pt 3 ps 1.2 lw 1.5 lc rgb dark "
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with ".look_of_level."notitle"
marks = n_marks == 0 ? '' \
    : ", for [i = 1:n_marks] $marks using 1:2 every ::i - 1::i - 1 with ".look_of_mark."notitle"
names = !has_tics || names_turn > 0 ? '' : ", $tics using 1:(NaN):xtic(has_below(panel) ? lines_of(int($2), int($3)) : '') notitle"
# An empty list would be gnuplot's own tics.
if (has_tics) { set xtics ('' 1e299) }
# A number above its bar; upright where the bar is narrower than it.
turned = (values_upright ? 'rotate by 90 left offset 0, 0.4' : 'offset 0, 0.7')." font note_font textcolor rgb dark"
written(y) = sprintf(value_format, y)
# Bars are filled but for those whose colour another one has: these are paler and hatched. Their loops
# have every bar, as no loop can change how it fills.
pale = 'solid 0.3'
is_hatched(i) = s_pattern[i] != 3
filled(i, y) = is_hatched(i) ? NaN : y
hatched(i, y) = is_hatched(i) ? y : NaN
look_of_bar(i) = (is_hatched(i) ? sprintf('pattern %d', s_pattern[i]) : 'solid 1').sprintf(" border lc rgb dark lc rgb s_colour[%d]", i)
bar_entries = ''
add_bar_entries = "do for [i = 1:n_series] { \
    bar_entries = bar_entries.', keyentry with boxes fs '.look_of_bar(i).sprintf(' title series[%d]', i) }"
# What a template says: the legend's entries of its series, and what is drawn in a panel.
entries = ''
plots = ''
