-- Who may call: tokens, of which only a digest is kept; and who changed what.

create table public.access_tokens (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 128),
  scopes text[] not null
    check (cardinality(scopes) > 0 and scopes <@ array['triage', 'read', 'feedback', 'ingest', 'admin']),
  token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz check (expires_at > created_at),
  revoked_at timestamptz,
  last_used_at timestamptz
);
comment on table public.access_tokens is 'Tokens that callers present. None can be made from what is kept here.';
comment on column public.access_tokens.id is 'How it is named in lists, logs and audit events.';
comment on column public.access_tokens.name is 'For people; two may have the same, so that one can follow the other.';
comment on column public.access_tokens.scopes is 'What it allows; no scope implies another.';
comment on column public.access_tokens.token_hash is
  'SHA-256 in hex. A plain digest is enough: 32 random bytes cannot be guessed, however fast one may try.';
comment on column public.access_tokens.created_at is 'When it was made.';
comment on column public.access_tokens.created_by is 'The caller who made it: a token''s id, or "service".';
comment on column public.access_tokens.expires_at is 'From when on it is refused; null for never.';
comment on column public.access_tokens.revoked_at is 'When it was taken back; null while it was not.';
comment on column public.access_tokens.last_used_at is 'To the minute; null before the first use.';

-- Beside what was forgotten: tokens, and every other change through the API.

alter table public.audit_events add column actor text, add column request_id text;
comment on table public.audit_events is 'What was changed on request and by whom; nothing of what it said.';
comment on column public.audit_events.subject_id is
  'Its id. A session''s is a digest: callers choose those names. Of a request, what its path names.';
comment on column public.audit_events.detail is
  'Of what was forgotten how many records of each layer went with it; of a token its scopes; of a request method, route and status.';
comment on column public.audit_events.actor is 'The caller: a token''s id, or a fixed name such as "service"; null where it was not recorded.';
comment on column public.audit_events.request_id is 'The request; the log has more of it.';

-- A record counts as forgotten where an event of its kind is found, so no other action may ever bear such a kind.
alter table public.audit_events
  drop constraint audit_events_action_check,
  drop constraint audit_events_kind_check,
  add constraint audit_events_action_and_kind check (
    (action = 'forgotten' and kind in ('incident', 'observation', 'past_answer', 'session', 'procedure'))
    or (action in ('created', 'revoked') and kind = 'token')
    or (action = 'changed' and kind = 'request'));
create unique index audit_events_of_request on public.audit_events (request_id) where action = 'changed';

create function public.access_token_json(p public.access_tokens) returns jsonb
language sql immutable set search_path = '' as $$
  select to_jsonb(p) - 'token_hash';
$$;
comment on function public.access_token_json(public.access_tokens) is 'A token for people to read: without its digest.';

create function public.find_access_token(p_hash text) returns jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t where t.token_hash = p_hash;
$$;
comment on function public.find_access_token(text) is
  'The token with this digest, revoked and expired ones too; null when there is none.';

create function public.list_access_tokens(
  p_limit integer, p_before_at timestamptz default null, p_before_id uuid default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select public.access_token_json(t) from public.access_tokens t
  where p_before_at is null or (t.created_at, t.id) < (p_before_at, p_before_id)
  order by t.created_at desc, t.id desc limit p_limit;
$$;
comment on function public.list_access_tokens(integer, timestamptz, uuid) is
  'Tokens, revoked and expired ones too, newest first, a page before (p_before_at, p_before_id).';

create function public.create_access_token(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_token public.access_tokens;
begin
  insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'name', array(select jsonb_array_elements_text(p -> 'scopes')), p ->> 'token_hash',
    (p ->> 'now')::timestamptz, p ->> 'actor', (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call whose first reply was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values ((p ->> 'now')::timestamptz, 'created', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id',
      jsonb_build_object('scopes', p -> 'scopes'));
  end if;
  select * into strict v_token from public.access_tokens t where t.id = (p ->> 'id')::uuid;
  return public.access_token_json(v_token);
end $$;
comment on function public.create_access_token(jsonb) is
  'Keeps a new token and an audit event: {id, name, scopes, token_hash, expires_at, now, actor, request_id}. Returns it.';

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
  'Takes a token back, with an audit event: {id, now, actor, request_id}. Doing it again changes nothing. Returns whether there is such a token.';

create function public.touch_access_token(p_id uuid, p_now timestamptz) returns void
language sql set search_path = '' as $$
  update public.access_tokens t set last_used_at = p_now where t.id = p_id and coalesce(t.last_used_at < p_now, true);
$$;
comment on function public.touch_access_token(uuid, timestamptz) is 'Records that a token was used.';

create function public.record_change(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
  values ((p ->> 'now')::timestamptz, 'changed', 'request', p ->> 'subject_id', p ->> 'actor', p ->> 'request_id', p -> 'detail')
  on conflict do nothing; -- a repeated call whose first reply was lost
$$;
comment on function public.record_change(jsonb) is
  'An audit event for a request that changed something: {now, subject_id, actor, request_id, detail}. One a request.';

create function public.forget_for(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_reply jsonb := public.forget(p);
begin
  if v_reply ->> 'state' = 'forgotten' then
    -- The event that forget has just written in this transaction.
    update public.audit_events a set actor = p ->> 'actor', request_id = p ->> 'request_id'
    where a.id = currval(pg_get_serial_sequence('public.audit_events', 'id'));
  end if;
  return v_reply;
end $$;
comment on function public.forget_for(jsonb) is
  'forget, with the caller in its audit event: besides what forget takes {actor, request_id}. Returns what forget returns.';

-- As for everything before: only the service role.

do $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
end $$;

revoke all on all tables in schema public from public, anon, authenticated;
revoke all on all sequences in schema public from public, anon, authenticated;
revoke all on all functions in schema public from public, anon, authenticated;
grant select, insert, update, delete on all tables in schema public to service_role;
grant usage on all sequences in schema public to service_role;
grant execute on all functions in schema public to service_role;
