# SPDX-License-Identifier: GPL-2.0-only
# One bar per category; those of balancers in their balancers' styles.
# Data: one block per panel; category, then mean and both ends of the whisker, then those of the line.
set boxwidth 0.6
set xtics scale 0
set xrange [-0.6:n_categories - 0.4]
if (y_log) { set logscale y }
set yrange [y_min:y_max]

each = "for [i = 1:n_categories] data index panel using (i - 1):"
only = " every ::i - 1::i - 1 with boxes fs "
look = " border lc rgb dark lc rgb s_colour[i] notitle"
bars = each."(filled(i, $2))".only."solid 1".look.", ".each."(hatched(i, $2))".only.pale.look \
    .", ".each."(hatched(i, $2))".only."transparent pattern s_pattern[i]".look
spread = !has_spread ? '' : ", data index panel using 0:(low($3)):(0):($4 - low($3))" \
    ." with vectors heads size screen 0.004,90 lc rgb dark lw 1 notitle"
line = !has_line ? '' : ", data index panel using 0:5 with linespoints lc rgb dark lw 1.5 dt 2 pt 7 ps 0.5 notitle"
values = !show_values ? '' : ", data index panel using 0:4:(written($2)) with labels ".turned." notitle"
plots = bars.spread.line.levels.values.names
