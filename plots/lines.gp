# SPDX-License-Identifier: GPL-2.0-only
# One line per series.
# Settings (written before this text): name, title, x_label, y_label, n_series, series, has_spread,
# x_max, y_max. Data: one block per series; x, then mean least greatest.
array colours[8] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x999999, 0xF0E442]
# Of lines that lie on each other both can be seen: the first is the widest.
thickness(i) = n_series > 1 ? 4 - 2.5 * (i - 1) / (n_series - 1.0) : 2
data = name.'.dat'

set border 3 lw 1 lc rgb '#606060'
set grid ytics lt 1 lw 1 lc rgb '#E0E0E0'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set xrange [0:*]
if (x_max > 0) { set xrange [0:x_max] }
set yrange [0:*]
if (y_max > 0) { set yrange [0:y_max] }
set offsets 0, 0, graph (y_max > 0 ? 0 : 0.05), 0
set xlabel x_label
set ylabel y_label
rows = ceil(n_series / 2.0)
set tmargin 3.2 + 1.15 * rows
set label 1 title at screen 0.5, screen 0.95 center font ',17'
set key at screen 0.5, screen 0.915 center top horizontal maxcols 2 Left reverse samplen 2.5 width 1
set style fill transparent solid 0.2 noborder

each = "for [i = 1:n_series] data index i - 1 using 1:"
spread = !has_spread ? '' : each."3:4 with filledcurves lc rgb colours[1 + (i - 1) % 8] notitle, "
lines = each."2 with lines lw thickness(i) lc rgb colours[1 + (i - 1) % 8] title series[i]"

set terminal svg noenhanced size 900,540 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1800,1080 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 background rgb 'white'
    }
    set output name.'.'.out
    eval 'plot '.spread.lines
    set output
}
