-- Tokens that are restricted to domains. A restricted call goes through `call_restricted`, which lets one of the listed
-- functions run as the role `dejavu_restricted`. Row level security then hides the rows of other domains from every
-- statement, in whichever function it stands. A table without a policy and a function that is not listed are refused.

do $$
begin
  if not exists (select from pg_roles where rolname = 'dejavu_restricted') then
    create role dejavu_restricted nologin noinherit;
  end if;
end $$;
-- The session's own role has to be a member: PostgREST logs in as `authenticator` and switches to the role of the key.
grant dejavu_restricted to authenticator;

create or replace procedure public.restrict_to_service_role()
language plpgsql set search_path = '' as $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
  revoke all on all tables in schema public from public, anon, authenticated;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all routines in schema public from public, anon, authenticated;
  grant select, insert, update, delete on all tables in schema public to service_role, dejavu_restricted;
  grant usage on all sequences in schema public to service_role, dejavu_restricted;
  grant execute on all functions in schema public to service_role, dejavu_restricted;
end $$;
comment on procedure public.restrict_to_service_role() is
  'Enables row level security on every table and revokes everything in the schema except from the service role, and from the role of restricted calls, to which policies apply. For migrations: only the owner may call it.';
grant usage on schema public, extensions to dejavu_restricted;
grant execute on function extensions.levenshtein_less_equal(text, text, integer) to dejavu_restricted;

create function public.restricted_domains() returns text[]
language sql stable set search_path = '' as $$
  select nullif(current_setting('dejavu.domains', true), '')::text[];
$$;
comment on function public.restricted_domains() is
  'The domains that the present call is restricted to; null for a call that is not.';

create table public.restricted_functions (
  name text primary key
);
comment on table public.restricted_functions is 'The functions that a restricted call may name. They call others.';
comment on column public.restricted_functions.name is 'The name of a function of this schema.';
insert into public.restricted_functions (name)
select unnest('{
  server_version, load_domains, list_domains, get_domain, put_domain, delete_domain,
  list_sources, get_source, put_source, delete_source, list_source_documents, search_collections,
  start_run, finish_run, abandon_run, requeue_run, record_model_usage, enqueue_incident, enqueue_incident_within, ingest_alerts,
  ingest_alerts_within, fail_incident, hold_idempotency_key, renew_idempotency_lease,
  list_incidents, find_incidents, get_incident, get_fix, resolve_incident, record_try, record_fix_try,
  session_record, session_past_answers, list_sessions, latest_triage, recall_state,
  list_observations, list_past_answers, list_procedures, get_observation, set_review_score, revise_observation,
  split_observation, join_observations, delete_record, read_reports, rebuild_observation, record_feedback, list_feedback,
  claim_annotations, record_annotation_results, complete_outbox, fail_outbox, mark_documents_indexed, record_change,
  create_access_token, list_access_tokens, revoke_access_tokens
}'::text[]);

create function public.call_restricted(p_domains text[], p_function text, p_args jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_function record;
  v_given text[] := array(select k from jsonb_object_keys(p_args) as k);
  v_call text;
  v_result jsonb;
begin
  if coalesce(cardinality(p_domains), 0) = 0 or not exists (select 1 from public.restricted_functions f where f.name = p_function) then
    raise insufficient_privilege using message = format('%s is not for callers that are restricted to domains', p_function);
  end if;
  select p.proretset as is_set, array_agg(format('%I %s', a.name, pg_catalog.format_type(a.type, null)) order by a.place) filter (where a.name is not null) as columns,
    array_agg(format('%1$I => a.%1$I', a.name) order by a.place) filter (where a.name is not null) as arguments, count(a.name) as count
  into strict v_function
  from pg_catalog.pg_proc p
  left join lateral unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, place)
    on a.name = any (v_given)
  where p.pronamespace = 'public'::regnamespace and p.proname = p_function
  group by p.oid, p.proretset;
  if v_function.count <> cardinality(v_given) then
    raise undefined_function using message = format('%s has no such arguments', p_function);
  end if;
  v_call := case when v_function.count = 0 then format('public.%I() as r', p_function)
    else format('jsonb_to_record($1) as a(%s), lateral public.%I(%s) as r', array_to_string(v_function.columns, ', '), p_function,
      array_to_string(v_function.arguments, ', ')) end;
  perform set_config('dejavu.domains', p_domains::text, true);
  -- Until the end of the transaction, which this call is.
  set local role dejavu_restricted;
  execute format(case when v_function.is_set then 'select coalesce(jsonb_agg(r), ''[]'') from %s' else 'select to_jsonb(r) from %s' end, v_call)
  into v_result using p_args;
  return v_result;
