# SPDX-License-Identifier: GPL-2.0-only
# One line per series, with its spread over seeds; reference levels and marks.
# Settings (written before this text): name, title, x_label, y_label, n_series, series, has_spread,
# x_min, x_max, x_log, x_tics, y_min, y_max, y_log, show_points, spread_bars, n_levels, level_y,
# level_label, n_marks, mark_x, mark_y, mark_label.
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
if (strlen(x_tics)) { eval 'set xtics ('.x_tics.')' }
# A logarithmic axis ends close to what it shows, not at the next power of ten.
if (x_log) {
    stats data using 1 name 'X' nooutput
    if (x_min == 0) { x_min = X_min / 1.3 }
    if (x_max == 0) { x_max = X_max * 1.3 }
    set logscale x
    set grid xtics
}
if (y_log) {
    stats data using ($3 > 0 ? $3 : $2 > 0 ? $2 : NaN) name 'L' nooutput
    stats data using 4 name 'H' nooutput
    do for [i = 1:n_levels] {
        L_min = level_y[i] < L_min ? level_y[i] : L_min
        H_max = level_y[i] > H_max ? level_y[i] : H_max
    }
    do for [i = 1:n_marks] {
        L_min = mark_y[i] < L_min ? mark_y[i] : L_min
        H_max = mark_y[i] > H_max ? mark_y[i] : H_max
    }
    if (y_min == 0) { y_min = L_min / 1.5 }
    if (y_max == 0) { y_max = H_max * 1.5 }
    set logscale y
    set mytics 10
    if (y_max / y_min < 200) {
        set ytics (1)
        do for [e = floor(log10(y_min)):ceil(log10(y_max))] {
            do for [m in '1 2 5'] { set ytics add (sprintf('%g', m * 10.0**e) m * 10.0**e) }
        }
    }
}
set xrange [x_min:]
set yrange [y_min:]
if (x_max > 0) { set xrange [:x_max] } else { set xrange [:*] }
if (y_max > 0) { set yrange [:y_max] } else { set yrange [:*] }
if (!y_log) { set offsets 0, 0, graph (y_max > 0 ? 0 : 0.05), 0 }
set xlabel x_label
set ylabel y_label

# As many names on a line of the legend as fit.
longest = 0
n_names = n_series + n_levels + n_marks
do for [i = 1:n_series] { if (strlen(series[i]) > longest) { longest = strlen(series[i]) } }
do for [i = 1:n_levels] { if (strlen(level_label[i]) > longest) { longest = strlen(level_label[i]) } }
do for [i = 1:n_marks] { if (strlen(mark_label[i]) > longest) { longest = strlen(mark_label[i]) } }
fit = int(84 / (longest + 12.0))
fit = fit < 1 ? 1 : fit > n_names ? n_names : fit
rows = ceil(1.0 * n_names / fit)
fit = ceil(1.0 * n_names / rows)
set tmargin (strlen(title) ? 3.2 : 1.2) + rows
set label 1 title at screen 0.5, screen 0.95 center font ',17'
set key at screen 0.5, screen (strlen(title) ? 0.915 : 0.985) center top horizontal maxcols fit Left reverse samplen 2.5 width 1
set style fill transparent solid 0.2 noborder

each = "for [i = 1:n_series] data index i - 1 using 1:"
band = !has_spread || spread_bars ? '' \
    : each."3:4 with filledcurves lc rgb colours[1 + (i - 1) % 10] notitle, "
ends = !has_spread || !spread_bars ? '' \
    : each."3:(0):($4 - $3) with vectors heads size screen 0.004,90 lw 1.5 lc rgb colours[1 + (i - 1) % 10] notitle, "
lines = each."2 with ".(show_points ? 'linespoints' : 'lines') \
    ." lw thickness(i) dt dashes(i) ".(show_points ? 'pt shapes[1 + (i - 1) % 10] ps 0.9 ' : '') \
    ."lc rgb colours[1 + (i - 1) % 10] title series[i]"
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with lines lw 1.8 dt 2 + i % 4" \
    ." lc rgb '#303030' title level_label[i]"
marks = n_marks == 0 ? '' : ", for [i = 1:n_marks] '+' using (mark_x[i]):(mark_y[i]) every ::0::0" \
    ." with points pt 7 ps 1.6 lc rgb '#D00000' title mark_label[i]"

set terminal svg noenhanced size 900,540 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1800,1080 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 pointscale 2 background rgb 'white'
    }
    set output name.'.'.out
    eval 'plot '.band.ends.lines.levels.marks
    set output
}
