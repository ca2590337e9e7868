-- Who may do what: the roles of the API, restricted calls, access tokens, audit events and sessions of the console.
--
-- The files 20261101* are the baseline: each creates one area and needs only earlier ones. Later changes are new files. The
-- baseline does not upgrade a database that other migrations created: `supabase db push` refuses it, because its history has
-- versions that are not in this folder.

-- Supabase grants new tables to anon and authenticated by default. Tables and functions of this schema are for the service
-- role alone: every migration ends with `call public.restrict_to_service_role()`.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

-- Callers whose token is restricted to domains. Their calls go through `call_restricted`, which lets one of the listed
-- functions run as the role `dejavu_restricted`. Row level security then hides the rows of other domains from every
-- statement, in whichever function it stands. A table without a policy and a function that is not listed are refused.
--
-- Each file declares the policies of its tables: a row with a domain is visible by its domain, and a row that belongs to
-- another one by a condition on that one, within which the policy of its table applies. `using (true)` is for rows without
-- content or of the caller alone: no listed function returns those of others.
do $$
begin
  if not exists (select from pg_roles where rolname = 'dejavu_restricted') then
    create role dejavu_restricted nologin noinherit;
  end if;
end $$;
-- The session's own role has to be a member: PostgREST logs in as `authenticator` and switches to the role of the key.
grant dejavu_restricted to authenticator;
grant usage on schema public to dejavu_restricted;

create procedure public.restrict_to_service_role()
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
  -- A hosted project reloads after each change of the schema; another PostgREST does when it is notified.
  notify pgrst, 'reload schema';
end $$;
comment on procedure public.restrict_to_service_role() is
  'Enables row level security on every table and revokes everything in the schema except from the service role, and from the role of restricted calls, to which policies apply; PostgREST then reloads the schema. For migrations: only the owner may call it.';

create function public.restricted_domains() returns text[]
language sql stable set search_path = '' as $$
  select nullif(current_setting('dejavu.domains', true), '')::text[];
$$;
comment on function public.restricted_domains() is
  'The domains that the present call is restricted to; null for a call that is not. Called by the policies, enqueue_text_removal, entry_authors and put_source.';

