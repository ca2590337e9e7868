-- Domains: technologies and teams. A domain is data: its definition says which labels decide for it, which words hint at it,
-- which types of incident it has, and what to look at first. Every domain of a text has a row; most have no definition.

create table public.domains (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  definition jsonb not null default '{}',
  origin text check (origin in ('api', 'folder', 'built_in')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.domains is 'Technologies and teams that texts and incidents belong to.';
comment on column public.domains.name is 'The name, as in documents.domain and incidents.domain.';
comment on column public.domains.definition is
  'description, labels, hints, excluded_words, target_labels, incident_types, first_looks; each may be missing.';
comment on column public.domains.origin is
  'Origin of the definition: api, folder or built_in, the stronger first. Null for a domain that has only texts.';
comment on column public.domains.created_at is 'Time when the domain was first named.';
comment on column public.domains.updated_at is 'Time of the last change of the definition.';

insert into public.domains (name) select distinct s.domain from public.sources s union select 'general';

create function public.name_domain() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.domains (name) values (new.domain) on conflict (name) do nothing;
  return new;
end $$;
comment on function public.name_domain() is 'A text creates the domain that it names.';
create trigger sources_name_domain before insert or update of domain on public.sources
  for each row execute function public.name_domain();
alter table public.sources add foreign key (domain) references public.domains (name);

create function public.domains_version() returns text
language sql stable set search_path = '' as $$
  select md5(coalesce(string_agg(d.name || ' ' || extract(epoch from d.updated_at), ',' order by d.name), '')) from public.domains d;
$$;
comment on function public.domains_version() is 'Changes with every change of a domain.';

create function public.load_domains(p_version text default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('version', v.version, 'domains', case when v.version is distinct from p_version then (
    select coalesce(jsonb_agg(jsonb_build_object('name', d.name, 'definition', d.definition) order by d.name), '[]')
    from public.domains d) end)
  from (select public.domains_version() as version) v;
$$;
comment on function public.load_domains(text) is
  'All domains with their definitions: {version, domains: [{name, definition}]}. domains is null if the version is p_version.';

create function public.put_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_strength constant text[] := array['built_in', 'folder', 'api'];
  v_existing public.domains;
  v_created boolean;
begin
  -- One writer at a time: the caller compared the definition with those of p.version.
  lock table public.domains in share row exclusive mode;
  if public.domains_version() <> p ->> 'version' then
    return jsonb_build_object('state', 'changed');
  end if;
  select * into v_existing from public.domains d where d.name = p ->> 'name';
  v_created := not found;
  if array_position(v_strength, v_existing.origin) > array_position(v_strength, p ->> 'origin') then
    return jsonb_build_object('state', 'kept', 'origin', v_existing.origin);
  end if;
  insert into public.domains as d (name, definition, origin, created_at, updated_at)
  values (p ->> 'name', p -> 'definition', p ->> 'origin', (p ->> 'now')::timestamptz, (p ->> 'now')::timestamptz)
  on conflict (name) do update
  set definition = excluded.definition, origin = excluded.origin,
    -- The version must change, also within one microsecond or with a clock that was set back.
    updated_at = greatest(excluded.updated_at, d.updated_at + interval '1 microsecond')
  where (d.definition, d.origin) is distinct from (excluded.definition, excluded.origin);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'domain', public.get_domain(p ->> 'name'));
end $$;
comment on function public.put_domain(jsonb) is
  'Stores the definition of a domain: {now, name, definition, origin, version}. Returns state changed if the domains are not of that version, kept if the stored definition has a stronger origin (api before folder before built_in), else stored with the domain (see domain_json).';

create function public.domain_json(d public.domains) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(d) || jsonb_build_object(
    'runbooks', (select count(*) from public.sources s where s.domain = d.name and s.kind = 'runbook'),
    'documents', (select count(*) from public.sources s where s.domain = d.name and s.kind <> 'runbook'),
    'incidents', (select count(*) from public.incidents i where i.domain = d.name));
$$;
comment on function public.domain_json(public.domains) is
  'A domain with the number of its runbooks, of its notes, logs and postmortems (documents), and of its incidents.';

create function public.get_domain(p_name text) returns jsonb
language sql stable set search_path = '' as $$
  select public.domain_json(d) from public.domains d where d.name = p_name;
$$;
comment on function public.get_domain(text) is 'A domain with its counts; null if there is none.';

create function public.list_domains(p_limit integer, p_after text default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.domain_json(d) from public.domains d where p_after is null or d.name > p_after order by d.name limit p_limit;
$$;
comment on function public.list_domains(integer, text) is
  'One page of domains with their counts, ordered by name; p_after is the last name of the page before.';

create function public.delete_domain(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_domain jsonb;
  v_source record;
  v_pending jsonb := '[]';
begin
  -- A text that is stored at the same time waits, and then names its domain anew.
  lock table public.domains in share row exclusive mode;
  v_domain := public.get_domain(p ->> 'name');
  if v_domain is null then
    return jsonb_build_object('state', 'not_found');
  elsif not (p ->> 'force')::boolean and (v_domain ->> 'runbooks')::integer + (v_domain ->> 'documents')::integer > 0 then
    return jsonb_build_object('state', 'in_use', 'domain', v_domain);
  end if;
  for v_source in delete from public.sources s where s.domain = p ->> 'name' returning s.source loop
    v_pending := v_pending || public.delete_indexed_documents('runbooks', public.chunk_ids('runbooks', v_source.source),
      (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz);
  end loop;
  delete from public.domains d where d.name = p ->> 'name';
  return jsonb_build_object('state', 'deleted', 'domain', v_domain, 'pending', v_pending);
end $$;
comment on function public.delete_domain(jsonb) is
  'Deletes a domain with its texts: {now, claim_until, name, force}. Its incidents and their memory stay. Returns state not_found, in_use (it has texts, and force is false), or deleted; domain is the domain with its counts, pending the outbox entries.';

-- A report names a runbook by a path or by the last part of one.
create function public.source_names(p_source text) returns text[]
language sql immutable set search_path = '' as $$
  select array[lower(regexp_replace(p_source, '\.md$', '')), lower(regexp_replace(p_source, '^.*/|\.md$', '', 'g'))];
$$;
comment on function public.source_names(text) is
  'Names by which a report may mean a text: its path without .md, and the last part of that, in lower case.';
create index sources_by_name on public.sources using gin (public.source_names(source));

create or replace function public.runbook_sections(p_names text[], p_domain text default null) returns jsonb
language sql stable set search_path = '' as $$
  with best as (
    select s.source from public.sources s
    cross join lateral (select min(n.priority) as priority from unnest(p_names) with ordinality as n (name, priority)
      where n.name = any (public.source_names(s.source))) m
    where public.source_names(s.source) && p_names
    order by m.priority, coalesce(s.domain = p_domain, false) desc, s.source limit 1
  )
  select coalesce(jsonb_agg(public.document_json(d) order by d.chunk_index), '[]')
  from public.collections c
  join public.documents d on d.collection_id = c.id
  where c.name = 'runbooks' and d.source = (select b.source from best b);
$$;
comment on function public.runbook_sections(text[], text) is
  'All sections of one runbook: the first of these names that exists (see source_names); of equal names, the one in p_domain.';

create function public.list_source_documents(p_collection text, p_sources text[]) returns table (
  id text, source text, content_hash text, indexed_hash text, index_fingerprint text)
language sql stable set search_path = '' as $$
  select d.id, d.source, d.content_hash, d.indexed_hash, d.index_fingerprint
  from public.collections c join public.documents d on d.collection_id = c.id
  where c.name = p_collection and d.source = any (p_sources);
$$;
comment on function public.list_source_documents(text, text[]) is 'Index state of the chunks of these texts.';

-- Several collections in one round trip.

create function public.search_collections(p_searches jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(public.search_documents(s.collection, s.terms, s.top, s.k1, s.b, s.sibling_sources,
    s.curated_top, s.domains) order by e.n), '[]')
  from jsonb_array_elements(p_searches) with ordinality as e (search, n)
  cross join lateral jsonb_to_record(e.search) as s (collection text, terms text[], top integer, k1 double precision,
    b double precision, sibling_sources integer, curated_top integer, domains text[]);
$$;
comment on function public.search_collections(jsonb) is
  'search_documents for each of [{collection, terms, top, k1, b, sibling_sources, curated_top, domains}], in this order.';

-- A record that the vector store never held is written without a comparison.

create or replace function public.outbox_json(o public.outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'collection', o.collection, 'attempts', o.attempts, 'document_id', o.document_id,
    'document', t.document, 'is_indexed', coalesce(t.is_indexed, true))
  from (select 1) one left join lateral (
    select public.document_json(d) as document, d.indexed_hash is not null as is_indexed from public.collections c
    join public.documents d on d.collection_id = c.id and d.id = o.document_id where c.name = o.collection) t on true;
$$;
comment on function public.outbox_json(public.outbox) is
  'A pending index write with the current document; document is null if it was deleted. is_indexed: whether the vector store may hold an earlier version.';

-- A session may touch several technologies: it has one row and one summary, whatever the domains of its turns.

update public.sessions s set last_turn_at = t.last_turn_at, raw_count = t.raw_count, claimed_until = t.claimed_until
from (select o.session_id, max(o.last_turn_at) as last_turn_at, sum(o.raw_count)::integer as raw_count,
    max(o.claimed_until) as claimed_until from public.sessions o group by o.session_id) t
where t.session_id = s.session_id;
delete from public.sessions s using public.sessions o where o.session_id = s.session_id and o.domain < s.domain;
drop function public.list_sessions(integer, timestamptz, text, text);
drop function public.session_past_answers(text, integer);
drop index public.sessions_newest;
alter table public.sessions drop constraint sessions_pkey, drop column domain, add primary key (session_id);
create index sessions_newest on public.sessions (last_turn_at desc, session_id);
drop index public.past_answers_of_session;
create index past_answers_of_session on public.past_answers (session_id, created_at, id);
comment on table public.sessions is 'Sessions that hold past answers.';
comment on column public.past_answers.domain is 'The domain of the answer; general for a summary of turns of several domains.';

create function public.session_past_answers(p_session_id text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(n.id), '[]') from (
    select a.id from public.past_answers a
    where a.session_id = p_session_id and a.compressed_at is null
    order by a.created_at desc, a.id desc limit p_limit) n;
$$;
comment on function public.session_past_answers(text, integer) is
  'Ids of a session''s newest past answers that are in the index, at most p_limit.';

create function public.list_sessions(
  p_limit integer, p_before_at timestamptz default null, p_before_id text default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('session_id', s.session_id, 'last_turn_at', s.last_turn_at, 'raw_count', s.raw_count,
    'domains', (select coalesce(jsonb_agg(distinct a.domain), '[]') from public.past_answers a
      where a.session_id = s.session_id and not a.is_summary),
    'summary_count', (select count(*) from public.past_answers a where a.session_id = s.session_id and a.is_summary))
  from public.sessions s
  where p_before_at is null or s.last_turn_at < p_before_at or (s.last_turn_at = p_before_at and s.session_id > p_before_id)
  order by s.last_turn_at desc, s.session_id limit p_limit;
$$;
comment on function public.list_sessions(integer, timestamptz, text) is
  'Sessions that hold past answers, last used first, a page after (p_before_at, p_before_id).';

create or replace function public.claim_sessions(
  p_now timestamptz, p_idle_since timestamptz, p_threshold integer, p_limit integer, p_lease_seconds integer,
  p_past_answers_per_session integer
) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select s.session_id from public.sessions s
    where s.raw_count > p_threshold and s.last_turn_at <= p_idle_since
      and (s.claimed_until is null or s.claimed_until <= p_now)
      and not exists (select 1 from public.runs r where r.session_id = s.session_id and r.started_at > p_idle_since)
    order by s.raw_count, s.last_turn_at limit p_limit for update skip locked
  ), claimed as (
    update public.sessions s set claimed_until = p_now + p_lease_seconds * interval '1 second'
    where s.session_id = any (array(select due.session_id from due))
    returning s.session_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('session_id', c.session_id, 'past_answers', (
    select jsonb_agg(to_jsonb(t) order by t.created_at, t.id) from (
      select a.id, a.domain, a.created_at, a.question, a.answer, a.net_rating, a.content_hash from public.past_answers a
      where a.session_id = c.session_id and not a.is_summary and a.summary_id is null
      order by a.created_at, a.id limit p_past_answers_per_session) t))), '[]')
  from claimed c;
$$;
comment on function public.claim_sessions(timestamptz, timestamptz, integer, integer, integer, integer) is
  'Claims idle sessions with more than p_threshold unsummarised past answers for p_lease_seconds: [{session_id, past_answers}], the oldest p_past_answers_per_session of each.';

create or replace function public.store_summary(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.past_answers := jsonb_populate_record(null::public.past_answers, p -> 'summary');
  v_ids uuid[] := array(select (e ->> 'id')::uuid from jsonb_array_elements(p -> 'originals') e);
  v_summary public.past_answers;
  v_raw integer;
  v_net_rating integer;
begin
  perform 1 from public.sessions s where s.session_id = v_new.session_id for update;
  -- If another worker summarised one of them, or one was resolved or deleted meanwhile, this summary is out of date.
  select count(*), sum(t.net_rating) into v_raw, v_net_rating from (
    select a.net_rating from jsonb_array_elements(p -> 'originals') e
    join public.past_answers a on a.id = (e ->> 'id')::uuid and a.content_hash = e ->> 'content_hash'
    where a.summary_id is null and not a.is_summary order by a.id for update of a) t;
  if v_raw < cardinality(v_ids) then
    update public.sessions s set claimed_until = null where s.session_id = v_new.session_id;
    return '[]';
  end if;
  insert into public.past_answers as s (id, domain, session_id, created_at, question, answer, net_rating, is_summary, original_ids,
    metadata, content_hash)
  select v_new.id, v_new.domain, v_new.session_id, max(a.created_at), v_new.question, v_new.answer, v_net_rating, true, v_ids,
    v_new.metadata, v_new.content_hash
  from public.past_answers a where a.id = any (v_ids)
  on conflict (id) do update set answer = excluded.answer, content_hash = excluded.content_hash, net_rating = excluded.net_rating
  returning * into v_summary;
  update public.past_answers a set summary_id = v_summary.id where a.id = any (v_ids);
  update public.sessions s set raw_count = s.raw_count - cardinality(v_ids), claimed_until = null
  where s.session_id = v_new.session_id;
  return public.store_document('past_answers', public.past_answer_document(v_summary), v_now,
    (p ->> 'claim_until')::timestamptz);
end $$;

create or replace function public.record_past_answer(p jsonb, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_past_answer public.past_answers;
begin
  insert into public.past_answers (id, domain, session_id, triage_id, created_at, question, answer, metadata, content_hash)
  select a.id, a.domain, a.session_id, a.triage_id, a.created_at, a.question, a.answer, a.metadata, a.content_hash
  from jsonb_populate_record(null::public.past_answers, p) a
  on conflict (id) do nothing
  returning * into v_past_answer;
  if not found then
    return '[]';
  end if;
  insert into public.sessions as s (session_id, last_turn_at, raw_count)
  values (v_past_answer.session_id, v_past_answer.created_at, 1)
  on conflict (session_id) do update
  set raw_count = s.raw_count + 1, last_turn_at = greatest(s.last_turn_at, excluded.last_turn_at);
  return public.store_document('past_answers', public.past_answer_document(v_past_answer), p_now, p_claim_until);
end $$;

create or replace function public.delete_past_answer(p_id uuid, p_now timestamptz, p_claim_until timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_session record;
  v_deleted_ids uuid[];
  v_siblings uuid[];
  v_deleted public.past_answers;
  v_pending jsonb := '[]';
begin
  -- Lock order of all writers: session, past answers, collection.
  select a.session_id into v_session from public.past_answers a
  where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) limit 1;
  if not found then
    return v_pending;
  end if;
  perform 1 from public.sessions s where s.session_id = v_session.session_id for update;
  -- A summary is deleted with its originals. Every summary made of a deleted past answer is deleted too, even if the past
  -- answer was restored or has expired since. The other originals of such a summary are restored.
  v_deleted_ids := array(select a.id from public.past_answers a
    where a.id = p_id or (a.is_summary and a.original_ids @> array[p_id]) or a.summary_id = p_id order by a.id for update);
  v_siblings := array(select a.id from public.past_answers a
    where a.summary_id = any (v_deleted_ids) and not a.id = any (v_deleted_ids) order by a.id for update);
  update public.sessions s
  set claimed_until = null, raw_count = s.raw_count + cardinality(v_siblings) - (
    select count(*) from public.past_answers a where a.id = any (v_deleted_ids) and not a.is_summary and a.summary_id is null)
  where s.session_id = v_session.session_id;
  for v_deleted in delete from public.past_answers a where a.id = any (v_deleted_ids) returning a.* loop
    v_pending := v_pending || public.delete_indexed_documents('past_answers', array[v_deleted.id::text], p_now, p_claim_until);
  end loop;
  perform public.restore_past_answers(v_siblings, p_now);
  return v_pending;
end $$;

create or replace function public.resolve_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_id uuid := (p ->> 'incident_id')::uuid;
  v_new public.observations := jsonb_populate_record(null::public.observations, p #> '{observation,row}');
  v_observation public.observations;
  v_past_answer public.past_answers;
  v_procedure record;
  v_pending jsonb := '[]';
begin
  perform 1 from public.incidents i where i.id = v_id for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  if p ? 'observation' then
    select * into v_observation from public.observations o
    where o.domain = v_new.domain and o.fingerprint = v_new.fingerprint for update;
    if v_observation.id is distinct from (p #>> '{observation,replaces,id}')::uuid
      or v_observation.version is distinct from (p #>> '{observation,replaces,version}')::integer then
      return jsonb_build_object('state', 'changed');
    end if;
  end if;
  update public.incidents i
  set status = 'resolved', resolution = p ->> 'resolution', resolved_by = p ->> 'resolved_by', resolved_at = v_now,
    worked = coalesce((p ->> 'worked')::boolean, i.worked)
  where i.id = v_id;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_id, v_now, 'resolved', jsonb_strip_nulls(jsonb_build_object('resolution', p -> 'resolution',
    'resolved_by', p -> 'resolved_by', 'worked', p -> 'worked')));
  if p ? 'observation' then
    if v_observation.id is null then
      insert into public.observations (id, domain, fingerprint, created_at, incident_id, title, narrative, facts, task,
        task_type, target, severity, final_score, written_by, first_seen_at, last_seen_at, seen_at)
      values (v_id, v_new.domain, v_new.fingerprint, v_now, v_id, v_new.title, v_new.narrative, v_new.facts, v_new.task,
        v_new.task_type, v_new.target, v_new.severity, v_new.final_score, v_new.written_by, v_new.first_seen_at,
        v_new.first_seen_at, array[v_new.first_seen_at])
      returning * into v_observation;
    end if;
    update public.incidents i set observation_id = v_observation.id where i.id = v_id and i.observation_id is null;
    update public.observations o
    set version = o.version + 1, title = v_new.title, narrative = v_new.narrative, facts = v_new.facts, resolution = p ->> 'resolution',
      resolved_by = p ->> 'resolved_by', resolved_at = v_now, resolved_incident_id = v_id,
      worked = coalesce((p ->> 'worked')::boolean, case when o.resolved_incident_id = v_id then o.worked end),
      superseded = case
        when o.resolution is null or lower(o.resolution) = lower(p ->> 'resolution') then o.superseded
        else (select jsonb_agg(t.fix order by t.n) from (
          select s.fix, s.n from jsonb_array_elements(jsonb_build_array(jsonb_build_object('resolution', o.resolution,
            'resolved_by', o.resolved_by, 'resolved_at', o.resolved_at, 'incident_id', o.resolved_incident_id,
            'superseded_at', v_now)) || o.superseded) with ordinality as s (fix, n) limit 10) t)
      end
    where o.id = v_observation.id;
    v_pending := v_pending || public.store_document('incidents', p #> '{observation,document}', v_now, v_claim_until);
  end if;
  if p ? 'past_answer' then
    -- A past answer that a summary replaced becomes a separate record again, because it now has a fix.
    update public.sessions s set raw_count = s.raw_count + 1
    from public.past_answers a
    where a.id = (p #>> '{past_answer,id}')::uuid and a.summary_id is not null
      and s.session_id = a.session_id;
    update public.past_answers a
    set answer = p #>> '{past_answer,answer}', content_hash = p #>> '{past_answer,content_hash}', summary_id = null, compressed_at = null
    where a.id = (p #>> '{past_answer,id}')::uuid and not a.is_summary
    returning * into v_past_answer;
    if found then
      v_pending := v_pending || public.store_document('past_answers', public.past_answer_document(v_past_answer), v_now, v_claim_until);
    end if;
  end if;
  if not (p ->> 'worked')::boolean then
    -- Archive procedures from an answer that did not work. A later success restores them.
    for v_procedure in
      update public.procedures r set archived_at = v_now
      where r.archived_at is null and r.triage_id in (select t.id from public.triages t where t.incident_id = v_id)
      returning r.id, r.domain
    loop
      v_pending := v_pending || public.delete_indexed_documents('procedures', array[v_procedure.id::text], v_now, v_claim_until);
    end loop;
  end if;
  return jsonb_build_object('state', 'resolved', 'pending', v_pending, 'found', public.get_incident(v_id));
end $$;

create or replace function public.recall_state(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'observations', coalesce((select jsonb_agg(public.observation_json(o)) from public.observations o
      where o.id = any (array(select jsonb_array_elements_text(p -> 'incidents'))::uuid[])), '[]'),
    'documents', coalesce((select jsonb_agg(public.document_json(d)) from public.collections c
      join public.documents d on d.collection_id = c.id
      where c.name = 'incidents'
        and d.id = any (array(select jsonb_array_elements_text(p -> 'documents')))), '[]'),
    'past_answers', coalesce((select jsonb_agg(to_jsonb(a) - 'metadata' - 'content_hash') from public.past_answers a
      where a.id = any (array(select jsonb_array_elements_text(p -> 'past_answers'))::uuid[])
        and a.compressed_at is null), '[]'),
    'procedures', coalesce((select jsonb_agg(to_jsonb(r) - 'metadata' - 'content_hash' - 'query_hash') from public.procedures r
      where r.id = any (array(select jsonb_array_elements_text(p -> 'procedures'))::uuid[])
        and r.archived_at is null), '[]'),
    'repeat_of', (select public.observation_json(o) from public.observations o
      where o.domain = p ->> 'domain' and o.fingerprint = p ->> 'fingerprint'));
$$;

create or replace function public.start_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_key_row public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_key_row from public.idempotency_keys k where k.key = v_key for update;
      if not found then
        return jsonb_build_object('state', 'in_progress'); -- released concurrently
      elsif v_key_row.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_key_row.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_key_row.triage_id));
      elsif v_key_row.incident_id <> v_incident and v_key_row.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.insert_run(p);
  return jsonb_build_object('state', 'started',
    'catalog', public.load_domains(p ->> 'domains_version'),
    'attached', case when jsonb_array_length(p -> 'runbook_names') > 0 then public.runbook_sections(
      array(select jsonb_array_elements_text(p -> 'runbook_names')), p #>> '{incident,domain}') else '[]' end,
    'turns', public.session_turns(p #>> '{run,session_id}', (p #>> '{run,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'past_answers', public.session_past_answers(p #>> '{run,session_id}', (p ->> 'past_answer_limit')::integer),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.start_run(jsonb) is
  'Starts an investigation run: {now, incident, run, turn_limit, past_answer_limit, domains_version, runbook_names, idempotency?: {key, request_hash, lease_seconds}}. Returns state started with the domains if domains_version is not current (catalog, see load_domains), the sections of the runbook of these names (attached), the session''s last turns, the ids of its newest past answers and the tokens used today. If another incident holds the key, returns replayed (with the first result), in_progress or mismatch, and stores nothing. Idempotent.';

-- Domains are rows: metrics list them themselves.

create or replace function public.scrape_metrics(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.fold_increments(10000);
  return (select jsonb_agg(to_jsonb(m) order by m.metric, m.labels - 'le', (m.labels ->> 'le')::double precision)
    from public.metric_samples(jsonb_set(p, '{labels,domain}',
      (select coalesce(jsonb_agg(d.name), '[]') from public.domains d))) m);
end $$;
comment on function public.scrape_metrics(jsonb) is
  'metric_samples as [{metric, labels, value}], by name, with a series for each domain. Folds increments first, so that the cost of a scrape stays the same.';

-- A new isolate knows the domains only after the start of its first run, so the incident of a caller who waits is counted
-- when its run ends: its domain is then known.

create or replace function public.incident_increments(p public.incidents) returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  select 'dejavu_incidents_total', public.metric_label('domain', p.domain) || public.metric_label('submitted_via', p.submitted_via),
    1::numeric
  where p.submitted_via <> 'direct' or p.status <> 'investigating';
$$;
comment on function public.incident_increments(public.incidents) is
  'The increments of a reported incident; none while the first run of a direct incident goes on.';

create function public.count_direct_incident() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.metric_increments (metric, labels, value)
  select i.metric, i.labels, i.value from public.incident_increments(new) i;
  return null;
end $$;
comment on function public.count_direct_incident() is 'Counts a direct incident when its run ends.';
create trigger count_direct_incidents after update of status on public.incidents
  for each row when (old.submitted_via = 'direct' and old.status = 'investigating' and new.status in ('triaged', 'failed', 'resolved'))
  execute function public.count_direct_incident();

call public.restrict_to_service_role();
