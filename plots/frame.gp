# SPDX-License-Identifier: GPL-2.0-only
# What all figures share: where the plots stand, their tics, and the texts around them. Stands behind
# the settings and before the template. Lengths are in units of the font's size ("em").
#
# Margins are set, and not gnuplot's own: those differ between panels with and without numbers, and
# panels have no key and no names of axes in common. Tics are placed by their room: gnuplot's own
# overlap along a short axis, and name one number or none of a logarithmic axis within a decade.
data = name.'.dat'
grey = '#606060'
dark = '#202020'
max(a, b) = a > b ? a : b
em = font_size * 25.4 / 72
wide = width / em
edge = 0.6
line_high = 1.25

# --- numbers of an axis -----------------------------------------------------------------------------
# Of the axis in hand: a_min and a_max are its ends, a_span what lies between them, in decades if it is
# logarithmic, and a_long its length.
place(v) = (a_log ? log10(v / a_min) : v - a_min) / a_span
exponent(v) = floor(log10(abs(v)) + 1e-9)
size_of(v, unit) = abs(v) < 1000 || unit == 6 ? sprintf('%g %s', v, word('B KB MB GB TB PB', unit)) \
    : size_of(v / 1000.0, unit + 1)
power(f, p) = a_log && abs(f - 1) < 1e-9 ? sprintf('10^{%d}', p) : sprintf('%g×10^{%d}', f, p)
of_power(v, p) = power(v / 10.0**p, p)
# On a linear axis all have the power of its end, so that they can be compared.
number(v) = v == 0 ? '0' : a_bytes ? size_of(v, 1) : !a_powers ? sprintf('%g', v) \
    : of_power(v, exponent(a_log ? v : a_most))
# A letter is 0.64 wide, one of a power less.
width_of(v) = 0.64 * (strlen(number(v)) - 3.2 * (strstrt(number(v), '^') > 0))
apart_enough(u, v) = a_long * (place(v) - place(u)) >= (a_upright ? 1.7 : (width_of(u) + width_of(v)) / 2 + 1)
# Steps of a linear axis, from fine to coarse; and of each decade of a logarithmic one, or of each second
# decade, third decade and so on. One that ends at less than four times its start is as a linear one.
step_of(k) = 10.0**exponent((a_max - a_min) / 100) * word('1 2 5', k % 3 + 1) * 10**(k / 3)
factors_of(k) = k == 0 ? '1 2 3 5 7' : k == 1 ? '1 2 5' : k == 2 ? '1 3' : '1'
every_of(k) = k < 4 ? 1 : k - 2

# --- the legend -------------------------------------------------------------------------------------
# Its entries are as wide as they are, and not as gnuplot takes them for by their letters.
entry_wide = legend_wide + 4.2
legend_size = font_size * (entry_wide > wide - 2 * edge ? max(6.0 / font_size, (wide - 2 * edge) / entry_wide) : 1)
fit = legend_at eq 'top' ? max(1, floor((wide - 2 * edge) / entry_wide)) : 1
legend_rows = legend_at eq 'none' ? 0 : int(ceil(legend_entries / (1.0 * fit)))
legend_columns = legend_rows ? int(ceil(legend_entries / (1.0 * legend_rows))) : 1
legend_high = legend_rows ? (legend_rows + (strlen(legend_title) > 0)) * line_high * legend_size / font_size + 0.8 : 0

