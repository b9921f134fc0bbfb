-- The table of "Which balancer with which NIC" in docs/schemes.md: completion time of the last ACK over the bound of the
-- healthy fabric, mean of the seeds and half of its 95 % interval where that is 0.005 or more.
-- weft query results/cross-nics --file scenarios/cross/nics-table.sql --format markdown
with cell as (
  select link, "balancer.name" as balancer, nic, min(run) as first,
         printf('%.2f', 1 + avg(increase)) ||
         case when ci95(increase) >= 0.005 then printf(' ± %.2f', ci95(increase)) else '' end as text
  from summary group by 1, 2, 3
)
select link, balancer, max(text) filter (where nic = 'uec') as "Ultra Ethernet",
       max(text) filter (where nic = 'lossless') as "RoCE, PFC", max(text) filter (where nic = 'sr') as "RoCE, no PFC",
       max(text) filter (where nic = 'ideal') as "ideal"
from cell group by link, balancer order by link = 'lossy', link = 'dead', min(first)
