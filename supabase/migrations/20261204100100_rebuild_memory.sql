-- Records whose signature is of an earlier version are made anew from their stored reports. Reading the reports takes several
-- calls; what they found is kept until one transaction rebuilds the record. Until then the record stays as it is.

alter table public.observations add column rebuild_claimed_until timestamptz;
comment on column public.observations.rebuild_claimed_until is 'Until when a run of rebuild-memory holds it; null if unclaimed.';
create index observations_by_signature_version on public.observations (signature_version, id);

create table public.rebuilt_reports (
  incident_id uuid primary key references public.incidents (id) on delete cascade,
  version integer not null,
  fingerprint text
);
comment on table public.rebuilt_reports is 'Reports that were read for the rebuild of their record, until it is rebuilt.';
comment on column public.rebuilt_reports.incident_id is 'The incident of the report.';
comment on column public.rebuilt_reports.version is 'The version of the rules that read it.';
comment on column public.rebuilt_reports.fingerprint is 'Its fingerprint; null if the report cannot be read.';

create function public.claim_rebuilds(p_now timestamptz, p_version integer, p_limit integer, p_lease_seconds integer)
returns jsonb
language sql set search_path = '' as $$
  with due as (
    select o.id from public.observations o
    where o.signature_version < p_version and (o.rebuild_claimed_until is null or o.rebuild_claimed_until <= p_now)
    order by o.signature_version, o.id limit p_limit for update skip locked
  ), claimed as (
    update public.observations o set rebuild_claimed_until = p_now + p_lease_seconds * interval '1 second'
    from due where o.id = due.id returning o.id
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'is_joined', exists (
    select 1 from public.memory_judgements j where j.observation_id = c.id and j.kind = 'join')) order by c.id), '[]')
  from claimed c;
$$;
comment on function public.claim_rebuilds(timestamptz, integer, integer, integer) is
  'Claims records whose signature is of a version before p_version: [{id, is_joined}]. is_joined: a person joined another record into it.';