# --- where everything stands ------------------------------------------------------------------------
# Numbers and names that stand at the outer panels alone take no room at the others.
title_high = 1.4 * title_lines
note_high = 1.1 * note_lines
y_high = line_high * y_label_lines + 0.3 * (y_label_lines > 0)
top = edge + title_high + (legend_at eq 'top' ? legend_high : 0)
bottom = edge + note_high + 0.3 * (note_lines > 0) + line_high * x_label_lines + 0.3 * (x_label_lines > 0)
x_at = bottom - 0.9
panel_above = n_panels > 1 ? line_high * most_panel_lines + 0.9 : 0.4
panel_below = shared ? 0.8 : names_below + 0.7
bottom = bottom + (shared ? names_below - 0.1 : 0)
around = top + bottom + panel_rows * (panel_above + panel_below)
plot_high = height > 0 ? (height / em - around) / panel_rows : 0.36 * wide / panel_columns
if (plot_high < 4 && height > 0) {
    if (exists('why_file')) { set print why_file }
    print sprintf('its height leaves no room for the plot; expected at least %.0fmm', ceil(em * (around + 4 * panel_rows)))
    exit status 1
}
plot_wide = 0.8 * wide / panel_columns
z_wide = 0
x_beyond = 0
array numbers[12]
# Tics depend on the size of the plot, and that on the tics.
do for [round = 1:3] {
    do for [axis in (is_heatmap ? 'z' : has_rows ? '' : 'y').(has_tics ? '' : ' x')] {
        a_min = 1.0 * value(axis.'_min')
        a_max = 1.0 * value(axis.'_max')
        a_log = value(axis.'_log')
        a_bytes = value(axis.'_bytes')
        a_upright = axis ne 'x'
        a_long = a_upright ? plot_high : plot_wide
        a_span = a_log ? log10(a_max / a_min) : a_max - a_min
        a_most = max(abs(a_min), abs(a_max))
        a_powers = !a_bytes && (a_most >= 1e6 || a_most <= 1e-3 || (a_log && a_min < 1e-4))
        decades = a_log && a_max / a_min >= 4
        # The finest numbers that have room, at most eleven.
        do for [k = (decades && a_powers && a_span >= 3 ? 3 : 0):30] {
            n = 0
            factors = decades ? factors_of(k) : '1'
            lowest = floor(decades ? log10(a_min) : a_min / step_of(k))
            highest = decades ? ceil(log10(a_max)) : lowest + 13
            do for [e = int(lowest):int(highest)] {
                if (decades && e % every_of(k)) { continue }
                do for [f = 1:words(factors)] {
                    v = decades ? word(factors, f) * 10.0**e : e * step_of(k)
                    if (n < 12 && place(v) >= -1e-9 && place(v) <= 1 + 1e-9) {
                        n = n + 1
                        numbers[n] = v
                    }
                }
            }
            fits = n < 12
            do for [i = 2:n] { fits = fits && apart_enough(numbers[i - 1], numbers[i]) }
            if (fits) { break }
        }
        tics = ''
        bare_tics = ''
        widest = 0
        do for [i = 1:n] {
            tics = tics.sprintf("'%s' %.9g, ", number(numbers[i]), numbers[i])
            bare_tics = bare_tics.sprintf("'' %.9g, ", numbers[i])
            widest = max(widest, width_of(numbers[i]))
        }
        if (axis eq 'x' && n) { x_beyond = width_of(numbers[n]) / 2 - a_long * (1 - place(numbers[n])) }
        # The small tics between powers of ten, and one that is nowhere: an empty list would be gnuplot's own.
        small_tics = "'' 1e299"
        do for [e = int(floor(log10(a_most))) - 6:int(ceil(log10(a_most)))] {
            do for [m = 2:9] {
                if (decades && a_span <= 6 && m * 10.0**e >= a_min && m * 10.0**e <= a_max) {
                    small_tics = small_tics.sprintf(", '' %.9g 1", m * 10.0**e)
                }
            }
        }
        eval axis."_tics = '('.tics.small_tics.')'; ".axis."_bare_tics = '('.bare_tics.small_tics.')'; ".axis.'_wide = widest'
    }
    panel_left = (has_rows ? rows_wide : y_wide) + 1.1
    left = edge + max(y_high, names_left - panel_left)
    y_at = left - y_high + 0.3
    left = left + (shared ? panel_left - 0.8 : 0)
    panel_left = shared ? 0.8 : panel_left
    beyond = max(0.2, max(names_beyond, x_beyond))
    panel_right = panel_columns > 1 ? max(1.2, beyond) : beyond
    right = edge + (is_heatmap ? 3.3 + z_wide + line_high * z_label_lines \
        : beyond - panel_right + (legend_at eq 'right' ? entry_wide + edge : 0))
    plot_wide = max(4, (wide - left - right) / panel_columns - panel_left - panel_right)
    plot_high = height > 0 ? plot_high \
        : max(max(0.45 * plot_wide, 6), has_rows ? line_high * n_rows : legend_at eq 'right' ? legend_high / panel_rows : 0)
}
height = height > 0 ? height : em * (around + panel_rows * plot_high)
high = height / em

cell_wide = panel_left + plot_wide + panel_right
cell_high = panel_above + plot_high + panel_below
plot_left(p) = (left + (p % panel_columns) * cell_wide + panel_left) / wide
plot_right(p) = plot_left(p) + plot_wide / wide
plot_top(p) = 1 - (top + (p / panel_columns) * cell_high + panel_above) / high
plot_bottom(p) = plot_top(p) - plot_high / high

borders = 3
set grid ytics lt 1 lw 0.5 lc rgb '#E0E0E0'
set tics nomirror out scale 0.5 textcolor rgb dark
set errorbars small

