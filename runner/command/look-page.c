/* SPDX-License-Identifier: GPL-2.0-only */
/* Page of a run in HTML: its fabric, drawn, with its links coloured by load, and its tables. */
#include <stdlib.h>

#include "look.h"
#include "textbuf.h"

#define MOST_HOSTS    128 /* that are drawn */
#define MOST_SWITCHES 256 /* of a tier */
#define WIDE          1200.0
#define HIGH          170.0 /* between two tiers */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n"
    "body{font:15px/1.45 sans-serif;color:#1b1b1b;background:#fff;margin:0 auto;max-width:1240px;"
    "padding:0 12px 40px}\nh1{font-size:22px}h2{font-size:17px;margin:28px 0 6px}\n"
    ".wide{overflow-x:auto}svg{min-width:700px;width:100%;height:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:2px 9px;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:#fff}\n"
    "line{stroke-width:1.6}.c0{stroke:#c9ced6}.c1{stroke:#8fb7dd}.c2{stroke:#2f7fc1}"
    ".c3{stroke:#e08a00}.c4{stroke:#c0182b;stroke-width:2.4}\n"
    ".bad{stroke-dasharray:5 4}.way{stroke:#7b2fbf;stroke-opacity:.28;stroke-width:9}"
    "circle,rect{fill:#fff;stroke:#444}text{font-size:11px;text-anchor:middle;fill:#333;paint-"
    "order:stroke;stroke:#fff;stroke-width:3px}\n"
    ".key{display:inline-block;width:26px;height:0;border-top:3px solid;margin:0 5px 3px 14px}\n"
    "@media print{svg{min-width:0}}\n</style>\n";

/* Nodes by tier, each with its place there; servers' own networks are none. */
#define NODES                                                                                      \
    "with ends as (select substr(link, 1, instr(link, ' -> ') - 1) as a, "                         \
    "substr(link, instr(link, ' -> ') + 4) as b, * from run.links where layer not like "           \
    "'server%%'), "                                                                                \
    "tiers as (select a as name, max(case when host is not null then 0 when layer like 'tor%%' "   \
    "then 1 when layer like 'core%%' then 3 else 2 end) as tier, max(coalesce(host, switch)) as "  \
    "number from ends group by a), "                                                               \
    "nodes as (select *, row_number() over (partition by tier order by number) - 0.5 as at, "      \
    "count(*) over (partition by tier) as n, max(tier) over () as top from tiers) "

/* Links once, with both directions: places of the ends, loads, and what is to be said. */
#define LINKS                                                                                      \
    NODES "select x.tier, x.at / x.n, y.tier, y.at / y.n, max(max(u.busy_share, d.busy_share)), "  \
          "sum(u.down_us + u.lossy_us + d.down_us + d.lossy_us) > 0, %s, "                         \
          "printf('%%s: %%.0f %%%% busy, peak queue %%.1f KB, %%d lost; back: %%.0f %%%%, %%.1f "  \
          "KB, %%d', "                                                                             \
          "u.link, 100 * max(u.busy_share), max(u.queue_peak_bytes) / 1e3, "                       \
          "sum(u.dropped_buffer + u.dropped_link + u.dropped_lossy + u.dropped_corrupted), "       \
          "100 * max(d.busy_share), max(d.queue_peak_bytes) / 1e3, "                               \
          "sum(d.dropped_buffer + d.dropped_link + d.dropped_lossy + d.dropped_corrupted)), "      \
          "x.top from ends u join ends d on d.a = u.b and d.b = u.a join nodes x on x.name = u.a " \
          "join nodes y on y.name = u.b where (x.tier, x.number) < (y.tier, y.number) and "        \
          "(x.tier > 0 or x.n <= %d) group by u.a, u.b order by 5"

static double
height_of(double tier, double top)
{
    return 40 + (top - tier) * HIGH;
}

/** Draws a link. @p c: a row of LINKS. */
static void
add_link(struct text *t, const struct query_cell *c)
{
    const double load = c[4].real, top = c[8].real;
    const int colour = load >= 0.9 ? 4 : load >= 0.7 ? 3 : load >= 0.4 ? 2 : load >= 0.1;
    OWNED char *line =
        xformat("x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", c[1].real * WIDE,
                height_of(c[0].real, top), c[3].real * WIDE, height_of(c[2].real, top));
    if (c[6].integer)
    {
        text_add(t, "<line class=\"way\" %s/>\n", line);
    }
    text_add(t, "<line class=\"c%d%s\" %s><title>", colour, c[5].integer ? " bad" : "", line);
    text_add_xml(t, c[7].text);
    text_add(t, "</title></line>\n");
}

/** Draws a node. @p c: its name, tier, place, how many are beside it, the highest tier. */
static void
add_node(struct text *t, const struct query_cell *c)
{
    const double x = c[2].real / c[3].real * WIDE, y = height_of(c[1].real, c[4].real);
    const bool is_host = c[1].integer == 0;
    text_add(t,
             is_host ? "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\">"
                     : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\">",
             is_host ? x - 3.5 : x, is_host ? y - 3.5 : y);
    text_add(t, "<title>");
    text_add_xml(t, c[0].text);
    text_add(t, is_host ? "</title></rect>\n" : "</title></circle>\n");
    if (c[3].integer <= 16)
    {
        text_add(t, "<text x=\"%.1f\" y=\"%.1f\">", x, y + (is_host ? 20 : -13));
        text_add_xml(t, c[0].text);
        text_add(t, "</text>\n");
    }
}