create table public.restricted_functions (
  name text primary key
);
comment on table public.restricted_functions is 'The functions that a restricted call may name. They call others.';
comment on column public.restricted_functions.name is 'The name of a function of this schema.';
insert into public.restricted_functions (name)
select unnest('{
  server_version, record_change, create_access_token, list_access_tokens, revoke_access_tokens, create_sign_in_code,
  list_console_sessions, revoke_console_session, get_documents, read_documents, list_source_documents, complete_outbox, fail_outbox,
  mark_documents_indexed, search_collections, find_incidents, latest_triage, session_names, enqueue_incident,
  enqueue_incident_within, load_domains, list_domains, get_domain, put_domain, delete_domain, list_sources, get_source,
  put_source, delete_source, list_runbook_versions, get_runbook_version, ingest_alerts_within, store_buffered_alerts,
  load_evidence_sources, record_changes, list_changes, list_observations, get_observation, get_fix, revise_observation,
  set_review_score, list_past_answers, list_sessions, list_procedures, recall_state, session_past_answers,
  document_names, session_record, set_incident_step, get_incident, incident_to_compare, list_incidents,
  resolve_incident, record_try, reopen_incident, split_observation, join_observations, read_reports,
  rebuild_observation, correct_domain, record_feedback, store_buffered_feedback, list_feedback, claim_annotations,
  record_annotation_results, list_runbook_uses, judged_answers, outcomes_by_day, list_answer_gaps, answer_gap_evidence,
  delete_record, renew_idempotency_lease, record_model_usage, start_run, finish_run, abandon_run, fail_incident,
  requeue_run, find_imported, import_incidents, list_notification_targets, put_notification_target, delete_notification_target, notification_sample
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
  'Calls a function of this schema with arguments by name, restricted to rows of these domains. Refuses functions that are not in restricted_functions. Called by database.ts.';

-- The database and its schema, for the checks of readiness and of a deployment.

create function public.server_version() returns text
language sql stable set search_path = '' as $$ select current_setting('server_version') $$;
comment on function public.server_version() is 'The version of PostgreSQL, for the readiness check. Called by health.ts.';

create function public.applied_migrations() returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  -- Written by the Supabase CLI; a schema that was applied by other means has no such table.
  if to_regclass('supabase_migrations.schema_migrations') is null then return '{}'; end if;
  return array(select m.version::text from supabase_migrations.schema_migrations m order by m.version);
end $$;
comment on function public.applied_migrations() is 'Versions of the applied migrations, oldest first. Called by check-database.ts and health.ts.';

-- Access tokens, of which only a digest is stored. A token that was created with another token ends with it: its own end is at
-- most the parent's, and revoking the parent revokes it. The rule is computed along the chain of parents.

create table public.access_tokens (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 128),
  scopes text[] not null check (array_to_string(scopes, ' ') ~ '^[a-z][a-z_]*( [a-z][a-z_]*)*$'),
  token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz check (expires_at > created_at),
  revoked_at timestamptz,
  last_used_at timestamptz,
  parent_id uuid references public.access_tokens (id),
  owner_id uuid,
  domains text[] check (cardinality(domains) between 1 and 20)
);
comment on table public.access_tokens is 'Tokens that callers present. The stored digests cannot be turned back into tokens.';
comment on column public.access_tokens.id is 'Identifies the token in lists, logs and audit events.';
comment on column public.access_tokens.name is 'For people. Not unique, so that a token can replace another one of the same name.';
comment on column public.access_tokens.scopes is 'What it allows, at least one scope; no scope implies another.';
comment on column public.access_tokens.token_hash is
  'SHA-256 in hex. An unsalted fast digest is enough: 32 random bytes cannot be guessed.';
comment on column public.access_tokens.created_at is 'When it was created.';
comment on column public.access_tokens.created_by is 'The caller who created it: a token''s id, or "service".';
comment on column public.access_tokens.expires_at is 'When it stops being valid; null for never.';
comment on column public.access_tokens.revoked_at is 'When it was revoked; null if it was not.';
comment on column public.access_tokens.last_used_at is 'To the minute; null before the first use.';
comment on column public.access_tokens.parent_id is 'The token that created it, which bounds its life; null if it was created with the service token.';
comment on column public.access_tokens.owner_id is
  'The first token that it replaces, through all successors: it continues the alerts and sessions of that one. Null for a token that replaces none.';
comment on column public.access_tokens.domains is 'The domains that it reads, reports and changes; null for all.';
create index access_tokens_of_parent on public.access_tokens (parent_id) where parent_id is not null;
create policy restricted on public.access_tokens for all to dejavu_restricted using (domains <@ (select public.restricted_domains())::text[]);

create table public.audit_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null check (action in ('deleted', 'created', 'revoked', 'changed')),
  kind text not null check (kind ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  subject_id text not null,
  detail jsonb not null default '{}',
  actor text,
  request_id text,
  -- A record counts as deleted if an event of its kind exists, so no other action may have such a kind.
  constraint audit_events_action_and_kind check (
    (action in ('created', 'revoked')) = (kind in ('token', 'console_session')) and (action = 'changed') = (kind = 'request'))
);
comment on table public.audit_events is 'Deletions and changes on request, and their callers; never content. A run that is still active also finds here that its incident was deleted.';
comment on column public.audit_events.id is 'Order within one moment.';
comment on column public.audit_events.at is 'When.';
comment on column public.audit_events.action is 'The action.';
comment on column public.audit_events.kind is 'The kind of record: token, console_session, request, or a kind of record in memory.';
comment on column public.audit_events.subject_id is
  'Its id. For a session a digest, because callers choose session names. For a request the id in its path.';
