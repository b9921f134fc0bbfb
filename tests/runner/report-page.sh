#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: report-page.sh WEFT-RUNNER MAKE-RESULTS
# A report as a page must show what the results hold, need nothing from anywhere, and be safe to open: what
# stands in claims, results and figures may come from somebody else and must not run in the reader's browser.
# Figures are images, in which browsers run nothing and for which they fetch nothing.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

make_results=$2

# value PAGE XPATH: what a browser's tree has; it is HTML 5, of which the parser knows no names of elements.
value()
{
    xmllint --html --noent --xpath "$2" "$1" 2>/dev/null
}

# is PAGE XPATH VALUE
is()
{
    found=$(value "$1" "$2") || fail "$1: $2: there is none"
    [ "$found" = "$3" ] || fail "$1: $2 is '$found', not '$3'"
}

# harmless PAGE: nothing in it runs but the script of Weft, and nothing is fetched.
harmless()
{
    is "$1" 'count(//script)' 1
    is "$1" 'count(//style)' 1
    is "$1" 'count(//@*[starts-with(name(), "on")])' 0
    is "$1" 'count(//svg | //iframe | //object | //embed | //form | //base | //b | //foreignobject | //animate | //link)' 0
    is "$1" 'count(//@src[not(parent::img) or not(starts-with(., "data:image/svg+xml,")) or contains(., "<")] | //@srcset | //@action)' 0
    is "$1" 'count(//a/@href[not(starts-with(., "#") or starts-with(., "https://") or starts-with(., "results/"))])' 0
    is "$1" 'count(//*[local-name() != "a"]/@href)' 0
    is "$1" 'count(//@*[name() != "src" and contains(., "url(")])' 0
    is "$1" "count(//meta[contains(@content, \"default-src 'none'\")])" 1
    value "$1" '//@id' | tr ' ' '\n' | sed '/^$/d' | sort | uniq -d >twice
    [ ! -s twice ] || fail "$1: ids twice: $(cat twice)"
    [ "$(LC_ALL=C tr -d '\n\040-\176\200-\377' <"$1" | wc -c)" = 0 ] || fail "$1: a control character"
    is "$1" "count(//meta[contains(@content, \"; img-src data:;\")])" 1
}

# --- a whole report -------------------------------------------------------------------------------

