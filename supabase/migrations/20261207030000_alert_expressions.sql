-- The expression of an alert's rule, for a plot around the start of its incident.

alter table public.incidents add column expression text;
comment on column public.incidents.expression is 'The expression of the alerting rule as the sender wrote it; null without one.';

create or replace function public.insert_queued_incident(p_incident jsonb, p_now timestamptz, p_detail jsonb default '{}') returns void
language sql set search_path = '' as $$
  with incident as (
    insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
      domain_rule, incident_type, incident_type_rule, runbook, expression, reported_by, previous_id, guardrails, status, submitted_via, queued_at)
    select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
      i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.expression, i.reported_by, i.previous_id, coalesce(i.guardrails, '{}'), 'queued', 'queue', p_now
    from jsonb_populate_record(null::public.incidents, p_incident) i
    on conflict (id) do nothing
    returning id, created_at
  )
  insert into public.incident_events (incident_id, at, kind, detail) select id, created_at, 'reported', p_detail from incident;
$$;

create or replace function public.insert_run(p jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = p #>> '{incident,id}') then
    return; -- deleted during the investigation
  end if;
  insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
    domain_rule, incident_type, incident_type_rule, runbook, expression, reported_by, status, submitted_via)
  select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
    i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.expression, i.reported_by, 'investigating', coalesce(i.submitted_via, 'direct')
  from jsonb_populate_record(null::public.incidents, p -> 'incident') i
  on conflict (id) do nothing;
  -- A statement of its own: the policies of runs and events see the incident only in later ones.
  if found then
    insert into public.incident_events (incident_id, at, kind)
    select i.id, i.created_at, 'reported' from public.incidents i where i.id = (p #>> '{incident,id}')::uuid;
  end if;
  insert into public.runs (run_id, session_id, started_at, query, incident_id)
  select r.run_id, r.session_id, r.started_at, r.query, (p #>> '{incident,id}')::uuid
  from jsonb_populate_record(null::public.runs, p -> 'run') r
  on conflict (run_id) do nothing;
end $$;

call public.restrict_to_service_role();
