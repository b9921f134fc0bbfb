# SPDX-License-Identifier: GPL-2.0-only
# One curve per series: the share of values up to x or, on a logarithmic axis, above it; reference
# levels and marks.
# Data: one block per panel and series; x, then the share three times.
set grid xtics ytics lt 1 lw 0.5 lc rgb '#E0E0E0'
if (x_log) { set logscale x }
if (y_log) { set logscale y }
set xrange [x_min:x_max]
set yrange [y_min:y_max]

look = "lines lw 1.5 dt s_dash[i] lc rgb s_colour[i] "
curves = "for [i = 1:n_series] data index curve(i) using 1:2 with ".look."notitle"
entries = ", for [i = 1:n_series] keyentry with ".look."title series[i]"
plots = curves.levels.marks
