# SPDX-License-Identifier: GPL-2.0-only
# One dot per row, in the colour and with the marker of its series; reference levels and marks.
# Data: one block per panel and series; x, then y three times.
set grid xtics ytics lt 1 lw 0.5 lc rgb '#E0E0E0'
if (x_log) { set logscale x }
if (y_log) { set logscale y }
set xrange [x_min:x_max]
set yrange [y_min:y_max]

look = "points pt s_marker[i] ps 0.6 lw 1 lc rgb s_colour[i] "
dots = "for [i = 1:n_series] data index curve(i) using 1:2 with ".look."notitle"
entries = ", for [i = 1:n_series] keyentry with ".look."title series[i]"
plots = dots.levels.marks.names
