# SPDX-License-Identifier: GPL-2.0-only
# Distributions as boxes: quartiles and median, whiskers to the last values within 1.5 times the boxes'
# height, dots for the least and the greatest beyond. One group per category, one box per series.
# Data: one block per panel and series; category, low, first quartile, median, third, high, least, most.
bar = 0.8 / n_series
place(i) = (i - (n_series + 1) / 2.0) * bar
set boxwidth 0.8 * bar
set xtics scale 0
set xrange [-0.6:n_categories - 0.4]
if (y_log) { set logscale y }
set yrange [y_min:y_max]

each = "for [i = 1:n_series] data index curve(i) using ($0 + place(i)):"
by_category = "for [k = 1:n_categories] for [i = 1:n_series] data index curve(i) every ::k - 1::k - 1 using (k - 1 + place(i)):"
chosen = styled_categories ? by_category : each
of = styled_categories ? 'k' : 'i'
shape(how) = " with candlesticks fs ".how." border lc rgb dark lc rgb s_colour[".of."] lw 1 notitle whiskerbars 0.4"
boxes = chosen."(filled(".of.", $3)):2:6:5".shape("solid 1").", " \
    .chosen."(hatched(".of.", $3)):2:6:5".shape(pale).", " \
    .chosen."(hatched(".of.", $3)):2:6:5".shape("transparent pattern s_pattern[".of."]")
if (!styled_categories) { eval add_bar_entries }
entries = bar_entries
medians = ", for [i = 1:n_series] data index curve(i) using ($0 + place(i) - 0.4 * bar):4:(0.8 * bar):(0)" \
    ." with vectors nohead lw 2 lc rgb dark notitle"
dots = ", ".each."($7 < $2 ? $7 : NaN) with points pt 7 ps 0.3 lc rgb dark notitle, " \
    .each."($8 > $6 ? $8 : NaN) with points pt 7 ps 0.3 lc rgb dark notitle"
plots = boxes.medians.dots.levels.names
