-- Records of failures with their fixes: observations of finished investigations, each failure and each fix apart.
--
-- The layers of memory that learn are observations, past answers and procedures. Their rows are the source of truth. Their
-- index entries are also rows of documents, so that one outbox and one reindex serve every layer.
--
-- A failure is recognised by the fingerprints of its reports. A fix belongs to the fingerprint that it fixed, and has a proof:
-- the incidents that it was tried in.
--
-- A transaction locks in this order: the incidents, the fingerprints, the records by id, the collections incidents,
-- past_answers, procedures.

create table public.observations (
  id uuid primary key,
  domain text not null check (domain ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  fingerprint text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  title text not null,
  narrative text not null,
  facts text[] not null,
  task text not null,
  task_type text not null,
  target text,
  severity text not null,
  final_score double precision check (final_score between 0 and 10),
  review_score double precision check (review_score between -1 and 2),
  written_by text not null,
  occurrences integer not null default 1 check (occurrences > 0),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  seen_at timestamptz[] not null,
  resolution text,
  resolved_by text,
  resolved_at timestamptz,
  resolved_incident_id uuid,
  worked boolean,
  signature jsonb not null
    default '{"version": 0, "basis": "title", "alert": null, "kind": null, "codes": [], "templates": [], "words": [], "mechanisms": {}}',
  signature_version integer not null default 0,
  targets text[] not null default '{}',
  shown_count integer not null default 0 check (shown_count >= 0),
  helped_count integer not null default 0 check (helped_count >= 0),
  joined_ids uuid[] not null default '{}',
  rebuild_claimed_until timestamptz,
  tools_used text not null default ''
);
comment on table public.observations is 'Compressed records of finished investigations: one per failure, however often it recurs.';
comment on column public.observations.id is 'The id of the first incident, and of the document in the collection incidents.';
comment on column public.observations.domain is 'The domain whose recall finds it.';
comment on column public.observations.fingerprint is 'The fingerprint of the report that the text describes.';
comment on column public.observations.version is 'Increases with every change of the indexed text, so that a writer detects a concurrent change.';
comment on column public.observations.created_at is 'When the text was written.';
comment on column public.observations.incident_id is 'The incident that the text describes.';
comment on column public.observations.title is 'One line.';
comment on column public.observations.narrative is 'The findings and the conclusion, in 2 to 3 sentences; for vector search.';
comment on column public.observations.facts is '5 to 10 facts, for keyword search and for prompts.';
comment on column public.observations.task is 'The question or report.';
comment on column public.observations.task_type is 'The type of incident.';
comment on column public.observations.target is 'The affected service, host or object.';
comment on column public.observations.severity is 'As reported.';
comment on column public.observations.final_score is 'The confidence × 10; null if no investigation finished.';
comment on column public.observations.review_score is 'The score of a person''s review, -1 to 2; null without a review.';
comment on column public.observations.written_by is 'extractive, or the model that compressed it.';
comment on column public.observations.occurrences is 'How often the failure was reported.';
comment on column public.observations.first_seen_at is 'The first report.';
comment on column public.observations.last_seen_at is 'The last report; age counts from here.';
comment on column public.observations.seen_at is 'The last 20 reports, oldest first.';
comment on column public.observations.resolution is 'The newest active fix that helped, as in fixes.';
comment on column public.observations.resolved_by is 'Who applied it last.';
comment on column public.observations.resolved_at is 'When it helped last.';
comment on column public.observations.resolved_incident_id is 'The incident that it helped last.';
comment on column public.observations.worked is 'Whether Dejavu''s answer to that incident led to the fix; null if unknown.';
comment on column public.observations.signature is 'What identifies that report''s failure: {version, basis, alert, kind, codes, templates, words}.';
comment on column public.observations.signature_version is 'The version of the rules that read the signature. Records of an earlier one are rebuilt.';
comment on column public.observations.targets is 'The services that it was seen on, newest first, at most 20.';
comment on column public.observations.shown_count is 'The incidents whose answers showed it.';
comment on column public.observations.helped_count is 'Those of them that it helped.';
comment on column public.observations.joined_ids is
  'The ids of records that were joined into it and no longer exist. Results may still show them.';
comment on column public.observations.rebuild_claimed_until is 'Until when a run of rebuild-memory holds it; null if unclaimed.';
comment on column public.observations.tools_used is 'Comma-joined names of the sources that the investigation asked; empty where no triage finished.';
create index observations_joined on public.observations using gin (joined_ids) where joined_ids <> '{}';
create index observations_newest on public.observations (last_seen_at desc, id desc);
create index observations_of_incident on public.observations (incident_id);
create index observations_resolved_by on public.observations (resolved_incident_id) where resolved_incident_id is not null;
create index observations_by_signature_version on public.observations (signature_version, id);
create policy restricted on public.observations for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
-- The tables reference each other.
alter table public.incidents
  add foreign key (observation_id) references public.observations (id) on delete set null;

create table public.observation_fingerprints (
  domain text not null,
  fingerprint text not null,
  observation_id uuid not null references public.observations (id) on delete cascade,
  primary key (domain, fingerprint, observation_id)
);
comment on table public.observation_fingerprints is
  'The fingerprints of each record''s reports. A fingerprint of one record leads to it; a fingerprint of several is ambiguous.';
comment on column public.observation_fingerprints.domain is 'The domain of the record.';
comment on column public.observation_fingerprints.fingerprint is 'The fingerprint.';
comment on column public.observation_fingerprints.observation_id is 'The record.';
create index observation_fingerprints_of_observation on public.observation_fingerprints (observation_id);
create policy restricted on public.observation_fingerprints for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));

