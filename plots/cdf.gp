# SPDX-License-Identifier: GPL-2.0-only
# One curve per series: the share of values up to x or, on a logarithmic axis, above it; reference
# levels and marks.
# Settings (written before this text): name, title, x_label, y_label, n_series, series,
# x_min, x_max, x_log, x_least, x_most, y_min, y_max, y_log, y_least, y_most, legend_rows, legend_columns,
# legend_font, n_levels, level_y, level_label, n_marks, $marks, mark_label.
# Data: one block per series; x, then the share three times.
array colours[10] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x7F7F7F, 0xB8A800, 0x6A3D9A, 0x8C564B]
# Of curves that lie on each other both can be seen: the first is the widest.
thickness(i) = n_series > 1 ? 4 - 2.5 * (i - 1) / (n_series - 1.0) : 2
data = name.'.dat'

set border 3 lw 1 lc rgb '#606060'
set grid xtics ytics lt 1 lw 1 lc rgb '#E0E0E0'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
# A logarithmic axis ends close to what it shows, not at the next power of ten; gnuplot alone would
# name those powers only.
if (x_log) {
    margin = (x_most / x_least)**0.05
    if (margin < 1.01) { margin = 1.01 }
    if (x_min == 0) { x_min = x_least / margin }
    if (x_max == 0) { x_max = x_most * margin }
    set logscale x
    set mxtics 10
    if (x_max / x_min < 200) {
        set xtics (1)
        do for [e = floor(log10(x_min)):ceil(log10(x_max))] {
            do for [m in x_max / x_min < 20 ? '1 1.2 1.5 2 3 4 5 6 8' : '1 2 5'] {
                set xtics add (sprintf('%g', m * 10.0**e) m * 10.0**e)
            }
        }
    }
    if (x_max / x_min < 3) {
        least = (x_max - x_min) / 8
        unit = 10.0**floor(log10(least))
        step = unit * (least < 2 * unit ? 2 : least < 5 * unit ? 5 : 10)
        set xtics (1)
        do for [k = ceil(x_min / step):floor(x_max / step)] {
            set xtics add (sprintf('%g', k * step) k * step)
        }
    }
}
if (y_max == 0) { y_max = y_most }
if (y_log) {
    if (y_min == 0) { y_min = y_least / 1.5 }
    set logscale y
    set mytics 10
    set format y '%g'
}
set xrange [x_min:]
set yrange [y_min:y_max]
if (x_max > 0) { set xrange [:x_max] } else { set xrange [:*] }
set xlabel x_label
set ylabel y_label

set tmargin (strlen(title) ? 3.2 : 1.2) + legend_rows
set label 1 title at screen 0.5, screen 0.95 center font ',17'
set key at screen 0.5, screen (strlen(title) ? 0.915 : 0.985) center top horizontal \
    maxcols legend_columns Left reverse samplen 2.5 width 1 font legend_font

curves = "for [i = 1:n_series] data index i - 1 using 1:2 with lines lw thickness(i) " \
    ."lc rgb colours[1 + (i - 1) % 10] title series[i]"
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with lines lw 1.8 dt 2 + i % 4" \
    ." lc rgb '#303030' title level_label[i]"
marks = n_marks == 0 ? '' : ", for [i = 1:n_marks] $marks using 1:2 every ::i - 1::i - 1" \
    ." with points pt 7 ps 1.6 lc rgb '#D00000' title mark_label[i]"

set terminal svg noenhanced size 900,540 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1800,1080 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 pointscale 2 background rgb 'white'
    }
    set output (out eq 'svg' ? svg_file : png_file)
    eval 'plot '.curves.levels.marks
    set output
}
