-- A token that was created with another token ends with it: its own end is at most the parent's, and revoking the parent
-- revokes it. The rule is computed along the chain of parents, so it also holds for tokens that exist already.

alter table public.access_tokens add column parent_id uuid references public.access_tokens (id);
comment on column public.access_tokens.parent_id is 'The token that created it, which bounds its life; null if it was created with the service token.';
update public.access_tokens t set parent_id = p.id from public.access_tokens p where t.created_by = p.id::text and t.id <> p.id;
create index access_tokens_of_parent on public.access_tokens (parent_id) where parent_id is not null;

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
  'When a token ends: the earliest expiry and revocation of the token and all its parents; null for never.';

create or replace function public.access_token_json(p public.access_tokens) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(p) - '{token_hash,parent_id}'::text[] || to_jsonb(l) from public.access_token_limits(p.id) l;
$$;
comment on function public.access_token_json(public.access_tokens) is
  'A token without its digest, with the expiry and the revocation that its parents allow.';

create or replace function public.create_access_token(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_parent uuid := (p ->> 'parent_id')::uuid;
  v_limits record;
  v_token public.access_tokens;
begin
  if v_parent is not null then
    -- Waits for a revocation that is under way.
    perform 1 from public.access_tokens t where t.id = v_parent for share;
    select * into v_limits from public.access_token_limits(v_parent);
    if v_limits.revoked_at is not null or v_limits.expires_at <= v_now then
      return null;
    end if;
  end if;
  insert into public.access_tokens (id, name, scopes, token_hash, created_at, created_by, parent_id, expires_at)
  values ((p ->> 'id')::uuid, p ->> 'name', array(select jsonb_array_elements_text(p -> 'scopes')), p ->> 'token_hash',
    v_now, p ->> 'actor', v_parent, (p ->> 'expires_at')::timestamptz)
  on conflict (id) do nothing; -- a repeated call: the first response was lost
  if found then
    insert into public.audit_events (at, action, kind, subject_id, actor, request_id, detail)
    values (v_now, 'created', 'token', p ->> 'id', p ->> 'actor', p ->> 'request_id', jsonb_build_object('scopes', p -> 'scopes'));
  end if;
  select * into strict v_token from public.access_tokens t where t.id = (p ->> 'id')::uuid;
  return public.access_token_json(v_token);
end $$;
comment on function public.create_access_token(jsonb) is
  'Stores a new token and an audit event: {id, name, scopes, token_hash, expires_at, parent_id, now, actor, request_id}. Returns the token; null if the parent was revoked or has expired.';

drop function public.revoke_access_token(jsonb);
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
  'Revokes a token and all tokens made with it, each with an audit event: {id, now, actor, request_id}. Idempotent. Returns their ids; null if the token does not exist.';

call public.restrict_to_service_role();
