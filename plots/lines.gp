# SPDX-License-Identifier: GPL-2.0-only
# One line per series, with its spread over seeds; reference levels and marks.
# Settings (written before this text): name, title, x_label, y_label, n_series, series, has_spread,
# x_min, x_max, x_log, x_least, x_most, has_tics, $tics, y_min, y_max, y_log, y_least, y_most, legend_rows, legend_columns,
# legend_font, show_points, spread_bars, n_levels, level_y, level_label, n_marks, $marks, mark_label.
# Data: one block per series; x, then mean and both ends of the spread.
array colours[10] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x7F7F7F, 0xB8A800, 0x6A3D9A, 0x8C564B]
array shapes[10] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12]
# Of lines that lie on each other both can be seen: the first is the widest.
thickness(i) = show_points ? 2 : n_series > 1 ? 4 - 2.5 * (i - 1) / (n_series - 1.0) : 2
dashes(i) = show_points ? 1 + (i - 1) % 5 : 1
data = name.'.dat'

set border 3 lw 1 lc rgb '#606060'
set grid ytics lt 1 lw 1 lc rgb '#E0E0E0'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
if (has_tics) { set xtics () }
# A logarithmic axis ends close to what it shows, not at the next power of ten.
if (x_log) {
    if (x_min == 0) { x_min = x_least / 1.3 }
    if (x_max == 0) { x_max = x_most * 1.3 }
    set logscale x
    set grid xtics
}
if (y_log) {
    if (y_min == 0) { y_min = y_least / 1.5 }
    if (y_max == 0) { y_max = y_most * 1.5 }
    set logscale y
    set mytics 10
    if (y_max / y_min < 200) {
        set ytics (1)
        do for [e = floor(log10(y_min)):ceil(log10(y_max))] {
            do for [m in '1 2 5'] { set ytics add (sprintf('%g', m * 10.0**e) m * 10.0**e) }
        }
    }
}
# A spread that reaches below a logarithmic axis ends at it.
low(y) = y_log && y < y_min ? y_min : y
set xrange [x_min:]
set yrange [y_min:]
if (x_max > 0) { set xrange [:x_max] } else { set xrange [:*] }
if (y_max > 0) { set yrange [:y_max] } else { set yrange [:*] }
if (!y_log) { set offsets 0, 0, graph (y_max > 0 ? 0 : 0.05), 0 }
set xlabel x_label
set ylabel y_label

set tmargin (strlen(title) ? 3.2 : 1.2) + legend_rows
set label 1 title at screen 0.5, screen 0.95 center font ',17'
set key at screen 0.5, screen (strlen(title) ? 0.915 : 0.985) center top horizontal \
    maxcols legend_columns Left reverse samplen 2.5 width 1 font legend_font
set style fill transparent solid 0.2 noborder

each = "for [i = 1:n_series] data index i - 1 using 1:"
band = !has_spread || spread_bars ? '' \
    : each."(low($3)):4 with filledcurves lc rgb colours[1 + (i - 1) % 10] notitle, "
ends = !has_spread || !spread_bars ? '' \
    : each."(low($3)):(0):($4 - low($3)) with vectors heads size screen 0.004,90 lw 1.5 lc rgb colours[1 + (i - 1) % 10] notitle, "
lines = each."2 with ".(show_points ? 'linespoints' : 'lines') \
    ." lw thickness(i) dt dashes(i) ".(show_points ? 'pt shapes[1 + (i - 1) % 10] ps 0.9 ' : '') \
    ."lc rgb colours[1 + (i - 1) % 10] title series[i]"
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with lines lw 1.8 dt 2 + i % 4" \
    ." lc rgb '#303030' title level_label[i]"
marks = n_marks == 0 ? '' : ", for [i = 1:n_marks] $marks using 1:2 every ::i - 1::i - 1" \
    ." with points pt 7 ps 1.6 lc rgb '#D00000' title mark_label[i]"
tics = !has_tics ? '' : ", $tics using 1:(NaN):xtic(lines_of(int($2), int($3))) notitle"

set terminal svg noenhanced size 900,540 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1800,1080 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 pointscale 2 background rgb 'white'
    }
    set output (out eq 'svg' ? svg_file : png_file)
    eval 'plot '.band.ends.lines.levels.marks.tics
    set output
}
