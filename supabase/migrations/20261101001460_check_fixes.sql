-- Whether a fix held: a look at the failure some time after its resolution.
--
-- A report of the same failure marks the fix at once (see join_observation). Nothing reports a failure that never ended: its
-- alert fires on, and is deduplicated. This look marks it.

create function public.check_fixes(p_now timestamptz, p_before timestamptz, p_limit integer) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_checked integer;
  v_came_back integer;
begin
  with due as (
    select t.fix_id, t.incident_id, t.at, t.came_back_at, f.text
    from public.fix_tries t join public.fixes f on f.id = t.fix_id
    where t.helped and t.checked_at is null and t.at <= p_before
    order by t.at limit p_limit for update of t skip locked
  ), looked as (
    select d.*, case when exists (select 1 from public.alerts a
      where a.incident_id = d.incident_id
        and case a.status when 'firing' then a.last_received_at else a.ends_at end > d.at + interval '1 hour')
      then d.at + interval '1 hour' end as fired_on_at
    from due d
  ), checked as (
    update public.fix_tries t
    set checked_at = p_now, fired_on_at = l.fired_on_at, came_back_at = least(t.came_back_at, l.fired_on_at)
    from looked l where t.fix_id = l.fix_id and t.incident_id = l.incident_id
    returning t.incident_id, t.came_back_at, l.text, t.resolved, t.corrected_at, t.reopened_at
  ), written as (
    insert into public.incident_events (incident_id, at, kind, detail)
    select c.incident_id, p_now, 'fix_checked', jsonb_strip_nulls(jsonb_build_object(
      'fix', c.text, 'held', c.came_back_at is null, 'came_back_at', c.came_back_at))
    -- Another fix replaced a corrected one, and the timeline says that an incident was reopened.
    from checked c where c.resolved and c.corrected_at is null and c.reopened_at is null
  )
  select count(*), count(*) filter (where c.came_back_at is not null)
  into v_checked, v_came_back from checked c;
  return jsonb_build_object('checked', v_checked, 'came_back', v_came_back);
end $$;
comment on function public.check_fixes(timestamptz, timestamptz, integer) is
  'Looks whether failures came back, for at most p_limit fixes that helped before p_before, each once: {checked, came_back}. A fix whose alert fired for more than an hour after it did not hold, even if nothing was reported again. The timeline of the incident says how the fix did. Called by maintenance.ts.';

call public.restrict_to_service_role();