end $$;
comment on function public.call_restricted(text[], text, jsonb) is
  'Calls a function of this schema with arguments by name, restricted to rows of these domains. Refuses functions that are not in restricted_functions.';

-- Tokens: their domains.

alter table public.access_tokens add column domains text[] check (cardinality(domains) between 1 and 20);
comment on column public.access_tokens.domains is 'The domains that it reads, reports and changes; null for all.';

create or replace function public.create_access_token(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_parent uuid := (p ->> 'parent_id')::uuid;
  v_replaces uuid := (p ->> 'replaces')::uuid;
  v_replaced public.access_tokens;
  v_domains text[] := (select array_agg(d order by d) from jsonb_array_elements_text(nullif(p -> 'domains', 'null')) d);
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
    select * into v_replaced from public.access_tokens t where t.id = v_replaces;
    if not found then
      return '{"state": "replaced_unknown"}';
    elsif v_domains is not null and (v_replaced.domains <@ v_domains) is not true then
      -- It could neither end nor repeat the alerts of the other domains.
      return '{"state": "replaced_wider"}';
    end if;
  end if;
  insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by, parent_id, owner_id, domains, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'name', array(select jsonb_array_elements_text(p -> 'scopes')), p ->> 'token_hash',
    v_now, p ->> 'actor', v_parent, coalesce(v_replaced.owner_id, v_replaced.id), v_domains, (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values (v_now, 'created', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id', jsonb_strip_nulls(jsonb_build_object('scopes', p -> 'scopes', 'domains', v_domains, 'replaces', v_replaces)));
  end if;
  select * into strict v_token from public.access_tokens t where t.id = (p ->> 'id')::uuid;
  return jsonb_build_object('state', 'created', 'token', public.access_token_json(v_token));
end $$;
comment on function public.create_access_token(jsonb) is
  'Stores a new token and an audit event: {id, name, scopes, domains, token_hash, expires_at, parent_id, replaces, now, actor, request_id}. Returns {state, token}: created; creator_ended if the parent was revoked or has expired; replaced_unknown if the token to replace does not exist, replaced_wider if it has more domains.';

-- Incidents that a restricted call stores are investigated with its restriction, also by the queue and by jobs.

alter table public.incidents add column allowed_domains text[] default public.restricted_domains();
comment on column public.incidents.allowed_domains is
  'The domains of the token that reported it: its investigation recalls nothing else. Null for all.';

-- A name of a source that a restricted caller cannot see.

create or replace function public.put_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_new public.sources := jsonb_populate_record(null::public.sources, p -> 'source');
  v_existing public.sources;
  v_created boolean;
  v_stored jsonb;
  v_removed_ids text[];
begin
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  insert into public.sources select v_new.* on conflict (source) do nothing;
  v_created := found;
  select * into v_existing from public.sources s where s.source = v_new.source for update;
  if not found and public.restricted_domains() is not null then
    raise insufficient_privilege using message = 'the name belongs to a source of another domain';
  elsif not found then
    raise exception 'the source was deleted concurrently' using errcode = 'serialization_failure';
  end if;
  if (v_existing.kind = 'runbook') <> (v_new.kind = 'runbook') then
    return jsonb_build_object('state', 'taken', 'kind', v_existing.kind);
  end if;
  -- The metadata of the documents names the domain, so the caller has to make them again.
  if v_existing.domain <> v_new.domain and not (p ->> 'moves')::boolean then
    return jsonb_build_object('state', 'other_domain', 'domain', v_existing.domain);
  end if;
  v_stored := public.store_changed_documents('runbooks', p -> 'documents', v_now, v_claim_until);
  v_removed_ids := array(select t.id from unnest(public.chunk_ids('runbooks', v_new.source)) as t (id)
    where t.id not in (select e ->> 'id' from jsonb_array_elements(p -> 'documents') e));
  update public.sources s
  set domain = v_new.domain, kind = v_new.kind, origin = v_new.origin, title = v_new.title, tags = v_new.tags,
    bytes = v_new.bytes, chunks = v_new.chunks, text = v_new.text, updated_at = v_now
  where s.source = v_new.source
    and (s.domain, s.kind, s.origin, s.title, s.tags, s.text)
      is distinct from (v_new.domain, v_new.kind, v_new.origin, v_new.title, v_new.tags, v_new.text);
  return jsonb_build_object('state', 'stored', 'created', v_created, 'moved', v_existing.domain <> v_new.domain,
    'source', (select to_jsonb(s) - 'text' from public.sources s where s.source = v_new.source),
    'upserted', jsonb_array_length(v_stored -> 'upserted'), 'unchanged', jsonb_array_length(v_stored -> 'unchanged'),
    'removed', cardinality(v_removed_ids), 'waiting', v_stored -> 'waiting', 'pending', (v_stored -> 'pending')
      || public.delete_indexed_documents('runbooks', v_removed_ids, v_now, v_claim_until));
end $$;

-- The start of a run.

create or replace function public.insert_run(p jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select 1 from public.audit_events a where a.kind = 'incident' and a.subject_id = p #>> '{incident,id}') then
    return; -- deleted during the investigation
  end if;
  insert into public.incidents (id, created_at, title, question, target, severity, labels, logs, session_id, domain,
    domain_rule, incident_type, incident_type_rule, runbook, reported_by, status, submitted_via)
  select i.id, i.created_at, i.title, i.question, i.target, i.severity, i.labels, i.logs, i.session_id, i.domain,
    i.domain_rule, i.incident_type, i.incident_type_rule, i.runbook, i.reported_by, 'investigating', coalesce(i.submitted_via, 'direct')
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

-- Policies. Rows with a domain of their own:

create policy restricted on public.domains for all to dejavu_restricted using (name = any ((select public.restricted_domains())::text[]));
create policy restricted on public.sources for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.documents for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.posting_blocks for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.incidents for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.alerts for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.observations for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.observation_fingerprints for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.memory_judgements for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.past_answers for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.procedures for all to dejavu_restricted using (domain = any ((select public.restricted_domains())::text[]));
create policy restricted on public.access_tokens for all to dejavu_restricted using (domains <@ (select public.restricted_domains())::text[]);

-- Rows of one of those. The policy of the other table applies within the condition.

create policy restricted on public.triages for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));
create policy restricted on public.fixes for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = observation_id));
create policy restricted on public.fix_tries for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));
create policy restricted on public.shown_memories for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = observation_id));
create policy restricted on public.observation_separations for all to dejavu_restricted
  using (exists (select 1 from public.observations o where o.id = first_id) and exists (select 1 from public.observations o where o.id = second_id));
