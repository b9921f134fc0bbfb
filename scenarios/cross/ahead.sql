-- Of which schemes of a table a case is ahead that 'weft run --add-case' has added: docs/extending.md. The case is the
-- last one that was run. Completion times are over the bound of the healthy fabric. A seed draws the same permutation
-- and the same bad link for all, so that differences are taken seed by seed; a ToR's bad links and those above are apart.
-- weft query results/mine --beside cross-one-nic --file scenarios/cross/ahead.sql
with drawn as (
  select pattern, links, seed,
         case when cast(substr(p.text, instr(p.text, ':') + 1) as integer) < k.text * k.text / 2 then ' ToR' else ' core' end as layer
  from main.summary s join main.provenance p on p.run = s.run and p.key like 'random %'
  join main.parameters k on k.run = s.run and k.name = 'topology.k'
),
named as (
  select run, seed, pattern || ', ' || links || coalesce(layer, '') as cell, 1 + increase as time,
         substr(name, length(pattern || links) + 3, instr(name, '_seed=') - length(pattern || links) - 3) as scheme,
         queue_peak_bytes / 1e3 as queue, ooo_degree_p99 as late, switch_state_bytes / 1e3 as switch, nic_state_bytes / 1e3 as nic
  from summary left join drawn using (pattern, links, seed)
),
own as (select * from named where scheme = (select scheme from named join main.runs using (run) order by run desc limit 1)),
pairs as (
  select cell, t.scheme, min(own.run) as first, avg(t.time) as time, ci95(t.time) as ci95, avg(own.time - t.time) as difference,
         ci95(own.time - t.time) as half, count(own.time - t.time) as seeds, count(*) as runs, t.scheme = own.scheme as itself,
         max(t.queue) as queue, max(t.late) as late, max(t.switch) as switch, max(t.nic) as nic
  from own join named t using (cell, seed) group by cell, t.scheme
)
select cell, scheme, round(time, 4) as time, round(ci95, 4) as ci95, round(difference, 4) as difference,
       round(half, 4) as difference_ci95, seeds,
       case when itself then 'itself' when seeds < runs or half is null then 'unknown'
            when difference + half < 0 then 'ahead' when difference - half > 0 then 'behind' else 'level' end as verdict,
       round(queue, 1) as queue_peak_kb, late as ooo_degree_p99, round(switch, 1) as switch_state_kb, round(nic, 1) as nic_state_kb
from pairs order by first, time
