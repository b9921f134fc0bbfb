# SPDX-License-Identifier: GPL-2.0-only
# A field per value of x and of y, whose colour is z.
# Data: one block per panel; the names of x and y, their places, z.
set palette defined (0 '#440154', 1 '#482475', 2 '#414487', 3 '#355F8D', 4 '#2A788E', 5 '#21918C', \
    6 '#22A884', 7 '#44BF70', 8 '#7AD151', 9 '#BDDF26', 10 '#FDE725')
unset grid
borders = 0
set xtics scale 0
set ytics ('' 1e299) scale 0
set xrange [-0.5:n_categories - 0.5]
set yrange [-0.5:n_rows - 0.5]
if (z_log) { set logscale cb }
set cbrange [z_min:z_max]
set colorbox user origin screen 1 - (right - 0.6) / wide, screen plot_bottom(n_panels - 1) \
    size screen 1.2 / wide, screen plot_top(0) - plot_bottom(n_panels - 1)
share(z) = z_log ? log(z / z_min) / log(z_max / z_min) : (z - z_min) / (z_max - z_min)

# Each field reaches a little under its neighbours: viewers of PDF show white lines where they only meet.
fields = "data index panel using 3:4:($3 - 0.5):($3 + 0.52):($4 - 0.5):($4 + 0.52):5 with boxxyerror" \
    ." fs solid 1 noborder fc palette notitle"
values = !show_values ? '' : ", data index panel using 3:4:(stringcolumn(5) eq 'NaN' ? '' : written($5)):(share($5) > 0.6 ? 0x000000 : 0xFFFFFF)" \
    ." with labels font note_font textcolor rgb variable notitle"
row_names = ", $rows using (NaN):1:ytic(has_left(panel) ? lines_of(int($2), int($3)) : '') notitle"
plots = fields.values.names.row_names
