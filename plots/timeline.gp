# SPDX-License-Identifier: GPL-2.0-only
# A bar for each thing that lasts for a while, in the row where it is done and the colour of its series.
# Data: one block per panel and series; from where, to where, the row.
set grid noytics xtics lt 1 lw 0.5 lc rgb '#E0E0E0'
if (x_log) { set logscale x }
set xrange [x_min:x_max]
set yrange [n_rows - 0.5:-0.5]
set ytics ('' 1e299) scale 0

row_names = ", $rows using (NaN):1:ytic(has_left(panel) ? lines_of(int($2), int($3)) : '') notitle"
eval add_bar_entries
entries = bar_entries
plots = "for [i = 1:n_series] data index curve(i) using 1:3:1:2:($3 - 0.4):($3 + 0.4) with boxxyerror" \
    ." fs solid 1 noborder lc rgb s_colour[i] notitle".names.row_names
