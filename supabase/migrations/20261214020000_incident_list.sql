-- The list of incidents: search by words, several states, and for each incident its alerts, their firing hours, its
-- latest answer and whether a fix is recorded.

-- Words. A table of its own: the state of an incident changes often, its words do not.

create table public.incident_words (
  incident_id uuid primary key references public.incidents (id) on delete cascade,
  words tsvector not null
);
create index incident_words_by_word on public.incident_words using gin (words);
comment on table public.incident_words is 'The words of each incident, for the search in the list.';
comment on column public.incident_words.incident_id is 'The incident.';
comment on column public.incident_words.words is 'The words of title, question, target, labels and log, in lower case.';

create function public.words_of(p_text text) returns text[]
language sql immutable set search_path = '' as $$
  -- ASCII alone, so that the locale of the database does not matter. Words longer than 64 characters are identifiers.
  select coalesce(array_agg(distinct left(w, 64)), '{}')
  from regexp_split_to_table(lower(p_text), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+') as w where w <> '';
$$;
comment on function public.words_of(text) is
  'The distinct words of a text in lower case. ASCII characters other than letters and digits separate words.';

create function public.incident_words_of(p_incident public.incidents) returns tsvector
language sql stable set search_path = '' as $$
  -- Both ends of a long log: the first error and the last one.
  select array_to_tsvector(public.words_of(concat_ws(' ', p_incident.title, p_incident.question, p_incident.target,
    left(p_incident.logs, 16000), case when length(p_incident.logs) > 16000 then right(p_incident.logs, 16000) end,
    (select string_agg(l.value, ' ') from jsonb_each_text(p_incident.labels) l))));
$$;
comment on function public.incident_words_of(public.incidents) is
  'The words by which the list finds an incident; of a long log, those of its first and last 16,000 characters.';

create function public.store_incident_words() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into public.incident_words (incident_id, words) values (new.id, public.incident_words_of(new));
  else
    update public.incident_words w set words = public.incident_words_of(new) where w.incident_id = new.id;
  end if;
  return null;
end $$;
comment on function public.store_incident_words() is 'Keeps incident_words up to date.';
create trigger incident_words_of_report after insert or update of title, question, target, labels, logs on public.incidents
  for each row execute function public.store_incident_words();
insert into public.incident_words (incident_id, words) select i.id, public.incident_words_of(i) from public.incidents i;

-- Written by the statement that inserts the incident, which the condition does not see yet.
create policy restricted on public.incident_words for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id)) with check (true);

-- The list.

-- accepts lock: only trial databases have incidents of 0.9; 10,000 of them take 0.1 s
create index incidents_newest_open on public.incidents (created_at desc, id desc) where status <> 'resolved';
-- accepts lock: only trial databases have incidents of 0.9; 10,000 of them take 0.1 s
create index incidents_newest_by_severity on public.incidents (severity, created_at desc, id desc);

create function public.firing_hours(p_incident_id uuid, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_agg((
    select count(*) from public.alerts a
    where a.incident_id = p_incident_id and a.starts_at < h.hour + interval '1 hour' and coalesce(a.ends_at, p_now) >= h.hour
  ) order by h.hour)
  from generate_series(date_trunc('hour', p_now, 'UTC') - interval '23 hours', date_trunc('hour', p_now, 'UTC'), interval '1 hour') as h (hour);
$$;
comment on function public.firing_hours(uuid, timestamptz) is
  'How many alerts of the incident fired in each of the last 24 hours, oldest first. The last is the current hour of the clock, in UTC.';

create function public.incident_summary(p_incident public.incidents, p_now timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'alerts', jsonb_build_object('total', g.total, 'firing', g.firing),
    'firing_hours', case when g.total > 0 then public.firing_hours(p_incident.id, p_now) end,
    'last_activity_at', greatest(p_incident.created_at, p_incident.resolved_at, g.last_received_at,
      (select e.at from public.incident_events e where e.incident_id = p_incident.id order by e.at desc limit 1)),
    'latest_triage', (select jsonb_build_object('id', t.id, 'created_at', t.created_at, 'mode', t.mode, 'outcome', t.outcome, 'confidence', t.confidence)
      from public.triages t where t.incident_id = p_incident.id order by t.created_at desc limit 1),
    'has_fix', p_incident.resolution is not null or exists (select 1 from public.fixes f
      where f.observation_id = p_incident.observation_id and f.retired_at is null))
  from (select count(*) as total, count(*) filter (where a.status = 'firing') as firing, max(a.last_received_at) as last_received_at
    from public.alerts a where a.incident_id = p_incident.id) g;
$$;
comment on function public.incident_summary(public.incidents, timestamptz) is
  'Fields of an incident in the list: {alerts: {total, firing}, firing_hours, last_activity_at, latest_triage, has_fix}.';

drop function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text, text);

create function public.list_incidents(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null,
  p_domain text default null, p_status text default null, p_target text default null,
  p_severity text default null, p_session_id text default null, p_hex text default null,
  p_statuses text[] default null, p_text text default null, p_now timestamptz default now()
) returns setof jsonb
language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  v_many constant integer := 1000;
  v_statuses text[] := coalesce(p_statuses, array[p_status]);
  v_query tsquery;
  v_ids uuid[];
begin
  if p_text is not null then
    -- Any of the words may be typed in part.
    select string_agg(quote_literal(w) || ':*', ' & ')::tsquery into v_query from unnest(public.words_of(p_text)) as w;
    v_ids := array(select w.incident_id from public.incident_words w where w.words @@ v_query limit v_many);
  end if;
  -- Only the conditions in use, so that the plan fits them.
  return query execute 'select to_jsonb(t) - ''logs'' || public.incident_summary(t, $11) from (select i.* from public.incidents i where true'
    || case when p_before_at is null then '' else ' and (i.created_at, i.id) < ($1, $2)' end
    || case when p_domain is null then '' else ' and i.domain = $3' end
    || case when v_statuses[1] is null then '' else ' and i.status = any ($4)' end
    || case when v_statuses[1] is null or 'resolved' = any (v_statuses) then '' else ' and i.status <> ''resolved''' end
    || case when p_target is null then '' else ' and i.target = $5' end
    || case when p_severity is null then '' else ' and i.severity = $6' end
    || case when p_session_id is null then '' else ' and i.session_id = $7' end
    -- UUIDs sort by their hex digits, so the primary key serves this range.
    || case when p_hex is null then '' else ' and i.id between rpad($8, 32, ''0'')::uuid and rpad($8, 32, ''f'')::uuid' end
    -- Few matches are sorted. Of many, the newest are soon met in the order of time; a subquery keeps that order.
    || case when p_text is null then '' when cardinality(v_ids) < v_many then ' and i.id = any ($12)'
      else ' and (select w.words @@ $9 from public.incident_words w where w.incident_id = i.id)' end
    || ' order by i.created_at desc, i.id desc limit $10) t order by t.created_at desc, t.id desc'
  using p_before_at, p_before_id, p_domain, v_statuses, p_target, p_severity, p_session_id, p_hex, v_query, p_limit, p_now, v_ids;
end $$;
comment on function public.list_incidents(integer, timestamptz, uuid, text, text, text, text, text, text, text[], text, timestamptz) is
  'Incidents without their logs and with the fields of incident_summary, newest first, a page before (p_before_at, p_before_id). p_hex: the first hex digits of the id, without hyphens. p_text: words, each of which begins a word of the incident.';

call public.restrict_to_service_role();
