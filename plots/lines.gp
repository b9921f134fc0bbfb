# SPDX-License-Identifier: GPL-2.0-only
# One line per series, with its spread over seeds; reference levels and marks.
# Data: one block per panel and series; x, then mean and both ends of the whisker.
if (x_log) {
    set logscale x
    set grid xtics
}
if (y_log) { set logscale y }
set xrange [x_min:x_max]
set yrange [y_min:y_max]
set style fill transparent solid 0.2 noborder

each = "for [i = 1:n_series] data index curve(i) using 1:"
band = !has_spread || spread_bars ? '' \
    : each."(low($3)):4 with filledcurves lc rgb s_colour[i] notitle, "
ends = !has_spread || !spread_bars ? '' \
    : each."(low($3)):(0):($4 - low($3)) with vectors heads size screen 0.004,90 lw 1 lc rgb s_colour[i] notitle, "
look = (show_points ? 'linespoints pt s_marker[i] ps 0.7' : 'lines')." lw 1.5 dt s_dash[i] lc rgb s_colour[i] "
curves = each."2 with ".look."notitle"
entries = ", for [i = 1:n_series] keyentry with ".look."title series[i]"
plots = band.ends.curves.levels.marks.names
