-- Incidents of other systems, imported with their fixes: past incidents that nobody investigates.

create function public.find_imported(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'incident_id', coalesce(i.id, a.incident_id), 'is_deleted', exists (
    select 1 from public.audit_events e where e.kind = 'incident' and e.action = 'deleted' and e.subject_id = t.id::text))), '[]')
  from jsonb_to_recordset(p -> 'incidents') as t (id uuid, original_id text)
  left join public.incidents i on i.id = t.id
  -- The webhook of the system may have reported it.
  left join lateral (select r.incident_id from public.alerts r
    where r.owner in (p ->> 'from', p ->> 'owner') and r.source = p ->> 'from' and r.fingerprint = t.original_id and r.incident_id is not null
    order by r.starts_at desc limit 1) a on true;
$$;
comment on function public.find_imported(jsonb) is
  'Which incidents of a system are stored: {from, owner, incidents: [{id, original_id}]}. Returns [{id, incident_id, is_deleted}]: incident_id is null for one that is not stored; it may be of an alert with original_id that this owner or the webhook of the system reported. Called by import-records.ts.';

create function public.import_incidents(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_item jsonb;
  v_incident public.incidents;
  v_new public.observations;
  v_record uuid;
  v_observation public.observations;
  v_fix uuid;
  v_documents jsonb := '[]';
  v_results jsonb := '[]';
begin
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended((t.item #>> '{observation,row,domain}') || (t.item #>> '{observation,row,fingerprint}'), 0) as key
    from jsonb_array_elements(p -> 'incidents') as t (item) order by key) k;
  perform public.lock_observations(array(
    select public.record_of_fingerprint(t.item #>> '{observation,row,domain}', t.item #>> '{observation,row,fingerprint}')
    from jsonb_array_elements(p -> 'incidents') as t (item)));
  for v_item in select t.item from jsonb_array_elements(p -> 'incidents') with ordinality as t (item, n) order by t.n loop
    v_incident := jsonb_populate_record(null::public.incidents, v_item -> 'incident');
    v_new := jsonb_populate_record(null::public.observations, v_item #> '{observation,row}');
    v_record := public.record_of_fingerprint(v_new.domain, v_new.fingerprint);
    select * into v_observation from public.observations o where o.id = v_record;
    if v_observation.id is distinct from (v_item #>> '{observation,replaces,id}')::uuid
      or v_observation.version is distinct from (v_item #>> '{observation,replaces,version}')::integer then
      v_results := v_results || jsonb_build_object('id', v_incident.id, 'state', 'changed', 'observation', public.observation_json(v_observation));
      continue;
    end if;
    insert into public.incidents (id, created_at, title, target, severity, labels, logs, session_id, domain, domain_rule, incident_type,
      incident_type_rule, reported_by, guardrails, status, imported, resolution, resolved_by, resolved_at, resolved_by_caller)
    values (v_incident.id, v_incident.created_at, v_incident.title, v_incident.target, v_incident.severity, v_incident.labels, v_incident.logs,
      v_incident.session_id, v_incident.domain, v_incident.domain_rule, v_incident.incident_type, v_incident.incident_type_rule,
      v_incident.reported_by, v_incident.guardrails, 'resolved', v_incident.imported, v_item #>> '{fix,text}', v_item #>> '{fix,by}',
      v_incident.resolved_at, v_incident.reported_by)
    on conflict (id) do nothing;
    if not found then
      v_results := v_results || jsonb_build_object('id', v_incident.id, 'state', 'present');
      continue;
    end if;
    insert into public.incident_events (incident_id, at, kind, detail) values
      (v_incident.id, v_incident.created_at, 'reported', '{}'),
      (v_incident.id, v_incident.resolved_at, 'resolved', jsonb_strip_nulls(jsonb_build_object('resolution', v_item #> '{fix,text}', 'resolved_by', v_item #> '{fix,by}')));
    if v_record is null then
      v_record := v_incident.id;
      perform public.create_observation(v_new, v_now);
    else
      perform public.join_observation(v_new, v_record);
    end if;
    v_fix := public.record_fix_try(v_record, v_incident.id, v_new.fingerprint, v_item -> 'fix' || '{"helped": true, "resolved": true}', v_incident.resolved_at);
    -- The job that looks whether a fix held is not for the past.
    update public.fix_tries t set checked_at = v_now where t.fix_id = v_fix and t.incident_id = v_incident.id;
    if v_observation.last_seen_at > v_incident.created_at then
      -- Older than reports that are stored: nothing of the record can be counted on.
      perform public.refresh_observation(v_record, v_now);
    end if;
    perform public.settle_fixes(v_record, v_now, case when (v_item ->> 'is_latest')::boolean then v_fix end);
    update public.observations o set version = o.version + 1 where o.id = v_record and v_observation.id is not null;
    v_documents := v_documents || (v_item #> '{observation,document}');
    v_results := v_results || jsonb_build_object('id', v_incident.id, 'state', 'imported');
  end loop;
  -- One statement for all documents: each has another record.
  if v_documents <> '[]' then
    perform public.upsert_documents('incidents', v_documents);
  end if;
  return jsonb_build_object('results', v_results, 'pending', public.enqueue_index_writes('incidents',
    array(select d.each ->> 'id' from jsonb_array_elements(v_documents) as d (each)), v_now, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.import_incidents(jsonb) is
  'Stores resolved incidents of another system with their fixes, in this order: {now, claim_until, incidents: [{incident, fix: {id, text, by, conditions, caller, is_admin}, is_latest, observation: {row, document, replaces}}]}. incident has imported and resolved_at; is_latest: its fix is newer than that of its record. Returns {results: [{id, state}], pending: outbox entries}. State imported; present: an incident has this id; changed with the observation: the record of its fingerprint is not the version in replaces, so call again with its document. Called by import-records.ts.';

call public.restrict_to_service_role();
