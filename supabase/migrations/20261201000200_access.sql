-- Access tokens, of which only a digest is stored, and audit events.

create table public.access_tokens (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 128),
  scopes text[] not null check (array_to_string(scopes, ' ') ~ '^[a-z][a-z_]*( [a-z][a-z_]*)*$'),
  token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz check (expires_at > created_at),
  revoked_at timestamptz,
  last_used_at timestamptz
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

create table public.audit_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  action text not null check (action in ('deleted', 'created', 'revoked', 'changed')),
  kind text not null check (kind ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  subject_id text not null,
  detail jsonb not null default '{}',
  record_ids text[] not null default '{}',
  in_results boolean not null default false,
  actor text,
  request_id text,
  -- A record counts as deleted if an event of its kind exists, so no other action may have such a kind.
  constraint audit_events_action_and_kind check (
    (action in ('created', 'revoked')) = (kind = 'token') and (action = 'changed') = (kind = 'request'))
);
create index audit_events_in_results on public.audit_events (id) where in_results;
create index audit_events_of_subject on public.audit_events (kind, subject_id);
create unique index audit_events_of_request on public.audit_events (request_id) where action = 'changed';
comment on table public.audit_events is 'Deletions and changes on request, and their callers; never content. A run that is still active also finds here that its incident was deleted.';
comment on column public.audit_events.id is 'Order within one moment.';
comment on column public.audit_events.at is 'When.';
comment on column public.audit_events.action is 'The action.';
comment on column public.audit_events.kind is 'The kind of record: token, request, or a kind of record in memory.';
comment on column public.audit_events.subject_id is
  'Its id. For a session a digest, because callers choose session names. For a request the id in its path.';
comment on column public.audit_events.detail is
  'For a deletion the number of records of each layer; for a token its scopes; for a request method, route and status.';
comment on column public.audit_events.record_ids is 'Ids of deleted records that must also leave the results of other triages.';
comment on column public.audit_events.in_results is 'Whether results may still hold one of them.';
comment on column public.audit_events.actor is 'The caller: a token''s id, or a fixed name such as "service"; null if it was not recorded.';
comment on column public.audit_events.request_id is 'The request id, as in the log.';

create function public.access_token_json(p public.access_tokens) returns jsonb
language sql immutable set search_path = '' as $$
  select to_jsonb(p) - 'token_hash';
$$;
comment on function public.access_token_json(public.access_tokens) is 'A token without its digest.';

create function public.find_access_token(p_hash text) returns jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t where t.token_hash = p_hash;
$$;
comment on function public.find_access_token(text) is
  'The token with this digest, including revoked and expired ones; null if there is none.';

create function public.list_access_tokens(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t
  where p_before_at is null or (t.created_at, t.id) < (p_before_at, p_before_id)
  order by t.created_at desc, t.id desc limit p_limit;
$$;
comment on function public.list_access_tokens(integer, timestamptz, uuid) is
  'Tokens, including revoked and expired ones, newest first, a page before (p_before_at, p_before_id).';

create function public.create_access_token(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_token public.access_tokens;
begin
  insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'name', array(select jsonb_array_elements_text(p -> 'scopes')), p ->> 'token_hash',
    (p ->> 'now')::timestamptz, p ->> 'actor', (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values ((p ->> 'now')::timestamptz, 'created', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id',
      jsonb_build_object('scopes', p -> 'scopes'));
  end if;
  select * into strict v_token from public.access_tokens t where t.id = (p ->> 'id')::uuid;
  return public.access_token_json(v_token);
end $$;
comment on function public.create_access_token(jsonb) is
  'Stores a new token and an audit event: {id, name, scopes, token_hash, expires_at, now, actor, request_id}. Returns the token.';

create function public.revoke_access_token(p jsonb) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.access_tokens t set revoked_at = (p ->> 'now')::timestamptz
  where t.id = (p ->> 'id')::uuid and t.revoked_at is null;
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id)
    values ((p ->> 'now')::timestamptz, 'revoked', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id');
    return true;
  end if;
  return exists (select 1 from public.access_tokens t where t.id = (p ->> 'id')::uuid);
end $$;
comment on function public.revoke_access_token(jsonb) is
  'Revokes a token and adds an audit event: {id, now, actor, request_id}. Idempotent. Returns whether the token exists.';

create function public.touch_access_token(p_id uuid, p_now timestamptz) returns void
language sql set search_path = '' as $$
  update public.access_tokens t set last_used_at = p_now where t.id = p_id and coalesce(t.last_used_at < p_now, true);
$$;
comment on function public.touch_access_token(uuid, timestamptz) is 'Records that a token was used.';

create function public.record_change(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
  values ((p ->> 'now')::timestamptz, 'changed', 'request', p ->> 'subject_id', p ->> 'actor', p ->> 'request_id', p -> 'detail')
  on conflict do nothing; -- a repeated call: the first response was lost
$$;
comment on function public.record_change(jsonb) is
  'Adds the audit event of a request that changed something: {now, subject_id, actor, request_id, detail}. One per request.';

create function public.list_audit_events(p_limit integer, p_before_id bigint default null) returns setof jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(a) from public.audit_events a where p_before_id is null or a.id < p_before_id order by a.id desc limit p_limit;
$$;
comment on function public.list_audit_events(integer, bigint) is 'Audit events, newest first.';

call public.restrict_to_service_role();