/** Returns the links, those of the QP's way marked where that is known. */
static struct query_rows *
ask_links(struct database *db, long qp, bool has_ways)
{
    OWNED char *way =
        has_ways ? xformat("exists (select 1 from run.paths p where p.qp = %ld and p.link in "
                           "(u.link, d.link)) or u.host = (select src from run.qps where qp = %ld)",
                           qp, qp)
                 : xstrdup("0");
    OWNED char *sql = xformat(LINKS, way, MOST_HOSTS);
    return results_ask(db, sql);
}

/** Whether the nodes of each tier find room. @p nodes: rows of add_node(). */
static bool
fit(const struct query_rows *nodes)
{
    bool all = nodes->nrows > 0;
    for (size_t i = 0; i < nodes->nrows; i++)
    {
        all = all && nodes->cells[i * nodes->ncolumns + 3].integer <= MOST_SWITCHES;
    }
    return all;
}

/** Says what colours mean, and begins the drawing. @p lowest, @p top: tiers. */
static void
begin_drawing(struct text *t, bool has_ways, int64_t lowest, double top)
{
    static const char *const loads[] = {"below 10 %", "10 %", "40 %", "70 %", "90 % and more"};
    text_add(t, "<p>");
    for (int i = 0; i < 5; i++)
    {
        text_add(t, "<i class=\"key c%d\"></i>%s", i, loads[i]);
    }
    text_add(
        t,
        ", the busier direction of both; dashed: dead, lossy or spoiling frames for a while%s%s"
        "</p>\n<div class=\"wide\"><svg viewBox=\"0 0 %.0f %.0f\">\n",
        has_ways ? "; violet: the way of the QP below" : "",
        lowest > 0 ? "; hosts are left out" : "", WIDE, height_of((double)lowest, top) + 30);
}

/** Draws the fabric, or says why not. */
static void
add_fabric(struct text *t, struct database *db, long qp)
{
    const bool has_ways = qp >= 0 && look_has_table(db, "paths");
    OWNED char *sql = xformat(NODES "select name, tier, at, n, top from nodes where tier > 0 or "
                                    "n <= %d order by tier, at",
                              MOST_HOSTS);
    CLEANUP(query_rows_drop) struct query_rows *nodes = results_ask(db, sql);
    text_add(t, "<h2>Links by the time in which they were busy</h2>\n");
    if (!fit(nodes))
    {
        text_add(t, "<p>The fabric is too large to be drawn.</p>\n");
        return;
    }
    CLEANUP(query_rows_drop) struct query_rows *links = ask_links(db, qp, has_ways);
    begin_drawing(t, has_ways, nodes->cells[1].integer, nodes->cells[4].real);
    for (size_t i = 0; i < links->nrows; i++)
    {
        add_link(t, &links->cells[i * links->ncolumns]);
    }
    for (size_t i = 0; i < nodes->nrows; i++)
    {
        add_node(t, &nodes->cells[i * nodes->ncolumns]);
    }
    text_add(t, "</svg></div>\n");
}

static void
add_cell(struct text *t, const char *kind, const struct query_cell *cell)
{
    OWNED char *text = query_cell_text(cell);
    text_add(t, "<%s>", kind);
    text_add_xml(t, text);
    text_add(t, "</%s>", kind);
}

/** Adds the answer to a question, as a table or as lines. */
static void
add_answer(struct text *t, struct database *db, const struct look_question *q, long qp)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = look_ask(db, q, qp);
    if (!rows || rows->nrows == 0)
    {
        return;
    }
    text_add(t, "<h2>");
    text_add_xml(t, q->heading);
    text_add(t, "</h2>\n<div class=\"wide\"><table>\n<tr>");
    for (size_t c = 0; !q->is_text && c < rows->ncolumns; c++)
    {
        text_add(t, "<th>");
        text_add_xml(t, rows->columns[c]);
        text_add(t, "</th>");
    }
    text_add(t, "</tr>\n");
    for (size_t i = 0; i < rows->nrows; i++)
    {
        text_add(t, "<tr>");
        for (size_t c = 0; c < rows->ncolumns; c++)
        {
            add_cell(t, "td", &rows->cells[i * rows->ncolumns + c]);
        }
        text_add(t, "</tr>\n");
    }
    text_add(t, "</table></div>\n");
}

char *
look_page(struct database *db, const char *name, long qp)
{
    struct text t = {0};
    text_add(&t, "%s<title>", head);
    text_add_xml(&t, name);
    text_add(&t, "</title></head><body>\n<h1>");
    text_add_xml(&t, name);
    text_add(&t, "</h1>\n");
    add_fabric(&t, db, qp);
    for (size_t i = 0; look_question(false, i); i++)
    {
        add_answer(&t, db, look_question(false, i), -1);
    }
    if (qp >= 0)
    {
        text_add(&t, "<h2>QP %ld</h2>\n", qp);
    }
    for (size_t i = 0; qp >= 0 && look_question(true, i); i++)
    {
        add_answer(&t, db, look_question(true, i), qp);
    }
    text_add(&t, "</body></html>\n");
    return text_take(&t);
}
