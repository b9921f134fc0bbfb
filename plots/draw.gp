# SPDX-License-Identifier: GPL-2.0-only
# Draws "plots", which the template has made, for each panel, as SVG, PNG and PDF. Stands behind the
# template. A template of one's own that leaves it empty draws by itself.
more_entries = (!has_line ? '' : ", keyentry with lines lc rgb dark lw 1.5 dt 2 title line_label") \
    .(n_levels == 0 ? '' : ", for [i = 1:n_levels] keyentry with ".look_of_level."title level_label[i]") \
    .(n_marks == 0 ? '' : ", for [i = 1:n_marks] keyentry with ".look_of_mark."title mark_label[i]")
if (strlen(plots)) {
    do for [out in 'svg png pdf'] {
        if (out eq 'svg') {
            set terminal svg enhanced size width / 25.4 * 96, height / 25.4 * 96 \
                font font_name.','.sprintf('%.4g', font_size / 72.0 * 96) background rgb 'white'
            set output svg_file
        }
        if (out eq 'png') {
            set terminal pngcairo enhanced size width / 25.4 * 300, height / 25.4 * 300 \
                font font_name.','.sprintf('%.4g', font_size) fontscale 300 / 96.0 linewidth 300 / 96.0 \
                pointscale 300 / 96.0 background rgb 'white'
            set output png_file
        }
        if (out eq 'pdf') {
            set terminal pdfcairo enhanced size width / 25.4, height / 25.4 \
                font font_name.','.sprintf('%.4g', font_size) fontscale 0.75 linewidth 1.5 background rgb 'white'
            set output pdf_file
        }
        pixels = out eq 'svg' ? 96 / 72.0 : 1
        note_font = font_of(note_size)
        title_font = font_of(1.1 * font_size)
        # The SVG terminal writes what stands below an axis lower than the others do.
        if (out eq 'svg') { set xtics offset 0, 0.4 } else { set xtics offset 0, 0 }
        set multiplot
        set border borders lw 0.75 lc rgb grey
        do for [i = 1:5] { unset label i }
        # Names that do not lie flat are labels: of tics gnuplot says that it has difficulties, although the
        # margins are set. Not "with labels", which would take the backslashes away that keep marks from
        # being marks.
        n_slanted = has_tics && names_turn > 0 ? |$tics| : 0
        n_groups = |$groups|
        do for [panel = 0:n_panels - 1] {
            set lmargin at screen plot_left(panel)
            set rmargin at screen plot_right(panel)
            set tmargin at screen plot_top(panel)
            set bmargin at screen plot_bottom(panel)
            if (n_panels > 1) {
                set label 6 panel_name[panel + 1] at graph 0.5, \
                    screen plot_top(panel) + (0.375 + 1.25 * panel_lines[panel + 1] - 0.625) / high center
            }
            if (shared && !has_tics) { eval 'set xtics '.(has_below(panel) ? x_tics : x_bare_tics) }
            if (shared && !has_rows) { eval 'set ytics '.(has_left(panel) ? y_tics : y_bare_tics) }
            do for [k = 1:n_slanted] {
                set label 10000 + k has_below(panel) ? lines_of(int(word($tics[k], 2)), int(word($tics[k], 3))) : '' \
                    at first real(word($tics[k], 1)), graph 0 rotate by names_turn right offset 0, -0.7 textcolor rgb dark
            }
            do for [k = 1:n_groups] {
                set label 100 + k has_below(panel) ? text_of(int(word($groups[k], 2))) : '' \
                    at first real(word($groups[k], 1)), screen plot_bottom(panel) - (names_below + 0.1) / high \
                    center textcolor rgb dark
            }
            eval 'plot '.plots
        }
        do for [k = 1:n_slanted] { unset label 10000 + k }
        do for [k = 1:n_groups] { unset label 100 + k }
        unset label 6
        # The texts and the legend, in a plot as wide as the figure, far from where anything is; behind
        # the others, as the legend may lie over them.
        eval text_labels
        if (legend_rows > 0) {
            eval out eq 'svg' ? key_setting(0.7, 1.5) : key_setting(0.65, 1.25)
            legend_font = font_of(legend_size)
            set key on font legend_font
            if (strstrt(legend_at, ' ')) { set key opaque }
        }
        set lmargin at screen 0.6 / wide
        set rmargin at screen 1 - 0.6 / wide
        set tmargin at screen 0.9
        set bmargin at screen 0.1
        set border 0
        eval 'plot [1e300:1e301] [1e300:1e301] NaN notitle'.(legend_rows > 0 ? entries.more_entries : '')
        set key off
        unset multiplot
        set output
    }
}
