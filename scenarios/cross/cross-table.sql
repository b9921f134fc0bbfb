-- The table of the README: completion time of the last ACK over the bound, mean of the seeds and half of its 95 %
-- interval, and what a scheme takes for it; three tiers.
-- weft query results/cross-schemes --with mixed=results/cross-mixed --file scenarios/cross/cross-table.sql --format markdown
with one as (
  select scheme, links, pattern, 1 + increase as ratio from summary where fabric = 'three'
  union all
  -- Of two jobs beside other traffic the later one, each over its own bound.
  select scheme, links, 'mixed', 1 + (select max(w.increase) from mixed.workloads w
                                        where w.run = s.run and w.workload in ('allreduce', 'alltoall'))
  from mixed.summary s where fabric = 'three'
),
cell as (
  select scheme, links, pattern, avg(ratio) as mean, printf('%.2f ± %.2f', avg(ratio), ci95(ratio)) as text
  from one group by scheme, links, pattern
),
wide as (
  select scheme,
         max(text) filter (where links = 'healthy' and pattern = 'permutation') as permutation,
         max(text) filter (where links = 'healthy' and pattern = 'alltoall') as alltoall,
         max(text) filter (where links = 'healthy' and pattern = 'allreduce') as allreduce,
         max(text) filter (where links = 'healthy' and pattern = 'mixed') as mixed,
         max(mean) filter (where links = 'down') as down,
         max(mean) filter (where links = 'half') as half
  from cell group by scheme
),
nics as (
  select distinct scheme, t.text || ', ' || c.text as nic
  from summary s join parameters t on t.run = s.run and t.name = 'transport.name'
       join parameters c on c.run = s.run and c.name = 'congestion-control.name'
)
select s.scheme,
       nic as "NIC",
       permutation, alltoall as "all-to-all", allreduce, mixed,
       (select min(text) from cell c where c.scheme = s.scheme and c.links = 'down' and c.mean = w.down)
         as "one link down, worst",
       (select min(text) from cell c where c.scheme = s.scheme and c.links = 'half' and c.mean = w.half)
         as "one at half rate, worst",
       max(queue_peak_bytes) filter (where links = 'healthy') / 1000 as "longest queue (KB)",
       max(ooo_degree_p99) filter (where links = 'healthy') as "out of order, P99",
       max(qps) / 128 as "QPs per host",
       printf('%.1f', max(switch_state_bytes) / 1000.0) || ' / ' || printf('%.0f', max(nic_state_bytes) / 1000.0)
         as "state of a switch / NIC (KB)",
       cast(round(avg(dropped_buffer + dropped_link + trimmed) filter (where links = 'healthy')) as integer) || ' / ' ||
         cast(round(avg(dropped_buffer + dropped_link + trimmed) filter (where links <> 'healthy')) as integer)
         as "packets lost, healthy / with a bad link"
from summary s join wide w using (scheme) join nics using (scheme) where fabric = 'three'
group by s.scheme order by min(run)