create function public.read_reports(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_id uuid := (p ->> 'id')::uuid;
  v_version integer := (p ->> 'version')::integer;
  v_unread jsonb;
begin
  insert into public.rebuilt_reports (incident_id, version, fingerprint)
  select i.id, v_version, r.fingerprint
  from jsonb_to_recordset(p -> 'reports') as r (id uuid, fingerprint text)
  cross join lateral (select t.id from public.incidents t where t.id = r.id limit 1) i
  on conflict (incident_id) do update set version = excluded.version, fingerprint = excluded.fingerprint;
  select jsonb_agg(to_jsonb(t)) into v_unread from (
    select i.* from public.incidents i
    where i.observation_id = v_id
      and not exists (select 1 from public.rebuilt_reports r where r.incident_id = i.id and r.version = v_version)
    order by i.created_at, i.id limit (p ->> 'limit')::integer) t;
  if v_unread is not null then
    return jsonb_build_object('unread', v_unread, 'groups', '[]'::jsonb);
  end if;
  return jsonb_build_object('unread', '[]'::jsonb, 'groups', coalesce((
    select jsonb_agg(jsonb_build_object('fingerprint', g.fingerprint, 'count', g.total, 'has_record_id', g.has_record_id,
      'has_text', g.has_text, 'incident', (select to_jsonb(i) from public.incidents i where i.id = g.incident_id))
      order by g.total desc, g.first_at, g.fingerprint)
    from (
      select r.fingerprint, count(*) as total, min(i.created_at) as first_at, bool_or(i.id = o.id) as has_record_id,
        bool_or(i.id = o.incident_id) as has_text,
        (array_agg(i.id order by i.id = o.incident_id desc, i.id = o.id desc, i.created_at, i.id))[1] as incident_id
      from public.observations o
      join public.incidents i on i.observation_id = o.id
      join public.rebuilt_reports r on r.incident_id = i.id and r.version = v_version
      where o.id = v_id and r.fingerprint is not null group by r.fingerprint) g), '[]'));
end $$;
comment on function public.read_reports(jsonb) is
  'Reads the reports of a record: {id, version, reports: [{id, fingerprint}], limit}. Keeps the fingerprints of these reports. Returns {unread, groups}: the next incidents to read; once there are none, the fingerprints with their counts, most frequent first, and an incident each: the one that the text describes, else the one with the id of the record, else the first.';

create function public.adopt_resolutions(p_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident public.incidents;
begin
  for v_incident in
    select i.* from public.incidents i
    where i.observation_id = p_id and i.resolution is not null
      and not exists (
        select 1 from public.fix_tries t join public.fixes f on f.id = t.fix_id
        where t.incident_id = i.id
          and ((t.resolved and t.corrected_at is null) or public.fix_key(f.text) = public.fix_key(i.resolution)))
    order by i.resolved_at, i.id
  loop
    perform public.record_fix_try(p_id, v_incident.id,
      coalesce(v_incident.fingerprint, (select o.fingerprint from public.observations o where o.id = p_id)),
      jsonb_build_object('id', gen_random_uuid(), 'text', v_incident.resolution, 'by', v_incident.resolved_by, 'helped', true,
        'resolved', true), v_incident.resolved_at);
  end loop;
end $$;
comment on function public.adopt_resolutions(uuid) is
  'Adds the resolutions of a record''s incidents to the proofs of its fixes, where they are missing. The caller settles the fixes.';

create function public.rebuilt_record_of(p_record public.observations, p_fingerprints text[], p_version integer) returns uuid
language sql stable set search_path = '' as $$
  select case when count(distinct o.id) = 1 and bool_and(o.signature_version >= p_version)
    and not bool_or(o.id = any (public.separated_from(p_record.id))) then (array_agg(o.id))[1] end
  from public.observation_fingerprints f join public.observations o on o.id = f.observation_id
  where f.domain = p_record.domain and f.fingerprint = any (p_fingerprints) and f.observation_id <> p_record.id;
$$;
comment on function public.rebuilt_record_of(public.observations, text[], integer) is
  'The one other record of the domain with these fingerprints, if it has this version and nobody separated it from p_record; else null.';

create function public.rebuild_observation(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'id')::uuid;
  v_version integer := (p ->> 'version')::integer;
  v_fingerprints text[] := array(select f #>> '{}' from jsonb_path_query(p, '$.groups[*].fingerprints[*]') as q (f));
  v_record public.observations;
  v_text public.observations;
  v_group record;
  v_moved uuid[];
  v_other uuid;
  v_ids uuid[] := array[v_id];
  v_split integer := 0;
  v_joined integer := 0;
  v_pending jsonb := '[]';
  v_detail text;
begin
  perform public.lock_reports(v_id || array(
    select f.observation_id from public.observation_fingerprints f join public.observations o on o.domain = f.domain
    where o.id = v_id and f.fingerprint = any (v_fingerprints)), v_fingerprints);
  select * into v_record from public.observations o where o.id = v_id;
  if not found or v_record.signature_version >= v_version then
    return jsonb_build_object('state', 'unchanged');
  elsif exists (select 1 from jsonb_array_elements(p -> 'groups') as g (each) where not exists (
      select 1 from public.incidents i where i.id = (g.each #>> '{row,incident_id}')::uuid and i.observation_id = v_id)) then
    return jsonb_build_object('state', 'changed');
  end if;
  update public.incidents i set fingerprint = r.fingerprint
  from public.rebuilt_reports r
  where i.observation_id = v_id and r.incident_id = i.id and r.version = v_version and r.fingerprint is not null;
  perform public.adopt_resolutions(v_id);
  update public.observations o
  set version = o.version + 1, rebuild_claimed_until = null, signature = p -> 'unreadable_signature', signature_version = v_version
  where o.id = v_id;
  -- The group that keeps the record comes last: until then its fingerprints are those from before.
  for v_group in
    select g.keeps_id, g.fingerprints, g."row" as described
    from jsonb_to_recordset(p -> 'groups') as g (keeps_id boolean, fingerprints text[], "row" jsonb)
    order by g.keeps_id
  loop
    v_text := jsonb_populate_record(v_record, v_group.described);
    v_text.domain := v_record.domain;
    if v_text.incident_id = v_record.incident_id then
      -- The text goes with the incident that it describes; only what identifies the failure is new.
      v_text := v_record;
      v_text.fingerprint := v_group.described ->> 'fingerprint';
      v_text.signature := v_group.described -> 'signature';
      v_text.signature_version := v_version;
    else
      v_text.created_at := null;
      v_text.review_score := null;
    end if;
    v_other := public.rebuilt_record_of(v_record, v_group.fingerprints, v_version);
    if v_group.keeps_id then
      if v_text.incident_id = v_record.incident_id then
        update public.observations o
        set fingerprint = v_text.fingerprint, signature = v_text.signature, signature_version = v_text.signature_version
        where o.id = v_id;
      else
        perform public.replace_text(v_id, v_text, v_now);
      end if;
      if v_other is not null and v_other <> all (v_ids) then
        v_pending := v_pending || public.merge_observation(v_id, v_other, v_now, v_claim_until);
        v_joined := v_joined + 1;
      end if;
    else
      v_moved := array(select i.id from public.incidents i
        join public.rebuilt_reports r on r.incident_id = i.id and r.version = v_version
        where i.observation_id = v_id and r.fingerprint = any (v_group.fingerprints) order by i.created_at, i.id);
      if v_other is null then
        v_other := v_text.incident_id;
        perform public.insert_observation(v_other, v_text, v_now);
        perform public.inherit_separations(v_id, v_other);
        v_split := v_split + 1;
      else
        update public.observations o set version = o.version + 1 where o.id = v_other;
        v_joined := v_joined + 1;
      end if;
      perform public.move_reports(v_id, v_other, v_moved);
      v_ids := v_ids || v_other;
    end if;
  end loop;
  perform public.refresh_observation(u.id, v_now) from unnest(v_ids) as u (id);
  delete from public.rebuilt_reports r using public.incidents i where i.observation_id = any (v_ids) and r.incident_id = i.id;
  v_pending := v_pending || public.store_revised_documents(v_ids, p -> 'revised', v_now, v_claim_until);
  return jsonb_build_object('state', 'rebuilt', 'pending', v_pending, 'split', v_split, 'joined', v_joined);
exception when sqlstate 'DJ001' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return jsonb_build_object('state', 'revise', 'observations', v_detail::jsonb);
end $$;
comment on function public.rebuild_observation(jsonb) is
  'Makes a record anew from its reports, after read_reports: {now, claim_until, id, version, unreadable_signature, groups: [{keeps_id, fingerprints, row}], revised?}. Each group is one failure; row is the observation of one of its incidents. One group keeps the record, the others get records of their own, or join the record of the domain that has their fingerprint. Nothing is stored unless the state is rebuilt. Returns state unchanged: it is gone or was rebuilt; changed: an incident of the groups left it, read its reports again; revise (see split_observation); or rebuilt with {pending, split, joined}.';

call public.restrict_to_service_role();
