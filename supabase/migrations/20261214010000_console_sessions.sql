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
create index console_sessions_in_order on public.console_sessions (created_at, id);
create index console_sessions_by_use on public.console_sessions (last_used_at);
create index console_sessions_of_token on public.console_sessions (token_id) where token_id is not null;
comment on table public.console_sessions is 'Sessions of people in the console. A session allows what its credential allows, and ends with it.';
comment on column public.console_sessions.id is 'Identifies the session in lists and audit events.';
comment on column public.console_sessions.session_hash is 'SHA-256 in hex of the secret in the cookie.';
comment on column public.console_sessions.credential is 'What signed in: an access token, the service token, or a person of the chat.';
comment on column public.console_sessions.token_id is 'The access token whose scopes and domains it has; null for other credentials.';
comment on column public.console_sessions.credential_proof is
  'HMAC-SHA-256 in hex of the configured secret of a credential that is no access token, keyed with the secret in the cookie. Another secret ends the session.';
comment on column public.console_sessions.person is 'Unique id of the person of the chat; null for other credentials.';
comment on column public.console_sessions.person_name is 'The name of that person.';
comment on column public.console_sessions.created_at is 'When it began.';
comment on column public.console_sessions.last_used_at is 'To the minute.';
comment on column public.console_sessions.ends_at is 'When it ends, however often it is used.';
comment on column public.console_sessions.revoked_at is 'When it was signed out or revoked; null if it was not.';

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
create index sign_in_codes_by_expiry on public.sign_in_codes (expires_at);
comment on table public.sign_in_codes is 'One-time codes of links to the console. Each makes one session.';
comment on column public.sign_in_codes.id is 'Identifies the code.';
comment on column public.sign_in_codes.code_hash is 'SHA-256 in hex of the code.';
comment on column public.sign_in_codes.credential is 'Whose session it makes; as in console_sessions.';
comment on column public.sign_in_codes.token_id is 'The access token that made it; null for other credentials.';
comment on column public.sign_in_codes.credential_proof is 'As in console_sessions, keyed with the code.';
comment on column public.sign_in_codes.person is 'Unique id of the person of the chat; null for other credentials.';
comment on column public.sign_in_codes.person_name is 'The name of that person.';
comment on column public.sign_in_codes.created_at is 'When it was made.';
comment on column public.sign_in_codes.expires_at is 'Until when it can be used.';
comment on column public.sign_in_codes.used_at is 'When it was used; null if it was not.';
comment on column public.sign_in_codes.session_id is 'The session that it made. A repeated call finds here that it succeeded.';

alter table public.audit_events drop constraint audit_events_action_and_kind;
-- contract console_session: unused since 0.9.0
alter table public.audit_events add constraint audit_events_action_and_kind check (
  (action in ('created', 'revoked')) = (kind in ('token', 'console_session')) and (action = 'changed') = (kind = 'request'));
comment on column public.audit_events.kind is 'The kind of record: token, console_session, request, or a kind of record in memory.';

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
  'A session without its digests, with its token, and the expiry and the revocation that its token allows.';

