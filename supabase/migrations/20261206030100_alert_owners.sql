-- An alert belongs to the token that reported it, or to the webhook whose signature it had. Reports of others neither end,
-- repeat nor group it: fingerprints and alert names are chosen by the sender.

alter table public.access_tokens add column owner_id uuid;
comment on column public.access_tokens.owner_id is
  'The first token that it replaces, through all successors: it continues the alerts and sessions of that one. Null for a token that replaces none.';

create or replace function public.access_token_json(p public.access_tokens) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(p) - '{token_hash,parent_id}'::text[] || to_jsonb(l) || jsonb_build_object('owner_id', coalesce(p.owner_id, p.id))
  from public.access_token_limits(p.id) l;
$$;

create or replace function public.create_access_token(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_parent uuid := (p ->> 'parent_id')::uuid;
  v_replaces uuid := (p ->> 'replaces')::uuid;
  v_owner uuid;
  v_limits record;
  v_token public.access_tokens;
begin
  if v_parent is not null then
    -- Waits for a revocation that is under way.
    perform 1 from public.access_tokens t where t.id = v_parent for share;
    select * into v_limits from public.access_token_limits(v_parent);
    if v_limits.revoked_at is not null or v_limits.expires_at <= v_now then
      return '{"state": "creator_ended"}';
    end if;
  end if;
  if v_replaces is not null then
    select coalesce(t.owner_id, t.id) into v_owner from public.access_tokens t where t.id = v_replaces;
    if not found then
      return '{"state": "replaced_unknown"}';
    end if;
  end if;
  insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by, parent_id, owner_id, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'name', array(select jsonb_array_elements_text(p -> 'scopes')), p ->> 'token_hash',
    v_now, p ->> 'actor', v_parent, v_owner, (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values (v_now, 'created', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id', jsonb_strip_nulls(jsonb_build_object('scopes', p -> 'scopes', 'replaces', v_replaces)));
  end if;
  select * into strict v_token from public.access_tokens t where t.id = (p ->> 'id')::uuid;
  return jsonb_build_object('state', 'created', 'token', public.access_token_json(v_token));
end $$;
comment on function public.create_access_token(jsonb) is
  'Stores a new token and an audit event: {id, name, scopes, token_hash, expires_at, parent_id, replaces, now, actor, request_id}. Returns {state, token}: created; creator_ended if the parent was revoked or has expired; replaced_unknown if the token to replace does not exist.';

alter table public.alerts add column owner text;
update public.alerts a set owner = i.reported_by from public.incidents i where i.id = a.incident_id;
update public.alerts a set owner = a.source where a.owner is null;
alter table public.alerts alter column owner set not null;
comment on column public.alerts.owner is
  'Who reported it: the owner of a token, "service", or the name of the webhook whose signature it had.';
alter table public.alerts drop constraint alerts_source_fingerprint_starts_at_key;
alter table public.alerts add constraint alerts_of_owner unique (owner, source, fingerprint, starts_at);
drop index public.alerts_that_created;
create index alerts_that_created on public.alerts (owner, alertname, domain, received_at desc) where decision = 'created';

create or replace function public.reopen_reason(
  p_alert public.alerts, p_now timestamptz, p_window interval, p_new_start_when_reopened boolean
) returns text
language sql stable set search_path = '' as $$
  select case
    when p_alert.status = 'firing' then (select 'still firing, and its investigation failed' from public.incidents i
      where i.id = p_alert.incident_id and i.status = 'failed' and p_now - i.created_at > interval '1 hour')
    -- Within the window after its end, a notification counts as late or repeated.
    when p_alert.incident_id is not null and p_now - p_alert.last_received_at > p_window
      -- Where the sender gives each reopening a new start, a known start is a replay.
      and not p_new_start_when_reopened
      and not exists (select 1 from public.alerts a where a.owner = p_alert.owner and a.source = p_alert.source and a.fingerprint = p_alert.fingerprint
        and a.starts_at > p_alert.starts_at)
      then 'fired again after it had ended'
  end;
$$;
comment on function public.reopen_reason(public.alerts, timestamptz, interval, boolean) is
  'Why a stored alert that fires needs another investigation, as text for people; null if it does not.';

create or replace function public.ingest_alerts(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  -- A sender's clock may be wrong by less.
  v_ahead constant interval := interval '30 minutes';
  v_window integer := (p ->> 'window_seconds')::integer;
  v_name text;
  v_item record;
  v_new public.alerts;
  v_stored_alert public.alerts;
  v_earlier public.alerts;
  v_previous uuid;
  v_reopen_reason text;
  v_decision text;
  v_rule text;
  v_stored integer := 0;
  v_created uuid[] := '{}';
  v_ended uuid[] := '{}';
  v_decisions jsonb[] := '{}';
  v_events jsonb[] := '{}';
begin
  -- One caller at a time decides about alerts of one owner and name. All callers take the locks in the same order.
  for v_name in select distinct concat(coalesce(p ->> 'owner', e ->> 'reported_by'), '/', e ->> 'alertname')
    from jsonb_array_elements(p -> 'alerts') e order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended(v_name, 0));
  end loop;
  for v_item in
    select t.alert, t.place from jsonb_array_elements(p -> 'alerts') with ordinality as t (alert, place)
    order by (t.alert ->> 'starts_at')::timestamptz, t.alert ->> 'fingerprint', t.place
  loop
    v_new := jsonb_populate_record(null::public.alerts, v_item.alert - 'id');
    v_new.owner := coalesce(p ->> 'owner', v_item.alert ->> 'reported_by');
    v_previous := null;
    if v_new.status = 'resolved' then
      v_new.ends_at := case when v_new.ends_at <= v_now + v_ahead then v_new.ends_at else v_now end;
    end if;
    if v_new.starts_at > v_now + v_ahead then
      -- A start in the future would count as later than every real one until then. It is the present firing, or starts now.
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing'
          and a.starts_at <= v_now + v_ahead
        order by a.starts_at desc limit 1), v_now);
    end if;
    if v_new.status = 'resolved' and (v_item.alert ->> 'ends_latest')::boolean then
      v_new.starts_at := coalesce((select a.starts_at from public.alerts a
        where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.status = 'firing' and a.starts_at <= v_new.ends_at
        order by a.starts_at desc limit 1), v_new.starts_at);
    end if;

    -- A later start implies that the earlier alert has ended, even if its resolved notification was lost.
    for v_earlier in
      update public.alerts a set status = 'resolved', ends_at = v_new.starts_at, last_received_at = v_now
      where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.status = 'firing'
      returning a.*
    loop
      v_ended := v_ended || v_earlier.incident_id;
      v_events := v_events || jsonb_build_object('incident_id', v_earlier.incident_id, 'kind', 'alert_resolved', 'target', v_earlier.target);
    end loop;
    select * into v_stored_alert from public.alerts a
    where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at = v_new.starts_at for update;
    v_reopen_reason := case when v_new.status = 'firing' then public.reopen_reason(v_stored_alert, v_now, v_window * interval '1 second',
      (v_item.alert ->> 'new_start_when_reopened')::boolean) end;
    if v_stored_alert.incident_id = (v_item.alert ->> 'id')::uuid then
      -- A repeated call: the first response was lost.
      select i.previous_id into v_previous from public.incidents i where i.id = v_stored_alert.incident_id;
      v_decision := v_stored_alert.decision;
      v_rule := v_stored_alert.rule;
      v_created := v_created || v_stored_alert.incident_id;
    elsif v_stored_alert.id is not null and v_new.status = 'firing' and v_reopen_reason is null then
      v_decision := 'deduplicated';
      v_rule := 'fingerprint and start time';
      update public.alerts a
      set times = a.times + 1, last_received_at = case a.status when 'firing' then v_now else a.last_received_at end
      where a.id = v_stored_alert.id;
      -- Record an event each time the number of repetitions has doubled: an alert may fire for years.
      if v_stored_alert.incident_id is not null and (v_stored_alert.times & (v_stored_alert.times + 1)) = 0 then
        v_events := v_events || jsonb_build_object('incident_id', v_stored_alert.incident_id, 'kind', 'alert_repeated', 'target', v_stored_alert.target);
      end if;
    elsif v_stored_alert.id is not null and v_new.status = 'resolved' then
      v_decision := 'resolved';
      v_rule := case v_stored_alert.status when 'firing' then 'fingerprint and start time' else 'it had ended before' end;
      update public.alerts a
      set status = 'resolved', ends_at = coalesce(a.ends_at, v_new.ends_at), last_received_at = v_now where a.id = v_stored_alert.id;
      if v_stored_alert.status = 'firing' then
        v_ended := v_ended || v_stored_alert.incident_id;
        v_events := v_events || jsonb_build_object('incident_id', v_stored_alert.incident_id, 'kind', 'alert_resolved', 'target', v_stored_alert.target);
      end if;
    else
      if v_new.status = 'resolved' then
        v_decision := 'resolved';
        v_rule := 'unknown alert ended';
      else
        -- A reopened alert gets a new row. The events of the earlier firing stay with the previous incident.
        delete from public.alerts a where a.id = v_stored_alert.id;
        v_previous := coalesce(v_stored_alert.incident_id, (select a.incident_id from public.alerts a
          where a.owner = v_new.owner and a.source = v_new.source and a.fingerprint = v_new.fingerprint and a.starts_at < v_new.starts_at and a.incident_id is not null
          order by a.starts_at desc limit 1));
        select i.id into v_new.incident_id from public.alerts a join public.incidents i on i.id = a.incident_id
        where a.owner = v_new.owner and a.alertname = v_new.alertname and a.domain = v_new.domain and a.decision = 'created'
          and a.received_at >= v_now - v_window * interval '1 second' and i.status in ('queued', 'investigating', 'triaged')
        order by a.received_at desc, a.id desc limit 1 for update of i;
        if found then
          v_previous := null;
          v_decision := 'grouped';
          v_rule := format('same alertname and domain within %s s', v_window);
          v_events := v_events || jsonb_build_object('incident_id', v_new.incident_id, 'kind', 'alert_grouped', 'target', v_new.target,
            'raised_to', case when public.raise_severity(v_new.incident_id, v_new.severity) then v_new.severity end);
        else
          v_decision := 'created';
          v_rule := coalesce(v_reopen_reason, case when v_previous is null then 'first of its kind' else 'same fingerprint, new start' end);
          v_new.incident_id := (v_item.alert ->> 'id')::uuid;
          v_created := v_created || v_new.incident_id;
          perform public.insert_queued_incident(v_item.alert || jsonb_build_object('previous_id', v_previous), v_now,
            jsonb_build_object('source', v_new.source, 'alertname', v_new.alertname, 'rule', v_rule));
        end if;
        if v_stored_alert.status = 'firing' then
          -- The other firing alerts of the failed incident move along, because nobody investigates them either.
          update public.alerts a set incident_id = v_new.incident_id where a.incident_id = v_stored_alert.incident_id and a.status = 'firing';
          perform public.raise_severity(v_new.incident_id, i.severity) from public.incidents i where i.id = v_stored_alert.incident_id;
        end if;
      end if;
      insert into public.alerts (owner, source, fingerprint, starts_at, ends_at, status, alertname, domain, severity, title, target,
        namespace, labels, received_at, last_received_at, incident_id, decision, rule)
      values (v_new.owner, v_new.source, v_new.fingerprint, v_new.starts_at, v_new.ends_at, v_new.status, v_new.alertname, v_new.domain,
        v_new.severity, v_new.title, v_new.target, v_new.namespace, v_new.labels, v_now, v_now, v_new.incident_id, v_decision, v_rule)
      on conflict (owner, source, fingerprint, starts_at) do nothing;
      if not found then
        -- A concurrent call stored it under another alertname. The caller retries the whole call, which then finds it.
        raise serialization_failure using message = 'another caller stored the same alert';
      end if;
      v_stored := v_stored + (v_stored_alert.id is null)::integer;
      v_stored_alert := v_new;
    end if;
    v_decisions := v_decisions || jsonb_build_object('place', v_item.place, 'fingerprint', v_new.fingerprint, 'status', v_new.status,
      'decision', v_decision, 'rule', v_rule, 'incident_id', v_stored_alert.incident_id, 'related_to', v_previous);
  end loop;

  insert into public.incident_events (incident_id, at, kind, detail)
  select (t.event ->> 'incident_id')::uuid, v_now, t.event ->> 'kind', jsonb_build_object('alerts', count(*),
    'targets', coalesce(to_jsonb((array_agg(distinct t.event ->> 'target') filter (where t.event ->> 'target' is not null))[1:5]), '[]'))
    -- Each alert raises the severity further, so the last value is the result.
    || jsonb_strip_nulls(jsonb_build_object('severity_raised_to',
      (array_agg(t.event ->> 'raised_to' order by t.place desc) filter (where t.event ->> 'raised_to' is not null))[1]))
  from unnest(v_events) with ordinality as t (event, place)
  group by 1, 3 order by min(t.place);
  perform public.resolve_ended_incidents(v_ended, v_now);
  return jsonb_build_object('stored', v_stored, 'incidents', to_jsonb(v_created),
    'alerts', (select coalesce(jsonb_agg(a.decision - 'place' order by (a.decision ->> 'place')::integer), '[]') from unnest(v_decisions) as a (decision)));
end $$;
comment on function public.ingest_alerts(jsonb) is
  'Stores alerts as they arrive: {now, window_seconds, owner, alerts: [{the columns of an incident to create, and source, fingerprint, starts_at, ends_at, status, ends_latest, new_start_when_reopened, alertname, namespace}]}. An alert belongs to its owner: those of other owners neither end, repeat nor group it. A start that is more than 30 minutes in the future is the present one, or now. An alert with a known start is deduplicated or resolved, unless it fires again. A new start ends the earlier ones of its fingerprint. It is grouped into the open incident of its alertname and domain that was created within the window; otherwise it creates one, linked to the previous incident of the fingerprint. Returns {stored, alerts: [{fingerprint, status, decision, rule, incident_id, related_to}], incidents: ids of those created}. Idempotent.';

call public.restrict_to_service_role();