create table public.observation_separations (
  first_id uuid not null references public.observations (id) on delete cascade,
  second_id uuid not null references public.observations (id) on delete cascade,
  at timestamptz not null,
  primary key (first_id, second_id),
  check (first_id < second_id)
);
comment on table public.observation_separations is
  'Pairs of records that a person separated. Only an exact fingerprint leads to one of them.';
comment on column public.observation_separations.first_id is 'The record with the lower id.';
comment on column public.observation_separations.second_id is 'The other record.';
comment on column public.observation_separations.at is 'When they were separated.';
create index observation_separations_of_second on public.observation_separations (second_id);
create policy restricted on public.observation_separations for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = first_id) and exists (select 1 from public.observations o where o.id = second_id));

create table public.fixes (
  id uuid primary key,
  observation_id uuid not null references public.observations (id) on delete cascade,
  fingerprint text not null,
  text text not null,
  conditions text,
  created_at timestamptz not null,
  retired_at timestamptz,
  retired_by uuid references public.fixes (id) on delete set null,
  retired_reason text,
  check ((retired_at is null) = (retired_reason is null))
);
comment on table public.fixes is 'Actions that were taken against a failure, also those that did not help.';
comment on column public.fixes.id is 'Generated by the Worker.';
comment on column public.fixes.observation_id is 'The record of the failure.';
comment on column public.fixes.fingerprint is 'The fingerprint that it fixed. A newer fix retires only fixes of its own fingerprint.';
comment on column public.fixes.text is 'The action.';
comment on column public.fixes.conditions is 'Versions or conditions under which it helps, as last reported; null if unknown.';
comment on column public.fixes.created_at is 'When it was first recorded.';
comment on column public.fixes.retired_at is 'When it was retired; null while it is active.';
comment on column public.fixes.retired_by is 'The fix that replaced it; null if that one was deleted.';
comment on column public.fixes.retired_reason is 'Why it was retired: "a newer fix", "rated down", or "corrected" by the resolution of the same incident.';
create index fixes_of_observation on public.fixes (observation_id);
create index fixes_retired_by on public.fixes (retired_by) where retired_by is not null;
create policy restricted on public.fixes for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = observation_id));

create table public.fix_tries (
  fix_id uuid not null references public.fixes (id) on delete cascade,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  at timestamptz not null,
  by_name text,
  helped boolean not null,
  resolved boolean not null default false,
  conditions text,
  came_back_at timestamptz,
  corrected_at timestamptz,
  caller text,
  by_admin boolean not null default false,
  reopened_at timestamptz,
  fired_on_at timestamptz,
  checked_at timestamptz,
  primary key (fix_id, incident_id)
);
comment on table public.fix_tries is 'The proof of a fix: one row for each incident that it was tried in.';
comment on column public.fix_tries.fix_id is 'The fix.';
comment on column public.fix_tries.incident_id is 'The incident.';
comment on column public.fix_tries.at is 'When it was reported.';
comment on column public.fix_tries.by_name is 'The person who reported it.';
comment on column public.fix_tries.helped is 'Whether it helped.';
comment on column public.fix_tries.resolved is 'Whether the incident was resolved with it.';
comment on column public.fix_tries.conditions is 'Versions or conditions of this try; null if unknown.';
comment on column public.fix_tries.came_back_at is 'The first report of the failure on the same service after this try helped; null if there was none.';
comment on column public.fix_tries.corrected_at is 'When the incident was resolved with another fix instead. Such a try is no part of the proof.';
comment on column public.fix_tries.caller is
  'The caller who reported it: a token''s id, "service", or a person of the chat; null if it was not recorded.';
comment on column public.fix_tries.by_admin is 'Whether that caller may replace the fixes of others.';
comment on column public.fix_tries.reopened_at is
  'When the incident that it resolved was reopened; null if it was not. The failure came back then.';
comment on column public.fix_tries.fired_on_at is
  'An hour after the try, if the alert of the incident fired for longer; null otherwise. The failure counts as back then.';
comment on column public.fix_tries.checked_at is 'When the job check-fixes looked whether the failure had come back; null before.';
create index fix_tries_unchecked on public.fix_tries (at) where helped and checked_at is null;
create index fix_tries_of_incident on public.fix_tries (incident_id);
create policy restricted on public.fix_tries for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));

create table public.shown_memories (
  observation_id uuid not null references public.observations (id) on delete cascade,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  helped boolean not null default false,
  primary key (observation_id, incident_id)
);
comment on table public.shown_memories is 'The records that the answers to an incident showed.';
comment on column public.shown_memories.observation_id is 'The record.';
comment on column public.shown_memories.incident_id is 'The incident.';
comment on column public.shown_memories.helped is 'Whether it helped this incident.';
create index shown_memories_of_incident on public.shown_memories (incident_id);
create policy restricted on public.shown_memories for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = observation_id));

