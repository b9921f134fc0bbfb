# SPDX-License-Identifier: GPL-2.0-only
# Reads what packet-hop-bench.sh's runs have printed, each behind its case and what it was for.
# Prints a row per case as soon as all its runs are done. Fails if a run did.
BEGIN {
    n = split("case name bytes hosts setup_s cpu_s hops ns_per_hop events_per_hop " \
              "instructions_per_hop allocations_per_hop peak_mb bytes_per_packet " \
              "completion_us digest", names, " ")
    split("-4 -12 8 5 6 6 9 6 6 6 8 7 6 0 0", widths, " ")
    split("case||message|hosts|set-up|CPU|packet|ns|events|instr.|alloc.|peak|B per||", top, "|")
    split("||bytes||s|s|hops|/hop|/hop|/hop|/hop|MB|packet||", below, "|")
    if (format == "csv")
        print_row(names)
    else
    {
        print_row(top)
        print_row(below)
    }
}

function print_row(cells,    i, line)
{
    for (i = 1; i <= n; i++)
        if (format == "csv")
            line = line (i > 1 ? "," : "") cells[i]
        else if (widths[i] != 0)
            line = line (i > 1 ? " " : "") sprintf("%" widths[i] "s", cells[i])
    print line
    fflush()
}

# a / b with so many digits, or "-" if there is nothing to divide by.
function quotient(a, b, digits)
{
    return b > 0 ? sprintf("%." digits "f", a / b) : "-"
}

function finish_case(    cells)
{
    if (!("run" in seen))
        return
    cells[1] = value["run", "case"]
    cells[2] = value["run", "name"]
    cells[3] = value["run", "bytes"]
    cells[4] = value["run", "hosts"]
    cells[5] = quotient(value["run", "setup_s"], 1, 2)
    cells[6] = quotient(value["run", "cpu_s"], 1, 2)
    cells[7] = value["run", "hops"]
    cells[8] = quotient(value["run", "ns_per_hop"], 1, 1)
    cells[9] = quotient(value["run", "events_per_hop"], 1, 3)
    cells[10] = quotient(instructions, counts == 2 ? hops : 0, 0)
    cells[11] = value["run", "allocations_per_hop"]
    cells[12] = quotient(value["run", "peak_bytes"], 1e6, 1)
    cells[13] = quotient(value["run", "run_bytes"], value["run", "in_flight"], 0)
    cells[14] = quotient(value["run", "completion_ps"], 1e6, 6)
    cells[15] = value["run", "digest"]
    print_row(cells)
}

$1 != last {
    finish_case()
    split("", seen)
    split("", value)
    counts = hops = instructions = 0
    last = $1
}

$2 == "failed" {
    failed = 1
    next
}

{
    seen[$2] = 1
    for (i = 3; i <= NF; i++)
    {
        equals = index($i, "=")
        value[$2, substr($i, 1, equals - 1)] = substr($i, equals + 1)
    }
}

# Two runs of different length: what set-up costs is in both, and goes away.
$2 == "count" {
    counts++
    instructions = value["count", "instructions"] - instructions
    hops = value["count", "hops"] - hops
}

END {
    finish_case()
    exit failed
}