# Whether a panel bears the numbers or names of the vertical and of the horizontal axis: of panels
# that share them, the outer ones.
has_left(p) = !shared || p % panel_columns == 0
has_below(p) = !shared || p + panel_columns >= n_panels

middle_x = (plot_left(0) + plot_right(panel_columns - 1)) / 2
middle_y = (plot_top(0) + plot_bottom(panel_columns * panel_rows - 1)) / 2
# Once more for each drawing.
text_labels = "\
set label 1 title at screen 0.5, screen 1 - (0.6 + 0.7) / high center font title_font; \
set label 2 x_label at screen middle_x, screen x_at / high center; \
set label 3 y_label at screen y_at / wide, screen middle_y rotate by 90 center; \
set label 4 note at screen 1 - 0.6 / wide, screen (note_high - 0.1) / high right font note_font textcolor rgb grey; \
set label 5 z_label at screen 1 - line_high * z_label_lines / wide, screen middle_y rotate by 90 center"
# Sizes are points, and pixels in SVG.
font_of(size) = sprintf(',%.4g', size * pixels)
pixels = 1
note_font = font_of(note_size)
title_font = font_of(1.1 * font_size)
eval text_labels
legend_x = legend_at eq 'top' ? wide / 2 : legend_at eq 'right' ? wide - edge - entry_wide \
    : left + panel_left + (strstrt(legend_at, 'left') ? 0.4 : plot_wide - 0.4)
legend_y = legend_at eq 'top' ? title_high + 0.8 : top + panel_above \
    + (legend_at eq 'right' ? 0 : strstrt(legend_at, 'bottom') ? plot_high - 0.4 : 0.4)
legend_align = legend_at eq 'top' ? 'center top' : legend_at eq 'right' ? 'left top' : legend_at
# Horizontal also where it is one column: of a vertical key gnuplot drops what is higher than the plot.
key_setting(letter, row) = sprintf("set key at screen %.6f, screen %.6f %s horizontal maxcols %d Left reverse samplen 3 ", \
    legend_x / wide, 1 - legend_y / high, legend_align, legend_columns) \
    .sprintf("width %.4f spacing %.4f", entry_wide / letter - legend_letters - 6, line_high / row)
if (strlen(legend_title)) { set key title legend_title }
set key off

# A whisker that reaches below the axis ends at it.
low(y) = y < y_min ? y_min : y
# The block of data of a series in the panel that is drawn.
curve(i) = panel * n_series + i - 1
look_of_level = "lines lw 1.5 dt 2 + i % 4 lc rgb dark "
look_of_mark = "points pt 3 ps 1.2 lw 1.5 lc rgb dark "
levels = n_levels == 0 ? '' : ", for [i = 1:n_levels] level_y[i] with ".look_of_level."notitle"
marks = n_marks == 0 ? '' \
    : ", for [i = 1:n_marks] $marks using 1:2 every ::i - 1::i - 1 with ".look_of_mark."notitle"
names = !has_tics || names_turn > 0 ? '' : ", $tics using 1:(NaN):xtic(has_below(panel) ? lines_of(int($2), int($3)) : '') notitle"
# An empty list would be gnuplot's own tics.
if (has_tics) { set xtics ('' 1e299) }
if (!has_tics) { eval 'set xtics '.x_tics }
eval is_heatmap ? 'set cbtics '.z_tics : has_rows ? 'unset cbtics' : 'set ytics '.y_tics
# A number above its bar; upright where the bar is narrower than it.
turned = (values_upright ? 'rotate by 90 left offset 0, 0.4' : 'offset 0, 0.7')." font note_font textcolor rgb dark"
written(y) = sprintf(value_format, y)
# Bars are filled but for those whose colour another one has: these are paler and hatched. Their loops
# have every bar, as no loop can change how it fills.
pale = 'solid 0.3'
is_hatched(i) = s_pattern[i] != 3
filled(i, y) = is_hatched(i) ? NaN : y
hatched(i, y) = is_hatched(i) ? y : NaN
look_of_bar(i) = (is_hatched(i) ? sprintf('pattern %d', s_pattern[i]) : 'solid 1').sprintf(" border lc rgb dark lc rgb s_colour[%d]", i)
bar_entries = ''
add_bar_entries = "do for [i = 1:n_series] { \
    bar_entries = bar_entries.', keyentry with boxes fs '.look_of_bar(i).sprintf(' title series[%d]', i) }"
# What a template says: the legend's entries of its series, and what is drawn in a panel.
entries = ''
plots = ''