-- Reading.

create function public.fix_key(p_text text) returns text
language sql immutable set search_path = '' as $$
  select lower(regexp_replace(btrim(p_text, E' \t\r\n'), '[ \t\r\n]*\.$', ''));
$$;
comment on function public.fix_key(text) is
  'Equal for texts of the same action: in lower case, without outer blanks and a trailing full stop. Called by record_fix_try, credit_resolution, unite_fixes, adopt_resolutions and answer_gap_evidence.';

create function public.helped_tries() returns table (
  observation_id uuid, fix_id uuid, text text, fixed_at timestamptz, is_active boolean, incident_id uuid, by_name text, at timestamptz, came_back_at timestamptz)
-- Without "set search_path", so that the planner inlines it; a parsed body needs none.
language sql stable
begin atomic
  select f.observation_id, f.id, f.text, f.created_at, f.retired_at is null, t.incident_id, t.by_name, t.at, t.came_back_at
  from public.fixes f join public.fix_tries t on t.fix_id = f.id
  where t.helped and t.corrected_at is null;
end;
comment on function public.helped_tries() is
  'The tries of fixes that helped and were not corrected since, and when the failure came back after each: what every count, list and proof goes by. is_active: no newer fix has replaced it. Called by fixes_json, settle_fixes, credit_resolution, incident_summary, list_answer_gaps, came_back and handover.';

create function public.fixes_json(p_observation_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  with proofs as (
    select f.*, count(t.at) as tried, count(t.at) filter (where t.helped) as worked,
      coalesce(min(t.at), f.created_at) as first_at, coalesce(max(t.at), f.created_at) as last_at,
      max(t.at) filter (where t.helped) as last_worked_at,
      (array_agg(t.by_name order by t.at desc) filter (where t.helped))[1] as last_worked_by,
      (array_agg(i.imported ->> 'from' order by t.at desc) filter (where t.helped))[1] as imported_from
    from public.fixes f left join public.fix_tries t on t.fix_id = f.id and t.corrected_at is null
    left join public.incidents i on i.id = t.incident_id
    where f.observation_id = p_observation_id group by f.id
  ), newest as (
    -- Active fixes first, then retired ones, then those that never helped.
    select p.*, case when p.retired_at is not null then 1 when p.worked = 0 then 2 else 0 end as place
    from proofs p
    order by p.retired_at is null and p.worked > 0 desc, p.last_at desc, p.created_at desc, p.id limit 10
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'text', n.text, 'fingerprint', n.fingerprint, 'conditions', n.conditions,
      'tried', n.tried, 'worked', n.worked, 'first_at', n.first_at, 'last_at', n.last_at, 'last_worked_at', n.last_worked_at,
      'last_worked_by', n.last_worked_by, 'imported_from', n.imported_from,
      'retired', case when n.retired_at is not null then jsonb_build_object('at', n.retired_at, 'reason', n.retired_reason) end,
      'came_back_at', (select min(t.came_back_at) from public.helped_tries() t where t.fix_id = n.id and t.came_back_at > n.last_worked_at))
    order by n.place, n.last_at desc, n.created_at desc, n.id), '[]')
  from newest n;
$$;
comment on function public.fixes_json(uuid) is
  'The fixes of a record with their proofs: active ones first, then retired ones, then those that never helped, newest first. At most 10; active ones before others. Called by observation_json.';

create function public.observation_json(o public.observations) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(o) || jsonb_build_object(
    'effective_review_score', coalesce(o.review_score, case when o.worked then 1 when not o.worked then -1 end),
    -- Most records have no fix, and a recall reads dozens of them.
    'fixes', case when exists (select 1 from public.fixes f where f.observation_id = o.id) then public.fixes_json(o.id) else '[]' end);
$$;
comment on function public.observation_json(public.observations) is
  'An observation with its fixes; effective_review_score is the review score, else 1 or -1 by whether the answer worked. Called by the functions that return records.';

