-- The table of "One bad link" in docs/schemes.md: completion time of the last ACK over the bound of the healthy fabric, mean
-- of the seeds and half of its 95 % interval where that is 0.005 or more.
-- weft query results/cross-bad-link --file scenarios/cross/bad-link-table.sql --format markdown
with cell as (
  select pattern, "balancer.name" as balancer, link, min(run) as first,
         printf('%.2f', 1 + avg(increase)) ||
         case when ci95(increase) >= 0.005 then printf(' ± %.2f', ci95(increase)) else '' end as text
  from summary group by 1, 2, 3
)
select pattern as traffic, balancer, max(text) filter (where link = 'healthy') as healthy,
       max(text) filter (where link = 'dead') as dead, max(text) filter (where link = 'dies') as dies,
       max(text) filter (where link = 'flaps') as flaps, max(text) filter (where link = 'random') as "flaps at random",
       max(text) filter (where link = 'gray') as "loses 0.1 % upwards"
from cell group by pattern, balancer order by pattern desc, min(first)
