# SPDX-License-Identifier: GPL-2.0-only
# Groups of bars: one group per category, one bar per series, perhaps a mark across each group.
# Data: one block per panel; category, then mean and both ends of the whisker of each series, then of
# the line.
bar = 0.8 / n_series
place(i) = (i - (n_series + 1) / 2.0) * bar
mean(i) = 3 * i - 1
mark = 3 * n_series + 2
set boxwidth 0.92 * bar
set xtics scale 0
set xrange [-0.6:n_categories - 0.4]
if (y_log) { set logscale y }
set yrange [y_min:y_max]

each = ", for [i = 1:n_series] data index panel using ($0 + place(i))"
look = " border lc rgb dark lc rgb s_colour[i] notitle"
bars = each[3:].":(filled(i, column(mean(i)))) with boxes fs solid 1".look \
    .each.":(hatched(i, column(mean(i)))) with boxes fs ".pale.look \
    .each.":(hatched(i, column(mean(i)))) with boxes fs transparent pattern s_pattern[i]".look
eval add_bar_entries
entries = bar_entries
spread = !has_spread ? '' : each.":(low(column(mean(i) + 1))):(0):(column(mean(i) + 2) - low(column(mean(i) + 1)))" \
    ." with vectors heads size screen 0.004,90 lc rgb dark lw 1 notitle"
line = !has_line ? '' : ", data index panel using ($0 - 0.44):mark:(0.88):(0)" \
    ." with vectors nohead lc rgb dark lw 1.5 dt 2 notitle"
values = !show_values ? '' : each.":(column(mean(i) + 2)):(written(column(mean(i))))" \
    ." with labels ".turned." notitle"
plots = bars.spread.line.levels.values.names
