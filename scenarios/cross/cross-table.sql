-- The first table of docs/schemes.md: completion time of the last ACK over the bound of the healthy fabric, mean of the
-- seeds and half of its 95 % interval where that is 0.005 or more; bad links in the permutation, a ToR's and those above
-- apart; and what the permutation takes.
-- weft query results/cross-one-nic --file scenarios/cross/cross-table.sql --format markdown
with bad as (
  select p.run as run,
         case when cast(substr(p.text, instr(p.text, ':') + 1) as integer) < k.text * k.text / 2 then 'ToR' else 'core' end as layer
  from provenance p join parameters k on k.run = p.run and k.name = 'topology.k' where p.key like 'random %'
),
named as (
  select run, max(text) filter (where name = 'balancer.name') as balancer,
         max(text) filter (where name = 'transport.name') as transport
  from parameters where name in ('balancer.name', 'transport.name') group by run
),
cell as (
  select balancer, transport, pattern, s.links || coalesce(' ' || layer, '') as place, min(s.run) as first,
         printf('%.2f', 1 + avg(increase)) ||
         case when ci95(increase) >= 0.005 then printf(' ± %.2f', ci95(increase)) else '' end as text
  from summary s join named using (run) left join bad using (run) group by 1, 2, 3, 4
),
taken as (
  select balancer, transport, max(queue_peak_bytes) / 1000 as queue, max(ooo_degree_p99) as late,
         max(switch_state_bytes) / 1000.0 as switch, max(nic_state_bytes) / 1000.0 as nic
  from summary s join named using (run) where pattern = 'permutation' and links = 'healthy' group by 1, 2
)
select balancer,
       max(text) filter (where pattern = 'permutation' and place = 'healthy') as "permutation",
       max(text) filter (where pattern = 'permutation' and place = 'down ToR') as "ToR link dead",
       max(text) filter (where pattern = 'permutation' and place = 'down core') as "core link dead",
       max(text) filter (where pattern = 'permutation' and place = 'half ToR') as "ToR link at half",
       max(text) filter (where pattern = 'permutation' and place = 'half core') as "core link at half",
       max(text) filter (where pattern = 'alltoall' and place = 'healthy') as "all-to-all",
       max(text) filter (where pattern = 'allreduce' and place = 'healthy') as "allreduce",
       queue as "longest queue (KB)", late as "out of order, P99",
       printf('%.1f / %.1f', switch, nic) as "state of a switch / NIC (KB)"
from cell join taken using (balancer, transport) group by balancer, transport order by min(first)