create policy restricted on public.rebuilt_reports for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));
create policy restricted on public.feedback for all to dejavu_restricted
  using (exists (select 1 from public.triages t where t.id = triage_id));
create policy restricted on public.annotation_outbox for all to dejavu_restricted
  using (exists (select 1 from public.triages t where t.id = triage_id));
create policy restricted on public.runs for all to dejavu_restricted
  using (incident_id is null or exists (select 1 from public.incidents i where i.id = incident_id));
-- Written in the statement that inserts the incident, which the condition does not see yet.
create policy restricted on public.incident_events for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id)) with check (true);
-- A search reads the postings of the domains' blocks alone. Those of a new block are written with it.
create policy restricted on public.postings for all to dejavu_restricted
  using (block_id = any (array(select b.id from public.posting_blocks b))) with check (true);

-- Rows without content, or of the caller alone. No listed function returns those of others.

create policy restricted on public.collections for all to dejavu_restricted using (true);
create policy restricted on public.terms for all to dejavu_restricted using (true);
create policy restricted on public.outbox for all to dejavu_restricted using (true);
create policy restricted on public.sessions for all to dejavu_restricted using (true);
create policy restricted on public.idempotency_keys for all to dejavu_restricted using (true);
create policy restricted on public.model_usage for all to dejavu_restricted using (true);
create policy restricted on public.audit_events for all to dejavu_restricted using (true);
create policy restricted on public.relevance_calibration for select to dejavu_restricted using (true);
create policy restricted on public.metric_increments for insert to dejavu_restricted with check (true);

call public.restrict_to_service_role();