create function public.create_sign_in_code(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.sign_in_codes (id, code_hash, credential, token_id, credential_proof, person, person_name, created_at, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'code_hash', p ->> 'credential', (p ->> 'token_id')::uuid, p ->> 'credential_proof', p ->> 'person',
    p ->> 'person_name', (p ->> 'now')::timestamptz, (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
$$;
comment on function public.create_sign_in_code(jsonb) is
  'Stores a one-time code: {id, code_hash, credential, token_id, credential_proof, person, person_name, now, expires_at}. Idempotent.';

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
  'Stores a session and an audit event: {id, session_hash, credential, token_id, credential_proof, person, person_name, ends_at, now, request_id}. Returns the session. Idempotent.';

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
  'Makes a session with a one-time code: {code_hash, code_proofs, session_proofs, ends_at, id, session_hash, now, request_id}; proofs and ends by credential. Returns {state, session}: signed_in; unknown; used; expired; credential_ended if the token was revoked or has expired, or the secret of the credential is another one.';

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
  'The session with this digest, also one that has ended; null if there is none. Records its use.';

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
  'Sessions that have not ended, newest first, a page before (p_before_at, p_before_id).';

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
  'Ends a session and adds an audit event: {id, now, actor, request_id}. Idempotent. Returns whether the session exists.';

-- Callers that are restricted to domains: codes and sessions of the tokens that they may see.

create policy restricted on public.console_sessions for all to dejavu_restricted
  using (exists (select 1 from public.access_tokens t where t.id = token_id));
create policy restricted on public.sign_in_codes for all to dejavu_restricted
  using (exists (select 1 from public.access_tokens t where t.id = token_id));
insert into public.restricted_functions (name)
select unnest('{create_sign_in_code, list_console_sessions, revoke_console_session}'::text[]);

-- Expired rows.

create or replace function public.delete_expired(p_before timestamptz, p_limit integer) returns jsonb
language sql set search_path = '' as $$
  with past_answers as (
    delete from public.past_answers a where a.id = any (array(
      select o.id from public.past_answers o
      where o.compressed_at < p_before
        -- Its removal from the vector store is no longer pending.
        and not exists (select 1 from public.outbox w where w.done_at is null and w.document_id = o.id::text)
      order by o.compressed_at limit p_limit for update skip locked))
    returning 1
  ), outbox as (
    delete from public.outbox w where w.id = any (array(
      select o.id from public.outbox o where o.done_at < p_before order by o.done_at limit p_limit for update skip locked))
    returning 1
  ), idempotency_keys as (
    delete from public.idempotency_keys k where k.key = any (array(
      select o.key from public.idempotency_keys o where o.started_at < p_before
      order by o.started_at limit p_limit for update skip locked))
    returning 1
  ), job_runs as (
    delete from public.job_runs j where j.id = any (array(
      select o.id from public.job_runs o where o.started_at < p_before
      order by o.started_at limit p_limit for update skip locked))
    returning 1
  ), alerts as (
    delete from public.alerts a where a.id = any (array(
      select o.id from public.alerts o where o.last_received_at < p_before
      order by o.last_received_at limit p_limit for update skip locked))
    returning 1
  ), changes as (
    delete from public.changes c where c.id = any (array(
      select o.id from public.changes o where o.received_at < p_before
      order by o.received_at limit p_limit for update skip locked))
    returning 1
  ), webhook_deliveries as (
    delete from public.webhook_deliveries d where d.digest = any (array(
      select o.digest from public.webhook_deliveries o where o.at < p_before
      order by o.at limit p_limit for update skip locked))
    returning 1
  ), sign_in_codes as (
    delete from public.sign_in_codes c where c.id = any (array(
      select o.id from public.sign_in_codes o where o.expires_at < p_before
      order by o.expires_at limit p_limit for update skip locked))
    returning 1
  ), console_sessions as (
    -- The retention is at least a day, so they have ended.
    delete from public.console_sessions s where s.id = any (array(
      select o.id from public.console_sessions o where o.last_used_at < p_before
      order by o.last_used_at limit p_limit for update skip locked))
    returning 1
  )
  select jsonb_build_object('past_answers', (select count(*) from past_answers), 'outbox', (select count(*) from outbox),
    'idempotency_keys', (select count(*) from idempotency_keys), 'job_runs', (select count(*) from job_runs),
    'alerts', (select count(*) from alerts), 'changes', (select count(*) from changes),
    'webhook_deliveries', (select count(*) from webhook_deliveries), 'sign_in_codes', (select count(*) from sign_in_codes),
    'console_sessions', (select count(*) from console_sessions));
$$;
comment on function public.delete_expired(timestamptz, integer) is
  'Deletes compressed originals, finished outbox entries, idempotency keys, job runs, webhook deliveries, sign-in codes and console sessions from before p_before, and alerts and changes not received since, at most p_limit of each.';

call public.restrict_to_service_role();