comment on column public.audit_events.detail is
  'For a deletion the number of records of each layer; for a token its scopes; for a request method, route and status.';
comment on column public.audit_events.actor is 'The caller: a token''s id, or a fixed name such as "service"; null if it was not recorded.';
comment on column public.audit_events.request_id is 'The request id, as in the log.';
create index audit_events_of_subject on public.audit_events (kind, subject_id);
create unique index audit_events_of_request on public.audit_events (request_id) where action = 'changed';
create policy restricted on public.audit_events for all to dejavu_restricted using (true);

create function public.record_change(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
  values ((p ->> 'now')::timestamptz, 'changed', 'request', p ->> 'subject_id', p ->> 'actor', p ->> 'request_id', p -> 'detail')
  on conflict do nothing; -- a repeated call: the first response was lost
$$;
comment on function public.record_change(jsonb) is
  'Adds the audit event of a request that changed something: {now, subject_id, actor, request_id, detail}. One per request. Called by audit.ts.';

create function public.list_audit_events(p_limit integer, p_before_id bigint default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) from public.audit_events a where p_before_id is null or a.id < p_before_id order by a.id desc limit p_limit;
$$;
comment on function public.list_audit_events(integer, bigint) is 'Audit events, newest first. Called by memory-lists.ts.';

create function public.access_token_limits(p_id uuid, out expires_at timestamptz, out revoked_at timestamptz)
language sql stable set search_path = '' as $$
  with recursive chain as (
    select t.parent_id, t.expires_at, t.revoked_at from public.access_tokens t where t.id = p_id
    union all
    select p.parent_id, p.expires_at, p.revoked_at from chain c join public.access_tokens p on p.id = c.parent_id
  )
  select min(c.expires_at), min(c.revoked_at) from chain c;
$$;
comment on function public.access_token_limits(uuid) is
  'When a token ends: the earliest expiry and revocation of the token and all its parents; null for never. Called by access_token_json, create_access_token and redeem_sign_in_code.';

create function public.access_token_json(p public.access_tokens) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(p) - '{token_hash,parent_id}'::text[] || to_jsonb(l) || jsonb_build_object('owner_id', coalesce(p.owner_id, p.id))
  from public.access_token_limits(p.id) l;
$$;
comment on function public.access_token_json(public.access_tokens) is
  'A token without its digest, with the expiry and the revocation that its parents allow. Called by find_access_token, list_access_tokens, create_access_token and console_session_json.';

create function public.find_access_token(p_hash text) returns jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t where t.token_hash = p_hash;
$$;
comment on function public.find_access_token(text) is
  'The token with this digest, including revoked and expired ones; null if there is none. Called by access-tokens.ts.';

create function public.list_access_tokens(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t
  where p_before_at is null or (t.created_at, t.id) < (p_before_at, p_before_id)
  order by t.created_at desc, t.id desc limit p_limit;
$$;
comment on function public.list_access_tokens(integer, timestamptz, uuid) is
  'Tokens, including revoked and expired ones, newest first, a page before (p_before_at, p_before_id). Called by access-tokens.ts.';

create function public.create_access_token(p jsonb) returns jsonb
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
  'Stores a new token and an audit event: {id, name, scopes, domains, token_hash, expires_at, parent_id, replaces, now, actor, request_id}. Returns {state, token}: created; creator_ended if the parent was revoked or has expired; replaced_unknown if the token to replace does not exist, replaced_wider if it has more domains. Called by access-tokens.ts.';

create function public.revoke_access_tokens(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_id uuid := (p ->> 'id')::uuid;
  v_ids uuid[];
begin
  with recursive family as (
    select t.id from public.access_tokens t where t.id = v_id
    union all
    select t.id from family f join public.access_tokens t on t.parent_id = f.id
  )
  select array_agg(f.id) into v_ids from family f;
  with revoked as (
    update public.access_tokens t set revoked_at = (p ->> 'now')::timestamptz
    where t.id = any (v_ids) and t.revoked_at is null returning t.id
  )
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
  select (p ->> 'now')::timestamptz, 'revoked', 'token', r.id::text, p ->> 'actor', p ->> 'request_id',
    case when r.id = v_id then '{}'::jsonb else jsonb_build_object('revoked_with', v_id) end
  from revoked r order by r.id <> v_id, r.id;
  return to_jsonb(v_ids);
end $$;
comment on function public.revoke_access_tokens(jsonb) is
  'Revokes a token and all tokens made with it, each with an audit event: {id, now, actor, request_id}. Idempotent. Returns their ids; null if the token does not exist. Called by access-tokens.ts.';

create function public.touch_access_token(p_id uuid, p_now timestamptz) returns void
language sql set search_path = '' as $$
  update public.access_tokens t set last_used_at = p_now where t.id = p_id and coalesce(t.last_used_at < p_now, true);
$$;
comment on function public.touch_access_token(uuid, timestamptz) is 'Records that a token was used. Called by access-tokens.ts.';

-- Sign-in to the console: one-time codes, and sessions, which last as long as the credential that made them. Only digests of
-- their secrets are stored.

create table public.console_sessions (
  id uuid primary key,
  session_hash text not null unique check (session_hash ~ '^[0-9a-f]{64}$'),
  credential text not null check (credential in ('token', 'service', 'slack')),
  token_id uuid references public.access_tokens (id),
  credential_proof text check (credential_proof ~ '^[0-9a-f]{64}$'),
  person text,
  person_name text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > created_at),
  revoked_at timestamptz,
  check ((credential = 'token') = (token_id is not null)),
  check ((credential = 'token') = (credential_proof is null)),
  check ((credential = 'slack') = (person is not null))
);
comment on table public.console_sessions is 'Sessions of people in the console. A session allows what its credential allows, and ends with it.';
comment on column public.console_sessions.id is 'Identifies the session in lists and audit events.';
comment on column public.console_sessions.session_hash is 'SHA-256 in hex of the secret in the cookie.';
comment on column public.console_sessions.credential is 'What signed in: an access token, the service token, or a person of the chat.';
comment on column public.console_sessions.token_id is 'The access token whose scopes and domains it has; null for other credentials.';
comment on column public.console_sessions.credential_proof is
  'HMAC-SHA-256 in hex of the configured secret of a credential that is no access token, keyed with the secret in the cookie. Another secret ends the session.';
comment on column public.console_sessions.person is 'Unique id of the person of the chat; null for other credentials.';
comment on column public.console_sessions.person_name is 'The name of the person who signed in; null if it is not known.';
comment on column public.console_sessions.created_at is 'When it began.';
comment on column public.console_sessions.last_used_at is 'To the minute.';
comment on column public.console_sessions.ends_at is 'When it ends, however often it is used.';
comment on column public.console_sessions.revoked_at is 'When it was signed out or revoked; null if it was not.';
create index console_sessions_in_order on public.console_sessions (created_at, id);
create index console_sessions_by_use on public.console_sessions (last_used_at);
create index console_sessions_of_token on public.console_sessions (token_id) where token_id is not null;
create policy restricted on public.console_sessions for all to dejavu_restricted
  using (exists (select 1 from public.access_tokens t where t.id = token_id));

create table public.sign_in_codes (
  id uuid primary key,
  code_hash text not null unique check (code_hash ~ '^[0-9a-f]{64}$'),
  credential text not null check (credential in ('token', 'service', 'slack')),
  token_id uuid references public.access_tokens (id),
  credential_proof text check (credential_proof ~ '^[0-9a-f]{64}$'),
  person text,
  person_name text,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  used_at timestamptz,
  session_id uuid,
  check ((credential = 'token') = (token_id is not null)),
  check ((credential = 'token') = (credential_proof is null)),
  check ((credential = 'slack') = (person is not null))
);
comment on table public.sign_in_codes is 'One-time codes of links to the console. Each makes one session.';
comment on column public.sign_in_codes.id is 'Identifies the code.';
comment on column public.sign_in_codes.code_hash is 'SHA-256 in hex of the code.';
comment on column public.sign_in_codes.credential is 'Whose session it makes; as in console_sessions.';
comment on column public.sign_in_codes.token_id is 'The access token that made it; null for other credentials.';
comment on column public.sign_in_codes.credential_proof is 'As in console_sessions, keyed with the code.';
comment on column public.sign_in_codes.person is 'Unique id of the person of the chat; null for other credentials.';
comment on column public.sign_in_codes.person_name is 'The name of the person who signs in; null if it is not known.';
comment on column public.sign_in_codes.created_at is 'When it was made.';
comment on column public.sign_in_codes.expires_at is 'Until when it can be used.';
comment on column public.sign_in_codes.used_at is 'When it was used; null if it was not.';
comment on column public.sign_in_codes.session_id is 'The session that it made. A repeated call finds here that it succeeded.';
create index sign_in_codes_by_expiry on public.sign_in_codes (expires_at);
create policy restricted on public.sign_in_codes for all to dejavu_restricted
  using (exists (select 1 from public.access_tokens t where t.id = token_id));

create function public.console_session_json(p public.console_sessions) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(p) - '{session_hash,credential_proof,token_id,ends_at}'::text[] || jsonb_build_object(
    -- Without use, a session ends after 12 hours.
    'expires_at', least(p.last_used_at + interval '12 hours', p.ends_at, (t.token ->> 'expires_at')::timestamptz),
    'revoked_at', least(p.revoked_at, (t.token ->> 'revoked_at')::timestamptz),
    'token', t.token)
  from (select (select public.access_token_json(a) from public.access_tokens a where a.id = p.token_id) as token) t;
$$;
comment on function public.console_session_json(public.console_sessions) is
  'A session without its digests, with its token, and the expiry and the revocation that its token allows. Called by create_console_session, use_console_session and list_console_sessions.';

create function public.create_sign_in_code(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.sign_in_codes (id, code_hash, credential, token_id, credential_proof, person, person_name, created_at, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'code_hash', p ->> 'credential', (p ->> 'token_id')::uuid, p ->> 'credential_proof', p ->> 'person',
    p ->> 'person_name', (p ->> 'now')::timestamptz, (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
$$;
comment on function public.create_sign_in_code(jsonb) is
  'Stores a one-time code: {id, code_hash, credential, token_id, credential_proof, person, person_name, now, expires_at}. Idempotent. Called by console-sessions.ts.';

create function public.create_console_session(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_session public.console_sessions;
begin
  insert into public.console_sessions (id, session_hash, credential, token_id, credential_proof, person, person_name, created_at,
    last_used_at, ends_at)
  values ((p ->> 'id')::uuid, p ->> 'session_hash', p ->> 'credential', (p ->> 'token_id')::uuid, p ->> 'credential_proof',
    p ->> 'person', p ->> 'person_name', v_now, v_now, (p ->> 'ends_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values (v_now, 'created', 'console_session', p ->> 'id', coalesce(p ->> 'token_id', p ->> 'person', p ->> 'credential'),
      p ->> 'request_id', jsonb_build_object('credential', p ->> 'credential'));
  end if;
  select * into strict v_session from public.console_sessions s where s.id = (p ->> 'id')::uuid;
  return public.console_session_json(v_session);
end $$;
comment on function public.create_console_session(jsonb) is
  'Stores a session and an audit event: {id, session_hash, credential, token_id, credential_proof, person, person_name, ends_at, now, request_id}. Returns the session. Idempotent. Called by console-sessions.ts and redeem_sign_in_code.';

create function public.redeem_sign_in_code(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_code public.sign_in_codes;
  v_token_ended boolean;
begin
  -- Of two calls at the same time, the second waits here and then finds the code used.
  update public.sign_in_codes c set used_at = v_now, session_id = (p ->> 'id')::uuid
  where c.code_hash = p ->> 'code_hash' and c.used_at is null and c.expires_at > v_now
  returning c.* into v_code;
  if not found then
    select * into v_code from public.sign_in_codes c where c.code_hash = p ->> 'code_hash';
    if not found then
      return '{"state": "unknown"}';
    elsif v_code.used_at is null then
      return '{"state": "expired"}';
    elsif v_code.session_id <> (p ->> 'id')::uuid then
      return '{"state": "used"}';
    end if;
  end if;
  select l.revoked_at is not null or coalesce(l.expires_at <= v_now, false) into v_token_ended
  from public.access_token_limits(v_code.token_id) l;
  if v_code.credential_proof is distinct from p #>> array['code_proofs', v_code.credential]
    or v_token_ended then
    return '{"state": "credential_ended"}';
  end if;
  return jsonb_build_object('state', 'signed_in', 'session', public.create_console_session(p || jsonb_build_object(
    'credential', v_code.credential, 'token_id', v_code.token_id, 'person', v_code.person, 'person_name', v_code.person_name,
    'credential_proof', p #>> array['session_proofs', v_code.credential], 'ends_at', p #>> array['ends_at', v_code.credential])));
end $$;
comment on function public.redeem_sign_in_code(jsonb) is
  'Makes a session with a one-time code: {code_hash, code_proofs, session_proofs, ends_at, id, session_hash, now, request_id}; proofs and ends by credential. Returns {state, session}: signed_in; unknown; used; expired; credential_ended if the token was revoked or has expired, or the secret of the credential is another one. Called by console-sessions.ts.';

create function public.use_console_session(p_hash text, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  update public.console_sessions s set last_used_at = p_now
  where s.session_hash = p_hash and s.revoked_at is null and s.ends_at > p_now
    -- One write a minute. A session that has ended stays so.
    and s.last_used_at <= p_now - interval '1 minute' and s.last_used_at > p_now - interval '12 hours';
  return (select public.console_session_json(s) || jsonb_build_object('credential_proof', s.credential_proof)
    from public.console_sessions s where s.session_hash = p_hash);
end $$;
comment on function public.use_console_session(text, timestamptz) is
  'The session with this digest, also one that has ended; null if there is none. Records its use. Called by console-sessions.ts.';

create function public.list_console_sessions(
  p_now timestamptz, p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select l.session from (
    select s.created_at, s.id, public.console_session_json(s) as session from public.console_sessions s
    where (p_before_at is null or (s.created_at, s.id) < (p_before_at, p_before_id))
      and s.revoked_at is null and s.ends_at > p_now and s.last_used_at > p_now - interval '12 hours'
  ) l
  where l.session ->> 'revoked_at' is null and (l.session ->> 'expires_at')::timestamptz > p_now
  order by l.created_at desc, l.id desc limit p_limit;
$$;
comment on function public.list_console_sessions(timestamptz, integer, timestamptz, uuid) is
  'Sessions that have not ended, newest first, a page before (p_before_at, p_before_id). Called by console-sessions.ts.';

create function public.revoke_console_session(p jsonb) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.console_sessions s set revoked_at = (p ->> 'now')::timestamptz
  where s.id = (p ->> 'id')::uuid and s.revoked_at is null;
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id)
    values ((p ->> 'now')::timestamptz, 'revoked', 'console_session', p ->> 'id', p ->> 'actor', p ->> 'request_id');
    return true;
  end if;
  return exists (select 1 from public.console_sessions s where s.id = (p ->> 'id')::uuid);
end $$;
comment on function public.revoke_console_session(jsonb) is
  'Ends a session and adds an audit event: {id, now, actor, request_id}. Idempotent. Returns whether the session exists. Called by console-sessions.ts.';

call public.restrict_to_service_role();
