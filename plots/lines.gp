# SPDX-License-Identifier: GPL-2.0-only
# One line per series.
# Settings (written before this text): name, title, x_label, y_label, n_series, series, has_spread,
# x_max, y_max. Data: one block per series; x, then mean least greatest.
array colours[8] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x999999, 0xF0E442]
# Lines that lie on each other must both be seen.
array dashes[4] = [1, 2, 4, 5]
data = name.'.dat'

set border 3 lw 1 lc rgb '#606060'
set grid ytics lt 1 lw 1 lc rgb '#E0E0E0'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set xrange [0:(x_max > 0 ? sprintf('%g', x_max) : '*')]
set yrange [0:(y_max > 0 ? sprintf('%g', y_max) : '*')]
set offsets 0, 0, graph (y_max > 0 ? 0 : 0.05), 0
set xlabel x_label
set ylabel y_label
set title title offset 0, 0.3
set key outside right top Left reverse samplen 2 spacing 1.2
set style fill transparent solid 0.2 noborder

each = "for [i = 1:n_series] data index i - 1 using 1:"
spread = !has_spread ? '' : each."3:4 with filledcurves lc rgb colours[1 + (i - 1) % 8] notitle, "
lines = each."2 with lines lw 2 lc rgb colours[1 + (i - 1) % 8] dt dashes[1 + (i - 1) % 4] title series[i]"

set terminal svg noenhanced size 960,520 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1920,1040 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 background rgb 'white'
    }
    set output name.'.'.out
    eval 'plot '.spread.lines
    set output
}