create function public.known_failure(p_incident uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  -- In a later migration.
  return (select case when t.failure_id is not null and not public.is_corrected(t.id)
      then jsonb_build_object('id', t.failure_id, 'name', t.failure) end
    from public.triages t where t.incident_id = p_incident order by t.created_at desc limit 1);
end $$;
comment on function public.known_failure(uuid) is
  'What the latest answer rests on, if it names a known failure and nobody corrects it: {id, name}; else null. Called by failure_of_record and failure_of.';

create function public.first_record(p_record uuid) returns uuid
language plpgsql stable set search_path = '' as $$
declare
  v_id uuid := p_record;
  v_next uuid;
begin
  -- One failure has a record in each of its domains. The limit bounds the work.
  for i in 1..5 loop
    select r.id into v_next from public.observations o
    cross join lateral (select t.same_as from public.triages t where t.incident_id = o.incident_id order by t.created_at limit 1) t
    join public.observations r on r.id = case when t.same_as ~ '^[0-9a-f-]{36}$' then t.same_as::uuid end and r.created_at < o.created_at
      -- Without error lines, alerts of two names on one service have more in common than those of one name on two.
      and (o.signature ->> 'basis' = 'error_lines' or coalesce(o.signature ->> 'alert' = r.signature ->> 'alert', true))
    where o.id = v_id and r.id <> all (public.separated_from(p_record));
    exit when v_next is null;
    v_id := v_next;
  end loop;
  return v_id;
end $$;
comment on function public.first_record(uuid) is
  'The earliest record of the same failure, whatever its domain, by the first answer to each; without error lines, alerts of two names are two failures, and a person may have separated them. Called by failure_of_record.';

create function public.failure_of_record(p_record uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_record public.observations;
  v_line text;
  -- Without error lines, records of one failure on several services differ by the service in their title.
  v_title text;
  v_alert text;
begin
  select * into v_record from public.observations o where o.id = public.first_record(p_record);
  if not found then
    return null; -- of a domain that a restricted caller does not see
  end if;
  v_line := case when v_record.signature ->> 'basis' = 'error_lines' then v_record.signature #>> '{templates,0,text}' end;
  v_alert := v_record.signature ->> 'alert';
  if v_line is null and (v_alert is not null or v_record.signature -> 'templates' = '[]') then
    v_title := public.runbook_name(replace(lower(v_record.title), lower(coalesce(v_record.target, '')), ''));
    -- Few words say too little, and the alert's name is none of them.
    if (select count(*) < 3 from unnest(string_to_array(v_title, '-')) as w (word)
        where w.word <> all (string_to_array(public.runbook_name(v_alert), '-'))) then
      v_title := null;
    end if;
  end if;
  return coalesce(public.known_failure((select i.id from public.incidents i where i.observation_id = v_record.id
      order by i.created_at desc limit 1)), jsonb_build_object(
    'id', coalesce('title: ' || v_title, v_record.id::text),
    'name', coalesce(v_line, v_alert || case when v_title is null then coalesce(' on ' || v_record.target, '') else '' end, v_record.title),
    'line', v_line));
end $$;
comment on function public.failure_of_record(uuid) is
  'The failure of a record: what the answer to its newest report rests on, see known_failure, else the record, see first_record, or the words of its title if it has no error lines: {id, name, line: the error line that identifies it as a template, or null}. The name is that of the runbook, else the line, else the alert with its service, else the title. Called by failure_of, list_observations and answered_failures.';

create function public.failure_of(p_incident uuid, p_record uuid) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(public.known_failure(p_incident), case when p_record is not null then public.failure_of_record(p_record) end,
    (select jsonb_build_object('id', i.id, 'name', i.title) from public.incidents i where i.id = p_incident));
$$;
comment on function public.failure_of(uuid, uuid) is
  'The failure of an incident, equal for incidents of one: {id, name}, see known_failure and failure_of_record. Called by incident_summary and reported_incident.';

create function public.list_observations(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null, p_domain text default null,
  p_text text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) || jsonb_build_object('failure_id', public.failure_of_record(o.id) -> 'id')
  from public.observations o
  where (p_before_at is null or (o.last_seen_at, o.id) < (p_before_at, p_before_id))
    and (p_domain is null or o.domain = p_domain)
    and (p_text is null
      or strpos(lower(concat_ws(' ', o.title, o.narrative, o.target, o.resolution)), lower(p_text)) > 0)
  order by o.last_seen_at desc, o.id desc limit p_limit;
$$;
comment on function public.list_observations(integer, timestamptz, uuid, text, text) is
  'Observations, each with its failure_id, last seen first, a page before (p_before_at, p_before_id); only those that contain p_text, in any case. Called by memory-lists.ts.';

create function public.separated_from(p_id uuid) returns uuid[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(t.id order by t.at desc, t.id), '{}') from (
    select s.second_id as id, s.at from public.observation_separations s where s.first_id = p_id
    union all
    select s.first_id, s.at from public.observation_separations s where s.second_id = p_id) t;
$$;
comment on function public.separated_from(uuid) is
  'The records that a person separated from this one, newest first. Called by first_record, get_observation, earlier_split and rebuilt_record_of.';

create function public.get_observation(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select public.observation_json(o) || jsonb_build_object(
    'separated_from', public.separated_from(o.id),
    'incidents', jsonb_build_object(
      'total', (select count(*) from public.incidents i where i.observation_id = o.id),
      'latest', coalesce((select jsonb_agg(to_jsonb(t) order by t.reported_at desc, t.id desc) from (
        select i.id, i.target, i.created_at as reported_at, i.fingerprint, i.status, i.title
        from public.incidents i where i.observation_id = o.id order by i.created_at desc, i.id desc limit 50) t), '[]')))
  from public.observations o where o.id = p_id;
$$;
comment on function public.get_observation(uuid) is
  'An observation with the records that it is separated from and its incidents {total, latest}, the newest 50; null if there is none. Called by observation-detail.ts.';

create function public.get_fix(p_id uuid) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', f.id, 'observation_id', f.observation_id, 'text', f.text) from public.fixes f where f.id = p_id;
$$;
comment on function public.get_fix(uuid) is 'A fix: {id, observation_id, text}; null if there is none. Called by resolution-records.ts.';

-- Recognition.

create function public.record_of_fingerprint(p_domain text, p_fingerprint text) returns uuid
language sql stable set search_path = '' as $$
  select case when count(*) = 1 then (array_agg(t.observation_id))[1] end from (
    select f.observation_id from public.observation_fingerprints f
    where f.domain = p_domain and f.fingerprint = p_fingerprint limit 2) t;
$$;
comment on function public.record_of_fingerprint(text, text) is
  'The record that a fingerprint leads to; null for an unknown one, and for one of several records. Called by record_of_report, recall_state, import_incidents and correct_domain.';

create function public.record_of_report(p_incident_id uuid, p_domain text, p_fingerprint text, p_repeat_of uuid default null) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_id uuid;
begin
  -- Parallel first reports of one failure meet here.
  perform pg_advisory_xact_lock(hashtextextended(p_domain || p_fingerprint, 0));
  select i.observation_id into v_id from public.incidents i where i.id = p_incident_id;
  return coalesce(v_id, public.record_of_fingerprint(p_domain, p_fingerprint),
    (select o.id from public.observations o where o.id = p_repeat_of and o.domain = p_domain));
end $$;
comment on function public.record_of_report(uuid, text, text, uuid) is
  'The record that a report belongs to: that of its incident, else the one of its fingerprint, else p_repeat_of if it exists in the domain, else null. Other reports of this fingerprint wait until the end of the transaction. Called by record_observation, resolve_incident, record_try and finish_run.';

create function public.lock_observations(p_ids uuid[]) returns void
language plpgsql set search_path = '' as $$
begin
  perform 1 from public.observations o where o.id = any (p_ids) order by o.id for update;
end $$;
comment on function public.lock_observations(uuid[]) is
  'Locks records in the order of their ids, so that writers never deadlock. Called by the functions that change records.';

-- Reports.

create function public.create_observation(p_new public.observations, p_now timestamptz) returns boolean
language plpgsql set search_path = '' as $$
begin
  insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task, task_type,
    target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at, signature, signature_version, targets,
    tools_used)
  values (p_new.incident_id, p_new.domain, p_new.fingerprint, p_now, p_new.incident_id, p_new.title, p_new.narrative, p_new.facts,
    p_new.task, p_new.task_type, p_new.target, p_new.severity, p_new.final_score, p_new.written_by, p_new.first_seen_at,
    p_new.first_seen_at, array[p_new.first_seen_at], p_new.signature, p_new.signature_version,
    array_remove(array[p_new.target], null), coalesce(p_new.tools_used, ''))
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into public.observation_fingerprints (domain, fingerprint, observation_id)
  values (p_new.domain, p_new.fingerprint, p_new.incident_id);
  update public.incidents i set observation_id = p_new.incident_id, fingerprint = p_new.fingerprint, duplicate = false where i.id = p_new.incident_id;
  return true;
end $$;
comment on function public.create_observation(public.observations, timestamptz) is
  'Stores the record of a new failure, with the id of its incident; false if there is one with this id. Called by record_observation, resolve_incident, record_try and import_incidents.';

create function public.targets_of(p_incident_id uuid, p_target text) returns setof text
language sql stable set search_path = '' as $$
  select coalesce(p_target, '')
  union
  select a.target from public.alerts a where a.incident_id = p_incident_id and a.target is not null;
$$;
comment on function public.targets_of(uuid, text) is
  'Where an incident with this target is: its target, empty if unknown, and those of its alerts. Called by join_observation and refresh_returns.';

create function public.join_observation(p_new public.observations, p_id uuid) returns void
language plpgsql set search_path = '' as $$
declare
  v_is_duplicate boolean;
begin
  insert into public.observation_fingerprints (domain, fingerprint, observation_id)
  select o.domain, p_new.fingerprint, o.id from public.observations o where o.id = p_id
  on conflict do nothing;
  update public.incidents i set fingerprint = p_new.fingerprint where i.id = p_new.incident_id;
  update public.incidents i
  set observation_id = p_id, duplicate = i.merged_into is not null or exists (select 1 from public.incidents r
      where r.observation_id = p_id and r.fingerprint = i.fingerprint and not r.duplicate
        and r.created_at between i.created_at - interval '1 hour' and i.created_at + interval '1 hour'
        and (r.reported_by, r.target, coalesce(r.reported_title, r.title), r.question, r.logs)
          is not distinct from (i.reported_by, i.target, coalesce(i.reported_title, i.title), i.question, i.logs)
        -- An alert that fires again is a new occurrence, and so is each incident of another system.
        and i.imported is null and not exists (select 1 from public.alerts a where a.incident_id in (i.id, r.id)))
  where i.id = p_new.incident_id and i.observation_id is null
  returning i.duplicate into v_is_duplicate;
  if v_is_duplicate is not false then
    return; -- counted before, or the same question again
  elsif exists (select 1 from public.incidents r where r.observation_id = p_id and r.merged_into is not null)
    and not exists (select 1 from public.incidents r where r.observation_id = p_id and r.id <> p_new.incident_id and not r.duplicate) then
    -- After a merge and a split, it is the occurrence that the merged incident was. In a later migration.
    perform public.recount_reports(p_id);
    return;
  end if;
  update public.observations o
  set occurrences = o.occurrences + 1, first_seen_at = least(o.first_seen_at, p_new.first_seen_at),
    last_seen_at = greatest(o.last_seen_at, p_new.first_seen_at),
    seen_at = (select array_agg(t.at order by t.at) from (
      select u.at from unnest(o.seen_at || p_new.first_seen_at) as u (at) order by u.at desc limit 20) t),
    targets = case when p_new.target is null then o.targets
      else (array[p_new.target] || array_remove(o.targets, p_new.target))[1:20] end
  where o.id = p_id;
  -- The failure is back on a service where a fix had helped.
  update public.fix_tries t set came_back_at = p_new.first_seen_at
  from (
    select h.fix_id, h.incident_id from public.fixes f
    join public.fix_tries h on h.fix_id = f.id and h.helped and h.corrected_at is null and h.at < p_new.first_seen_at
    join public.incidents i on i.id = h.incident_id
    where f.observation_id = p_id and h.incident_id <> p_new.incident_id and exists (
      select public.targets_of(i.id, i.target) intersect select public.targets_of(p_new.incident_id, p_new.target))
    order by h.at desc limit 1
  ) newest
  where t.fix_id = newest.fix_id and t.incident_id = newest.incident_id and (t.came_back_at is null or t.came_back_at < t.at);
end $$;
comment on function public.join_observation(public.observations, uuid) is
  'Adds a report to the record of its failure: its fingerprint, and once for each incident the count, dates and service. If a fix had helped on this service before the report, its newest try came back. The same text of the same caller on this service within an hour of a counted report is a duplicate: it gets the record, and nothing else changes. An alert and an imported incident are never duplicates. Called by record_observation, resolve_incident, record_try and import_incidents.';

create function public.record_observation(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.observations := jsonb_populate_record(null::public.observations, p -> 'row');
  v_id uuid := public.record_of_report(v_new.incident_id, v_new.domain, v_new.fingerprint, (p ->> 'repeat_of')::uuid);
  v_existing public.observations;
begin
  if v_id is null then
    -- The record of a repeat was deleted concurrently. The next repeat creates a new one.
    if p -> 'repeat_of' <> 'null' or not public.create_observation(v_new, p_now) then
      return '[]';
    end if;
    return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
  end if;
  select * into v_existing from public.observations o where o.id = v_id for update;
  if not found then
    return '[]'; -- deleted concurrently
  end if;
  perform public.join_observation(v_new, v_id);
  -- Replace the text with the better one, unless the record changed since the caller read it.
  if (p #>> '{replaces,id}')::uuid is distinct from v_existing.id
    or (p #>> '{replaces,version}')::integer is distinct from v_existing.version then
    return '[]';
  end if;
  update public.observations o
  set version = o.version + 1, created_at = p_now, incident_id = v_new.incident_id, title = v_new.title,
    narrative = v_new.narrative, facts = v_new.facts, task = v_new.task, task_type = v_new.task_type, target = v_new.target,
    severity = v_new.severity, final_score = v_new.final_score, written_by = v_new.written_by, fingerprint = v_new.fingerprint,
    signature = v_new.signature, signature_version = v_new.signature_version,
    tools_used = coalesce(v_new.tools_used, ''),
    review_score = null -- the review was of the replaced text
  where o.id = v_existing.id;
  return public.store_document('incidents', p -> 'document', p_now, p_claim_until);
end $$;
comment on function public.record_observation(jsonb, timestamptz, timestamptz) is
  'Stores the observation of a finished investigation: {row, document, replaces, repeat_of}. A repeat (see record_of_report) is counted. Its text replaces the stored one if replaces is the current {id, version}; with replaces null it is only counted. If the record repeat_of is gone, nothing is stored. Returns the outbox entries. Called by finish_run.';

create function public.revise_observation(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  update public.observations o
  set version = o.version + 1, title = p ->> 'title', narrative = p ->> 'narrative', written_by = p ->> 'written_by',
    facts = array(select jsonb_array_elements_text(p -> 'facts'))
  where o.id = (p ->> 'id')::uuid and o.version = (p ->> 'version')::integer;
  if not found then
    return '[]';
  end if;
  return public.store_document('incidents', p -> 'document', (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
end $$;
comment on function public.revise_observation(jsonb) is
  'Replaces the text of an observation with a better one: {now, claim_until, id, version, title, narrative, facts, written_by, document}. Does nothing if the version changed. Returns the outbox entries. Called by summarise-with-model.ts.';

create function public.set_review_score(p_id uuid, p_review_score double precision default null) returns jsonb
language sql set search_path = '' as $$
  update public.observations o set review_score = p_review_score where o.id = p_id returning public.observation_json(o);
$$;
comment on function public.set_review_score(uuid, double precision) is
  'Sets the review score of an observation, -1 to 2, or removes it with null. Returns null if there is no such observation. Called by feedback.ts.';

-- The document of a record has its fix. Only the Worker can write it.
create function public.store_revised_documents(
  p_ids uuid[], p_revised jsonb, p_now timestamptz, p_claim_until timestamptz
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_record public.observations;
  v_revised jsonb;
  v_pending jsonb := '[]';
begin
  for v_record in select o.* from public.observations o where o.id = any (p_ids) order by o.id loop
    v_revised := (select e.each from jsonb_array_elements(coalesce(p_revised, '[]')) as e (each)
      where e.each #>> '{document,id}' = v_record.id::text limit 1);
    if (v_revised ->> 'version')::integer is distinct from v_record.version
      or v_revised ->> 'resolution' is distinct from v_record.resolution
      or v_revised ->> 'resolved_by' is distinct from v_record.resolved_by then
      raise exception 'The documents of the records must be written anew.' using errcode = 'DJ001',
        detail = (select jsonb_agg(public.observation_json(o) order by o.id) from public.observations o where o.id = any (p_ids));
    end if;
    v_pending := v_pending || public.store_document('incidents', v_revised -> 'document', p_now, p_claim_until);
  end loop;
  return v_pending;
end $$;
comment on function public.store_revised_documents(uuid[], jsonb, timestamptz, timestamptz) is
  'Stores the documents of records whose resolution changed: p_revised is [{version, resolution, resolved_by, document}]. If one is missing or of another state, raises DJ001 with all of these records as detail: only the Worker can write a document. Called by the functions that change the resolution or the reports of a record.';

-- Fixes. A fix is replaced only by the caller who recorded it, or by an admin. Ratings retire it, too.

create function public.record_fix_try(
  p_observation_id uuid, p_incident_id uuid, p_fingerprint text, p_try jsonb, p_now timestamptz
) returns uuid
language plpgsql set search_path = '' as $$
declare
  v_fix uuid;
begin
  select f.id into v_fix from public.fixes f
  where f.observation_id = p_observation_id
    and (f.id = (p_try ->> 'fix_id')::uuid or public.fix_key(f.text) = public.fix_key(p_try ->> 'text'))
  order by f.id = (p_try ->> 'fix_id')::uuid desc nulls last, f.fingerprint = p_fingerprint desc, f.created_at, f.id limit 1;
  if v_fix is null then
    v_fix := (p_try ->> 'id')::uuid;
    insert into public.fixes (id, observation_id, fingerprint, text, conditions, created_at)
    values (v_fix, p_observation_id, p_fingerprint, p_try ->> 'text', p_try ->> 'conditions', p_now);
  else
    update public.fixes f set conditions = coalesce(p_try ->> 'conditions', f.conditions)
    where f.id = v_fix and (f.conditions is null or (p_try ->> 'is_admin')::boolean
      or p_try ->> 'caller' = (select t.caller from public.fix_tries t where t.fix_id = v_fix order by t.at limit 1));
  end if;
  insert into public.fix_tries as t (fix_id, incident_id, at, by_name, helped, resolved, conditions, caller, by_admin)
  values (v_fix, p_incident_id, p_now, p_try ->> 'by', (p_try ->> 'helped')::boolean,
    coalesce((p_try ->> 'resolved')::boolean, false), p_try ->> 'conditions',
    p_try ->> 'caller', coalesce((p_try ->> 'is_admin')::boolean, false))
  on conflict (fix_id, incident_id) do update
  set at = excluded.at, by_name = excluded.by_name, helped = excluded.helped,
    resolved = excluded.helped and (t.resolved or excluded.resolved), conditions = coalesce(excluded.conditions, t.conditions),
    -- A fix that is recorded again after its incident was reopened is judged anew.
    came_back_at = case when t.helped and excluded.helped and t.corrected_at is null and (t.resolved or not excluded.resolved) then t.came_back_at end,
    reopened_at = case when t.resolved or not excluded.resolved then t.reopened_at end,
    fired_on_at = case when t.resolved or not excluded.resolved then t.fired_on_at end,
    checked_at = case when t.resolved or not excluded.resolved then t.checked_at end,
    corrected_at = null, caller = excluded.caller, by_admin = excluded.by_admin
  -- Nobody rewrites what another person reported. The resolution of the incident counts more than a try.
  where t.caller = excluded.caller or excluded.by_admin or (excluded.resolved and not t.resolved);
  return v_fix;
end $$;
comment on function public.record_fix_try(uuid, uuid, text, jsonb, timestamptz) is
  'Adds a try to the proof of a fix, once for each incident: {id, text, by, conditions, fix_id?, helped, resolved?, caller, is_admin}. The try of another caller in the same incident stays, except for an admin and for the resolution; so do the conditions of their fix. The fix is that of fix_id, else the one with the same action, else a new one with this id. Returns its id. The caller settles the record''s fixes. Called by resolve_incident, record_try, import_incidents and adopt_resolutions.';

create function public.settle_fixes(p_observation_id uuid, p_now timestamptz, p_latest uuid default null) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.fixes f
  where f.observation_id = p_observation_id and not exists (select 1 from public.fix_tries t where t.fix_id = f.id);
  with proofs as (
    select f.id, f.fingerprint, f.created_at, f.retired_at, count(t.at) as tried, max(t.at) filter (where t.helped) as helped_at,
      public.ratings_against(f.id) >= greatest(1, count(t.at) filter (where t.helped)) as is_rated_down, -- in a later migration
      (array_agg(t.caller order by t.at))[1] as author,
      (array_agg(t.caller order by t.at desc) filter (where t.helped))[1] as helper,
      coalesce((array_agg(t.by_admin order by t.at desc) filter (where t.helped))[1], false) as by_admin
    from public.fixes f left join public.fix_tries t on t.fix_id = f.id and t.corrected_at is null
    where f.observation_id = p_observation_id group by f.id
  ), ranked as (
    select p.fingerprint, p.id, p.author, p.helper, p.by_admin, row_number() over (partition by p.fingerprint
      order by p.id = p_latest desc nulls last, p.helped_at desc, p.retired_at is null desc, p.created_at desc, p.id) as place
    from proofs p where p.helped_at is not null
  ), replaced as (
    select distinct on (o.id) o.id, n.id as newer
    from ranked o
    join ranked n on n.fingerprint = o.fingerprint and n.place < o.place
      and (o.author is null or n.helper = o.author or n.by_admin)
    order by o.id, n.place
  ), states as (
    select p.id, coalesce(r.newer, (select c.id from ranked c where c.fingerprint = p.fingerprint and c.place = 1), p_latest) as newer,
      case when p.tried = 0 then 'corrected' when r.newer is not null then 'a newer fix' when p.is_rated_down then 'rated down' end as reason
    from proofs p left join replaced r on r.id = p.id
  )
  update public.fixes f
  set retired_reason = s.reason,
    retired_at = case when s.reason is null then null when f.retired_reason = s.reason then f.retired_at else p_now end,
    retired_by = case when s.reason is null then null when f.retired_reason = s.reason then coalesce(f.retired_by, s.newer) else s.newer end
  from states s
  where s.id = f.id and (s.reason is distinct from f.retired_reason or (s.reason is not null and f.retired_by is null));
  update public.observations o
  set (resolution, resolved_by, resolved_at, resolved_incident_id, worked) = (
    select t.text, t.by_name, t.at, t.incident_id, i.worked
    from public.helped_tries() t join public.incidents i on i.id = t.incident_id
    where t.observation_id = o.id and t.is_active
    order by t.fix_id = p_latest desc nulls last, t.at desc, t.fixed_at desc, t.fix_id limit 1)
  where o.id = p_observation_id;
end $$;
comment on function public.settle_fixes(uuid, timestamptz, uuid) is
  'Brings the fixes of a record up to date after their tries changed; p_latest is the fix that just helped. Of the fixes of one fingerprint that helped, a later one retires those of its own caller and those without a known one; that of an admin retires all. A fix whose tries were all corrected is retired, and one with as many ratings down as successes; one without tries is deleted. The resolution of the record is its latest active fix that helped. Called by resolve_incident, record_try, import_incidents, refresh_observation, reopen_incident, forget_report and apply_ratings.';

-- Shown records.

create function public.shown_to(p_incident_id uuid) returns uuid[]
language sql stable set search_path = '' as $$
  select coalesce(array_agg(s.observation_id), '{}') from public.shown_memories s where s.incident_id = p_incident_id;
$$;
comment on function public.shown_to(uuid) is 'The records that the answers to an incident showed. Called by resolve_incident, record_try and delete_incident.';

create function public.record_shown_memories(p_incident_id uuid, p_ids uuid[]) returns void
language sql set search_path = '' as $$
  with shown as (
    insert into public.shown_memories (observation_id, incident_id)
    select o.id, p_incident_id from public.observations o where o.id = any (p_ids)
    on conflict do nothing returning observation_id
  )
  update public.observations o set shown_count = o.shown_count + 1
  from shown where shown.observation_id = o.id;
$$;
comment on function public.record_shown_memories(uuid, uuid[]) is
  'Counts the records that an answer shows, once for each incident. Called by finish_run.';

create function public.credit_memories(p_incident_id uuid, p_ids uuid[]) returns void
language sql set search_path = '' as $$
  with credited as (
    update public.shown_memories s set helped = true
    where s.incident_id = p_incident_id and s.observation_id = any (p_ids) and not s.helped returning s.observation_id
  )
  update public.observations o set helped_count = o.helped_count + 1
  from credited c where c.observation_id = o.id;
$$;
comment on function public.credit_memories(uuid, uuid[]) is
  'Notes that records helped an incident that was shown them, once for each incident. Called by credit_resolution and record_feedback.';

create function public.credit_resolution(p_incident_id uuid, p_observation_id uuid, p_fix jsonb, p_worked boolean) returns void
language sql set search_path = '' as $$
  select public.credit_memories(p_incident_id, array(
    select s.observation_id from public.shown_memories s
    where s.incident_id = p_incident_id and (p_worked or (s.observation_id = p_observation_id and p_worked is not false)
      or exists (select 1 from public.helped_tries() t where t.observation_id = s.observation_id
          and (t.fix_id = (p_fix ->> 'fix_id')::uuid or public.fix_key(t.text) = public.fix_key(p_fix ->> 'text'))))));
$$;
comment on function public.credit_resolution(uuid, uuid, jsonb, boolean) is
  'Notes which shown records helped an incident that a fix of the record p_observation_id helped: all of them if the answer worked, and those with this fix, and that record unless the answer did not work. To be called before the fix is recorded. Called by resolve_incident and record_try.';

call public.restrict_to_service_role();
