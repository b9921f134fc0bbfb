# SPDX-License-Identifier: GPL-2.0-only
# Groups of bars: one group per category, one bar per series, perhaps a mark across each group.
# Settings (written before this text): name, title, x_label, y_label, n_series, n_categories, series, $tics,
# label_lines, label_longest, label_slanted, has_spread, has_line, line_label, legend_rows, legend_columns,
# legend_font, y_min, y_max, y_log, y_least, show_values, n_levels, level_y, level_label.
# Data: category, then mean and both ends of the spread of each series, then of the line.
array colours[10] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0xCC79A7, 0x56B4E9, 0x7F7F7F, 0xB8A800, 0x6A3D9A, 0x8C564B]
data = name.'.dat'
width = 0.8 / n_series
place(i) = (i - (n_series + 1) / 2.0) * width
mean(i) = 3 * i - 1
mark = 3 * n_series + 2

set style fill solid 0.9 border lc rgb '#303030'
set boxwidth 0.92 * width
set border 3 lw 1 lc rgb '#606060'
set grid ytics lt 1 lw 1 lc rgb '#E0E0E0'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set xtics scale 0
set xrange [-0.6:n_categories - 0.4]
if (y_log) {
    if (y_min == 0) { y_min = 10.0**floor(log10(y_least / 1.01)) }
    set logscale y
    set mytics 10
}
set yrange [y_min:]
# A spread that reaches below a logarithmic axis ends at it.
low(y) = y_log && y < y_min ? y_min : y
if (y_max > 0) { set yrange [:y_max] } else { set yrange [:*] }
if (!y_log) { set offsets 0, 0, graph (y_max > 0 ? 0 : 0.08), 0 }
set xtics ()
if (label_slanted) { set xtics rotate by 35 right }
set bmargin (label_slanted ? 1.5 + 0.33 * label_longest + 0.9 * (label_lines - 1) : 0.8 + 1.1 * label_lines) + 1.8
set label 2 x_label at graph 0.5, screen 0.03 center
set ylabel y_label

set tmargin (strlen(title) ? 3.2 : 1.2) + legend_rows
set label 1 title at screen 0.5, screen 0.95 center font ',17'
set key at screen 0.5, screen (strlen(title) ? 0.915 : 0.985) center top horizontal \
    maxcols legend_columns Left reverse samplen 2.5 width 1 font legend_font
written(y) = sprintf(abs(y) < 1000 ? '%.3g' : '%.0f', y)

each = ", for [i = 1:n_series] data using ($0 + place(i))"
bars = each[3:].":mean(i) with boxes lc rgb colours[1 + (i - 1) % 10] title series[i]"
spread = !has_spread ? '' : each.":(low(column(mean(i) + 1))):(0):(column(mean(i) + 2) - low(column(mean(i) + 1)))" \
    ." with vectors heads size screen 0.004,90 lc rgb '#202020' lw 1.5 notitle"
line = !has_line ? '' : ", data using ($0 - 0.44):mark:(0.88):(0)" \
    ." with vectors nohead lc rgb '#202020' lw 2 dt 2 title line_label"
values = !show_values ? '' : each.":mean(i):(written(column(mean(i))))" \
    ." with labels ".(has_spread ? 'left offset 0.4, 0.6' : 'offset 0, 0.6')." font ',10' textcolor rgb '#202020' notitle"
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with lines lw 1.8 dt 2 + i % 4" \
    ." lc rgb '#303030' title level_label[i]"
tics = ", $tics using 1:(NaN):xtic(lines_of(int($2), int($3))) notitle"

set terminal svg noenhanced size 900,540 font 'DejaVu Sans,15' background rgb 'white'
do for [out in 'svg png'] {
    if (out eq 'png') {
        set terminal pngcairo noenhanced size 1800,1080 font 'DejaVu Sans,15' fontscale 2 \
            linewidth 2 background rgb 'white'
    }
    set output (out eq 'svg' ? svg_file : png_file)
    eval 'plot '.bars.spread.line.levels.values.tics
    set output
}