mkdir -p claims results/demo
cat >results/demo/summary.csv <<'END'
run,case,workload.bytes,seed,cct_us
1,a,64KiB,1,60.000000
2,b,64KiB,1,100.000000
3,a,1MiB,1,80.000000
4,b,1MiB,1,90.000000
END
"$make_results" results/demo
cat >results/demo/fig.svg <<'END'
<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="90" height="60" viewBox="0 0 90 60" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<title>Gnuplot</title><defs><path id='gpPt0' d='M-1,0 h2'/></defs>
<g fill="url(#gpPt0)" stroke-width="2.5" font-family="Sans" transform="translate(1,2)"><use xlink:href='#gpPt0'/><text x="1" y="2">A &amp; B</text></g></svg>
END
cp results/demo/fig.svg results/demo/again.svg
echo 'START_TEST(two_and_two)' >claims/test-demo.c
cat >claims/demo.xml <<'END'
<claims title="Demo">
  <text>
    What **was** found with `a &lt; b`; [here](https://example.org/x?a=1&amp;b=2).

    And [there](page.md), a \`mark\`.
  </text>
  <section title="One" results="demo" scenario="demo.xml">
    <claim verdict="agrees">
      <says>a is faster</says>
      <paper>20 %</paper>
      <query over="workload.bytes" unit="%">
        select "workload.bytes", 100 * (1 - avg(cct_us) filter (where "case" = 'a')
          / avg(cct_us) filter (where "case" = 'b')) as value
        from summary group by "workload.bytes"
      </query>
    </claim>
    <claim verdict="differs">
      <says>b</says>
      <query former="on">select max(cct_us) as slowest from summary where cct_us &lt; 100</query>
      <why>Because.</why>
    </claim>
    <claim verdict="agrees"><says>c</says><test name="two_and_two" file="test-demo.c"/></claim>
    <table title="Times">
      <query each="workload.bytes">select "workload.bytes", max(cct_us) as most from summary group by "workload.bytes"</query>
    </table>
  </section>
  <section title="Two" results="gone"><claim verdict="open"><says>d</says><query>select 1 as value</query></claim></section>
</claims>
END
"$claims" --html claims/demo.xml --allow-missing --output page.html
harmless page.html
is page.html 'string(//title)' Demo
is page.html 'normalize-space(//div[@class="findings"]/p[1])' 'What was found with a < b; here.'
is page.html 'string(//div[@class="findings"]//a/@href)' 'https://example.org/x?a=1&b=2'
is page.html 'count(//div[@class="findings"]/p)' 2
claim='//table[contains(@class, "claims")]/tbody/tr'
is page.html "count($claim)" 4
is page.html "normalize-space(($claim)[1]/td[3])" '11.1 to 40.0 %'
is page.html "string(($claim)[1]/td[2])" '20 %'
# shellcheck disable=SC2016 # code is that of Markdown
is page.html 'string(//p[contains(., "mark")])' 'And there, a `mark`.'
n=0
for verdict in agrees 'to be run again' 'shown by a test' 'not run'; do
    n=$((n + 1))
    is page.html "normalize-space(($claim)[$n]/td[4])" "$verdict"
    is page.html "string(//table[@class='counts']/tbody/tr[td='$verdict']/td[2])" 1
done
is page.html "normalize-space(//details//p[@id='p1-c2-all'])" '2. Because.'
is page.html "string(($claim)[3]//a/@href)" '#p1-c3-all'
is page.html "string(($claim)[2]/td[4]/a/@href)" '#p1-c2-all'
is page.html 'count(//details[@open])' 0
# A cell with a unit sorts by its number.
is page.html 'string(//tr[td="1MiB"]/td/@data-value)' 1048576
is page.html 'count(//figure/div/img[@alt])' 2
is page.html 'string(//figcaption)' again
# It is the figure, byte by byte, that a browser shows.
value page.html 'string(//img/@src)' | sed 's/^data:image.svg+xml,//; s/%/\\x/g' >escaped
# shellcheck disable=SC2059 # the format is the figure
[ "$(env printf "$(cat escaped)")" = "$(cat results/demo/fig.svg)" ] || fail 'the page has another figure'
is page.html 'string(//tr[th="runs"]/td)' 4
# Of any size: dots in their thousands are more than a MiB.
awk 'BEGIN {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">"
    while (++n <= 45000) print "<circle cx=\"1\" cy=\"2\" r=\"3\"/>"
    print "</svg>" }' >results/demo/again.svg
"$claims" --html claims/demo.xml --allow-missing --output large.html
n=$(sed 's/%3Ccircle/\n&/g' large.html | grep -c '^%3Ccircle' || true)
[ "$n" = 45000 ] || fail "a large figure has $n dots in the page"
# And in any encoding.
iconv -t UTF-16 results/demo/fig.svg >results/demo/again.svg
"$claims" --html claims/demo.xml --allow-missing --output wide.html
sed -n 's/.*<img src="data:image.svg+xml,\([^"]*\)" alt="again".*/\1/p' wide.html | sed 's/%/\\x/g' >escaped
# shellcheck disable=SC2059 # the format is the figure
env printf "$(cat escaped)" | cmp - results/demo/again.svg || fail 'the page has another figure of UTF-16'
cp results/demo/fig.svg results/demo/again.svg
# The same report as Markdown has the same verdicts.
"$claims" claims/demo.xml --allow-missing --output page.md
grep -q '^| 1 | a is faster | 20 % | 11.1 to 40.0 % | agrees |  |$' page.md || fail 'Markdown has another verdict'

# --- what others write ----------------------------------------------------------------------------

mkdir -p 'results/<i>"&'
printf 'run,case,cct_us\n1,"<script>alert(41)</script>",1\n2,"""><img src=x onerror=alert(42)>",2\n3,"</td></svg>&lt;\033[31m\001",3\n4,"\302\205\342\200\256\377x",4\n' \
    >'results/<i>"&/summary.csv'
"$make_results" 'results/<i>"&'
cat >'results/<i>"&/<b>.svg' <<'END'
<?xml version="1.0"?>
<!DOCTYPE svg [<!ENTITY x "<script>alert(43)</script>"><!ENTITY c "red"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:h="http://www.w3.org/1999/xhtml"
 viewBox="0 0 9 9" onload="alert(44)" style="position:fixed">
<script>alert(45)</script><style>@import "http://example.org";</style>&x;&f;
<g id='"&gt;&lt;script&gt;' onclick="alert(46)"><text fill="url(http://example.org/#a)" stroke='u&#9;rl(//example.org)' x="1">&lt;/svg&gt;&lt;script&gt;&amp;</text></g>
<a xlink:href="javascript:alert(47)"><text>link</text></a>
<image href="http://example.org/x.png"/><image xlink:href="data:image/svg+xml;base64,AAAA"/><use xlink:href="http://example.org#a"/>
<image width="1" height="1" xlink:href="data:image/png;base64,AAAA"/>
<foreignObject><h:script>alert(48)</h:script></foreignObject><h:img src="x"/><animate attributeName="href" to="javascript:alert(49)"/>
<rect width="1" height="1" fill="red" stroke="&c;" clip-path="url(x)" style="fill:url('http://example.org')"/></svg>
END
echo '<svg><g></svg>' >'results/<i>"&/broken.svg'
ln -s /etc/passwd 'results/<i>"&/passwd.svg'
cat >claims/hostile.xml <<'END'
<claims title="&lt;/title>&lt;script>alert(40)&lt;/script>">
  <text>&lt;script>alert(40)&lt;/script> `&lt;script>` [x](javascript:alert(40)) [y](https://e.org/"onclick="alert(40)) **&lt;b> [&lt;b>](z)</text>
  <section title="&lt;b>&quot;&amp;" results="&lt;i>&quot;&amp;" scenario="&lt;b>'.xml">
    <claim verdict="agrees">
      <says>&lt;b></says>
      <paper>"&lt;b></paper>
      <query unit="&lt;b>">select count(*) as "&lt;b>""" from summary where '&lt;/pre>&lt;b>' &lt;> ''</query>
      <why>&lt;b></why>
    </claim>
    <table title="&lt;b>"><query each="case">select "case", cct_us as "&lt;b>" from summary</query></table>
  </section>
</claims>
END
"$claims" --html claims/hostile.xml --output hostile.html
"$weft" report --html 'results/<i>"&' --output folder.html
for page in hostile folder; do
    harmless $page.html
    is $page.html 'count(//figure//img)' 1
    is $page.html 'count(//figure//p[contains(., "cannot be shown")])' 2
    is $page.html 'count(//td[text() = "<script>alert(41)</script>"])' 1
    is $page.html "count(//td[text() = '\"><img src=x onerror=alert(42)>'])" 1
    is $page.html 'count(//td[contains(., "</td></svg>&lt; [31m ")])' 1
    ! grep -q 'root:' $page.html || fail "$page: a file from elsewhere"
done
# Nor does a link in Markdown run anything, however it is written.
cat >claims/links.xml <<'END'
<claims title="Links">
  <text>[a](javascript:alert(40)) [b](javascript:x) [c](JavaScript:x) [d [e]](javascript:x) [f `]` g](data:x) [h][i] [j](vbscript:x "t")

[i]: javascript:alert(40)

![k](javascript:x) [l](&lt;javascript:x>) [m](java\:x) [...] [n](https://e.org/a:b) [o](MAILTO:a@e.org) [p](../q.md#r) [s](t?u=v:w) [x](#y:z)</text>
  <section title="One" results="demo"><claim verdict="agrees"><says>[a](file:///etc/passwd)</says></claim></section>
</claims>
END
"$claims" claims/links.xml --output links.md
! grep -n '[^\\]\](\(\\\|<\)*\(java\|data\|vb\|file\)\|[^\\]\](<\|[^\\]\][:[]' links.md || fail 'a link in Markdown leads to a program'
for link in '[n](https://e.org/a:b)' '[o](MAILTO:a@e.org)' '[p](../q.md#r)' '[s](t?u=v:w)' '[x](#y:z)' ' [...] '; do
    grep -qF "$link" links.md || fail "no $link in Markdown"
done
is hostile.html 'string(//title)' '</title><script>alert(40)</script>'
is hostile.html 'string(//section/h2)' '<b>"&'
is folder.html 'string(//section/h2)' '<i>"&'

# --- folders of results ---------------------------------------------------------------------------

"$weft" report --html results/demo/ --output folder.html
harmless folder.html
is folder.html 'string(//h1)' 'Results of demo'
is folder.html 'count(//img)' 2
is folder.html 'count(//table[caption="All runs"]/tbody/tr)' 4
is folder.html 'string(//table[caption="All runs"]/tbody/tr[3]/td[2])' 1MiB
is folder.html 'count(//table[caption="All runs"]//th[.="seed"])' 0
is folder.html 'string(//details[summary="The same in all rows: All runs"]//tr[th="seed"]/td)' 1
# It says where all of it is, as a link from where the page lies, whatever the folder is called.
mkdir -p pages 'javascript:"&'
cp results/demo/results.sqlite 'javascript:"&'
"$weft" report --html results/demo --output pages/page.html
is pages/page.html 'string(//p[@class="count"]/a/@href)' ../results/demo/summary.csv
is pages/page.html 'normalize-space(//p[@class="count"])' '4 rows; all are in summary.csv'
"$weft" report --html 'javascript:"&' --output odd.html
is odd.html 'string(//p[@class="count"]/a/@href)' 'javascript%3A%22&/summary.csv'
"$weft" report --html results/demo 'results/<i>"&' >both.html
harmless both.html
is both.html 'count(//section)' 2
is both.html 'count(//img)' 3

# A thousand rows are all there; of one more the page says so.
for n in 1000 1001; do
    mkdir results/many-$n
    { echo run,case,seed,cct_us; seq $n | sed 's/.*/&,c&,1,1.000000/'; } >results/many-$n/summary.csv
    "$make_results" results/many-$n
    "$weft" report --html results/many-$n >many.html
    is many.html 'count(//table[caption="All runs"]/tbody/tr)' 1000
    is many.html 'count(//p[@class="count"][starts-with(normalize-space(.), "The first 1000 rows; scroll in the table")])' $((n - 1000))
    is many.html 'count(//p[@class="count"][starts-with(normalize-space(.), "1000 rows; scroll in the table")])' $((1001 - n))
done

# The scenario's title is the page's. What its figures show comes first, a mean with its interval; all else is behind, and
# not printed: who looks for a figure's numbers does not have to find them among a hundred columns.
"$weft" run "$here/tiny.xml" --no-figures >/dev/null 2>messages || fail 'no results'
"$weft" report --html results/tiny >tiny.html
harmless tiny.html
is tiny.html 'string(//title)' 'Four hosts, two paths, a few hundred packets'
is tiny.html 'string(//h1)' 'Four hosts, two paths, a few hundred packets'
is tiny.html 'string(//section/h2)' tiny
seeds='//table[caption="Over the seeds"]'
is tiny.html "concat($seeds//th[1], ' ', $seeds//th[2])" 'case cct_us'
is tiny.html "count($seeds//th[not(contains(@class, 'behind'))])" 2
is tiny.html "count($seeds/tbody/tr[1]/td[not(contains(@class, 'behind'))])" 2
is tiny.html "count($seeds//th) > 20 and not($seeds//th[.='cct_us_mean' or .='cct_us_ci95'])" true
is tiny.html "count(//table[caption='All runs']//th[not(contains(@class, 'behind'))])" 3
"$weft" query results/tiny "select cct_us_mean as mean, cct_us_ci95 as half from aggregate where half > 0
    union all select increase_mean, increase_ci95 from aggregate where increase_ci95 > 0" --format csv >means
tail -n +2 means | while IFS=, read -r mean half; do
    rounded=$(awk -v m="$mean" -v h="$half" 'BEGIN { while (h * 10 ^ d < 2) d++; printf "%.*f ± %.*f", d, m, d, h }')
    is tiny.html "string($seeds//td[@title='$mean ± $half'])" "$rounded"
done
# Behind them is what the terminal's table has, then the rest, and last the spread beside the intervals.
before()
{
    [ "$(value tiny.html "count($seeds//th[.='$1']/preceding-sibling::th)")" -lt \
        "$(value tiny.html "count($seeds//th[.='$2']/preceding-sibling::th)")" ] || fail "$1 comes behind $2"
}
before cct_us resent_share
before resent_share cct_acked_us
before cct_acked_us cct_us_min
before out_of_order cct_us_min
is tiny.html "count($seeds//th[substring(., string-length(.) - 6) = '_stddev']/following-sibling::th[contains(concat(' ', ., ' '), ' out_of_order ')])" 0
# A head goes on in another line at its marks, so that numbers are in sight on a narrow screen, where the first column stays.
is tiny.html "count($seeds//th[.='cct_us_min']/wbr)" 2
grep -q '^\.box \.sorts th:first-child, .* { position: sticky; left: 0;' tiny.html || fail 'no column stays in sight'
# Where not all seeds have a value, the cell says so.
sed 's/name="tiny"/name="stops"/; s/count="2"/count="3"/; s/<limit time="100ms"/<limit time="65us" then="stop"/' "$here/tiny.xml" >stops.xml
"$weft" run stops.xml --no-figures >/dev/null 2>messages || fail 'no results of runs that stop'
"$weft" report --html results/stops >stops.html
few=$("$weft" query results/stops "select cct_us_mean from aggregate where cct_us_n = 1" --format csv | tail -n 1)
is stops.html "string($seeds//tr[td[1]='rsq']/td[2])" "$few (1/3)"
sed 's,<title>.*</title>,<title> </title>,' "$here/tiny.xml" >results/tiny/scenario.xml
"$weft" report --html results/tiny --output tiny.html
is tiny.html 'string(//title)' 'Results of tiny'
# Of several scenarios the titles head the sections; a title in which there is markup is a text, as any other.
sed 's,<title>.*</title>,<title>\&lt;b>\&amp;</title>,' "$here/tiny.xml" >results/tiny/scenario.xml
"$weft" report --html results/tiny results/demo >both.html
harmless both.html
is both.html 'string(//h1)' 'Results of 2 scenarios'
is both.html 'string(//section[1]/h2)' '<b>&'
is both.html 'string(//section[2]/h2)' demo
# What a figure asks for in a query of its own is drawn, too; what only begins or ends like it is not.
sed '/<figure/,$d' "$here/tiny.xml" >results/tiny/scenario.xml
cat >>results/tiny/scenario.xml <<'END'
<figure name="own" template="bars"><query>select "case" as x, cct_us2 as y, avg(increase) as z from summary</query></figure></scenario>
END
"$weft" report --html results/tiny >tiny.html
is tiny.html "string($seeds//th[2])" increase
is tiny.html "count($seeds//th[not(contains(@class, 'behind'))])" 2

# What the terminal says: warnings about the scenario, notes on the results, and each workload by itself.
sed -e '/<figure/,/\/>/d' -e 's,</scenario>,,' -e 's,name="tiny",name="jobs",' \
    -e 's,<workload.*,<workload name="a" kind="ring" bytes="80KB" hosts="0 2"/><workload name="b" kind="ring" bytes="40KB" hosts="1 2 3"/>,' \
    "$here/tiny.xml" >jobs.xml
echo '</scenario>' >>jobs.xml
"$weft" run jobs.xml --no-figures >out 2>messages || fail 'no results of two jobs'
"$weft" report --html results/jobs >jobs.html
harmless jobs.html
"$weft" validate jobs.xml 2>&1 | sed -n 's/^jobs.xml:\([0-9]*\): warning: /line \1: /p' >warnings
grep -q 'host 2 is listed' warnings || fail 'nothing to warn of'
value jobs.html '//div[@class="remarks"][h3="Warnings"]//li' | sed 's,</li><li>,\n,g; s/<[^>]*>//g' | xmllint --html --xpath 'string(/)' - |
    sed '/^$/d' | cmp - warnings || fail 'the page has other warnings'
jobs='//table[caption="By workload"]'
is jobs.html "count($jobs/tbody/tr)" 12
is jobs.html "concat($jobs//th[1], ' ', $jobs//th[2], ' ', $jobs//th[3])" 'case seed workload'
is jobs.html "string($jobs/tbody/tr[2]/td[count($jobs//th[.='cct_us']/preceding-sibling::th) + 1])" \
    "$("$weft" query results/jobs "select cct_us from workloads where workload = 'b' and run = 1" --format csv | tail -n 1)"
# What the ranks of a trace did, and its collectives.
cp "$here/../../scenarios/workloads/two-layers.txt" .
cat >trace.xml <<'END'
<scenario name="trace">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" link-rate="100Gbps"/>
  <switch preset="100g"/><balancer name="ecmp"/>
  <workload kind="trace" file="two-layers.txt"/>
</scenario>
END
"$weft" run trace.xml --no-figures >out 2>messages || fail 'no results of a trace'
"$weft" report --html results/trace >trace.html
harmless trace.html
for table in Ranks Collectives; do
    is trace.html "count(//table[starts-with(caption, '$table of traces')]/tbody/tr)" \
        "$("$weft" query results/trace "select count(*) from $table" --format csv | tail -n 1)"
done
is trace.html "count(//table[starts-with(caption, 'Ranks of traces')]//th[.='exposed_us'])" 1
# One workload needs no table of its own, and where nothing is warned of there is no heading for it.
sed -e '/<figure/,/\/>/d' -e '/<case name="rsq"/,/<\/case>/d' -e 's,<balancer name="rsq"/>,<balancer name="ecmp"/>,' \
    -e 's,name="tiny",name="calm",' "$here/tiny.xml" >calm.xml
"$weft" run calm.xml --no-figures >out 2>messages || fail 'no results of what is not warned of'
"$weft" report --html results/calm >calm.html
is calm.html 'count(//table[caption="By workload"] | //div[@class="remarks"][h3="Warnings"])' 0
printf 'text\n"<b>&PFC is on, and \033"\nsecond\n' >results/demo/notes.csv
"$make_results" results/demo
"$weft" report --html results/demo >notes.html
harmless notes.html
is notes.html 'count(//div[@class="remarks"])' 1
is notes.html 'string(//div[@class="remarks"][h3="Notes"]//li[1])' '<b>&PFC is on, and  '
is notes.html 'string(//div[@class="remarks"]//li[2])' second
awk 'BEGIN { print "text"; for (i = 1; i <= 102; i++) print "note " i }' >results/demo/notes.csv
"$make_results" results/demo
"$weft" report --html results/demo >notes.html
is notes.html 'count(//div[@class="remarks"][h3="Notes"]//li)' 101
is notes.html 'string(//div[@class="remarks"][h3="Notes"]//li[101])' '2 more are in the table notes'
# A scenario of another version does not take the page away.
sed 's/<balancer name="rsq"/<balancer name="of-another-version"/' "$here/tiny.xml" >results/demo/scenario.xml
"$weft" report --html results/demo >notes.html
is notes.html 'count(//div[@class="remarks"][h3="This version of Weft refuses the scenario"]//li[contains(., "of-another-version")])' 1

# refused MESSAGE ARGUMENT...: exit status 2, the message, and the former page stays.
refused()
{
    message=$1
    shift
    ends 2 "$@" --output folder.html
    grep -qF "$message" messages || { cat messages; fail "$*: no message '$message'"; }
    is folder.html 'string(//h1)' 'Results of demo'
}
refused "claims/demo.xml is no folder; expected folders of results" "$weft" report --html results/demo claims/demo.xml
refused 'there are no results in results/gone' "$claims" --html claims/demo.xml
mkdir results/empty
refused 'results/empty' "$weft" report --html results/demo results/empty

echo 'pages are right'
