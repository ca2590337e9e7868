-- Deliveries of webhooks are recognised when they come again, incidents are found by the beginning of their id, and an
-- incident is resolved by whoever comes first.

create table public.webhook_deliveries (
  digest text primary key,
  at timestamptz not null
);
comment on table public.webhook_deliveries is 'Webhook deliveries that were worked on, so that none is worked on twice.';
comment on column public.webhook_deliveries.digest is 'SHA-256, in hex, of what tells the delivery from all others: its signature, or the id that its sender gave it.';
comment on column public.webhook_deliveries.at is 'When it was first seen.';
create index webhook_deliveries_by_time on public.webhook_deliveries (at);

create function public.claim_delivery(p_digest text, p_at timestamptz) returns boolean
language sql set search_path = '' as $$
  with claimed as (
    insert into public.webhook_deliveries (digest, at) values (p_digest, p_at) on conflict do nothing returning 1
  )
  select exists (select 1 from claimed);
$$;
comment on function public.claim_delivery(text, timestamptz) is
  'Notes a webhook delivery; true for the first caller only, who is the one to do its work.';

create function public.find_incidents(p_hex text, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(t.id order by t.id), '[]') from (
    select i.id from public.incidents i
    -- The order of UUIDs is that of their digits, so the primary key answers.
    where i.id between rpad(p_hex, 32, '0')::uuid and rpad(p_hex, 32, 'f')::uuid
    order by i.id limit p_limit) t;
$$;
comment on function public.find_incidents(text, integer) is
  'Ids of at most p_limit incidents that begin with these hex digits, without hyphens.';

create function public.resolve_open_incident(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_status text;
begin
  select i.status into v_status from public.incidents i where i.id = (p ->> 'incident_id')::uuid for update;
  if v_status = 'resolved' then
    return jsonb_build_object('state', 'changed');
  end if;
  return public.resolve_incident(p);
end $$;
comment on function public.resolve_open_incident(jsonb) is
  'As resolve_incident, for an incident that nobody has resolved yet; of one that somebody has, the state is changed.';

create or replace function public.purge_expired(p_before timestamptz, p_limit integer) returns jsonb
language sql set search_path = '' as $$
  with memories as (
    delete from public.memories m where m.id = any (array(
      select o.id from public.memories o
      where o.compressed_at < p_before
        -- Its removal from the vector store is not owed any more.
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
  ), webhook_deliveries as (
    delete from public.webhook_deliveries d where d.digest = any (array(
      select o.digest from public.webhook_deliveries o where o.at < p_before
      order by o.at limit p_limit for update skip locked))
    returning 1
  )
  select jsonb_build_object('memories', (select count(*) from memories), 'outbox', (select count(*) from outbox),
    'idempotency_keys', (select count(*) from idempotency_keys), 'job_runs', (select count(*) from job_runs),
    'alerts', (select count(*) from alerts), 'webhook_deliveries', (select count(*) from webhook_deliveries));
$$;
comment on function public.purge_expired(timestamptz, integer) is
  'Deletes compressed originals, finished outbox rows, idempotency keys, job runs and webhook deliveries from before p_before, and alerts that were not heard of since, at most p_limit of each.';

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
