-- Mutes: failures, alerts and domains that are expected for a time. Their incidents are stored and answered, not announced.

create table public.mutes (
  id uuid primary key default gen_random_uuid(),
  incident_id uuid references public.incidents (id) on delete cascade,
  incident_ids uuid[] not null default '{}',
  fingerprints text[] not null default '{}',
  domain text,
  matchers text[] not null default '{}',
  reason text not null,
  owner text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  check (incident_id is not null or domain is not null or cardinality(matchers) > 0),
  check (ends_at <= starts_at + interval '30 days')
);
comment on table public.mutes is 'What is expected, by whom, why and until when.';
comment on column public.mutes.id is 'The id.';
comment on column public.mutes.incident_id is 'The incident whose failure is muted; null for other mutes.';
comment on column public.mutes.incident_ids is 'That incident and others that were muted with it: their timelines show the mute.';
comment on column public.mutes.fingerprints is 'The failure of that incident, and of others that were muted with it; none if it has none.';
comment on column public.mutes.domain is 'Domain of the muted incidents; null for all.';
comment on column public.mutes.matchers is 'Label matchers as text; an incident must match all of them.';
comment on column public.mutes.reason is 'Why it is expected, redacted.';
comment on column public.mutes.owner is 'Name of the person or the token that muted, redacted.';
comment on column public.mutes.starts_at is 'When it was made.';
comment on column public.mutes.ends_at is 'When it ends, at most 30 days later; or when it was ended.';
create index mutes_by_end on public.mutes (ends_at, id);
-- A restricted caller has the mutes of its domains.
create policy restricted on public.mutes for all to dejavu_restricted
  using (domain = any ((select public.restricted_domains())::text[]));

create table public.muted_incidents (
  incident_id uuid not null references public.incidents (id) on delete cascade,
  target text not null,
  mute_id uuid not null references public.mutes (id) on delete cascade,
  is_counted boolean not null,
  at timestamptz not null,
  released_at timestamptz,
  shown_in uuid,
  primary key (incident_id, target)
);
comment on table public.muted_incidents is 'Incidents that were not announced to a target because of a mute.';
comment on column public.muted_incidents.incident_id is 'The incident.';
comment on column public.muted_incidents.target is 'The notification target that serves it, or that may have a message of it.';
comment on column public.muted_incidents.mute_id is 'The latest mute that it met.';
comment on column public.muted_incidents.is_counted is 'Whether the target would have shown it. If not, its choices leave the incident out.';
comment on column public.muted_incidents.at is 'When it last met the mute.';
comment on column public.muted_incidents.released_at is 'When the end of the mute was handled; null before that.';
comment on column public.muted_incidents.shown_in is 'The message of the target that counts it; null before that.';
create index muted_incidents_of_mute on public.muted_incidents (mute_id);
create index muted_incidents_unreleased on public.muted_incidents (mute_id) where released_at is null;
create index muted_incidents_to_show on public.muted_incidents (target) where is_counted and shown_in is null;
create index muted_incidents_shown on public.muted_incidents (shown_in) where shown_in is not null;
create policy restricted on public.muted_incidents for select to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));

create function public.muted_count(m public.mutes) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (with kept as (
      select k.incident_id from public.muted_incidents k where k.mute_id = m.id and k.is_counted
      union
      -- Without a target, too. Only the notifications compare labels.
      select i.id from public.incidents i where i.status <> 'resolved' and m.matchers = '{}'
        and (m.incident_id is null or m.incident_id = i.id or i.fingerprint = any (m.fingerprints))
        and (m.domain is null or m.domain = i.domain)
    )
    -- The table is in a later migration.
    select case when m.matchers = '{}' or exists (select from public.notification_targets) then count(*) else nullif(count(*), 0) end from kept);
end $$;
comment on function public.muted_count(public.mutes) is
  'Incidents of a mute that are open or that a target would have shown; null if no target compares its labels. Called by mute_json.';

create function public.mute_json(m public.mutes) returns jsonb
language sql stable set search_path = '' as $$
  select to_jsonb(m) || jsonb_build_object('muted', public.muted_count(m), 'failures', coalesce(to_jsonb((array_agg(f.title order by f.at desc, f.title))[1:3]), '[]'),
    'more_failures', greatest(count(*) - 3, 0))
  from (
    select i.title, max(i.created_at) as at from public.incidents i
    where i.id = any (m.incident_ids) or m.incident_id is null and i.id in (select k.incident_id from public.muted_incidents k where k.mute_id = m.id)
    group by i.title) f;
$$;
comment on function public.mute_json(public.mutes) is
  'A mute with its count as `muted`, see muted_count, and with the titles of the incidents that were muted, or that it kept quiet: three as `failures`, the number of others as `more_failures`. Called by list_mutes and add_mute.';

create function public.list_mutes(p_now timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(public.mute_json(q.m) order by (q.m).ends_at, (q.m).id), '[]')
  from (select m from public.mutes m where m.ends_at > p_now order by m.ends_at, m.id limit p_limit) q;
$$;
comment on function public.list_mutes(timestamptz, integer) is
  'The mutes that have not ended, the next to end first, see mute_json. Called by mutes.ts.';

create function public.mute_of(p_incident public.incidents, p_now timestamptz default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', m.id, 'reason', m.reason, 'owner', m.owner, 'ends_at', m.ends_at) from public.mutes m
  where (p_now is null or m.ends_at > p_now)
    and (m.incident_id is null or m.incident_id = p_incident.id or p_incident.fingerprint = any (m.fingerprints))
    and (m.domain is null or m.domain = p_incident.domain)
    -- Only the notifications compare labels.
    and (m.matchers = '{}' or exists (select 1 from public.muted_incidents k where k.mute_id = m.id and k.incident_id = p_incident.id))
  order by m.ends_at desc, m.id limit 1;
$$;
comment on function public.mute_of(public.incidents, timestamptz) is
  'The mute of an incident that ends last: {id, reason, owner, ends_at}, null if there is none; with p_now, of those that have not ended. Called by incident_summary and get_incident.';

create function public.add_mute(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_new public.mutes := jsonb_populate_record(null::public.mutes, p -> 'mute');
  v_same public.mutes;
  v_incident public.incidents;
begin
  if v_new.incident_id is not null then
    select * into v_incident from public.incidents i where i.id = v_new.incident_id;
    if not found then
      return '{"state": "no_incident"}';
    end if;
    v_new.incident_ids := array[v_incident.id];
    v_new.fingerprints := array_remove(array[v_incident.fingerprint], null);
    v_new.domain := v_incident.domain;
    -- Of many incidents that a person mutes at once, one mute is enough.
    select m.* into v_same from public.mutes m
    where v_incident.fingerprint is not null and m.fingerprints <> '{}' and m.domain = v_new.domain and m.reason = v_new.reason
      and m.owner = v_new.owner and m.ends_at = v_new.ends_at limit 1 for update;
    if found then
      if v_incident.id <> all (v_same.incident_ids) then
        update public.mutes m set incident_ids = m.incident_ids || v_incident.id,
          fingerprints = case when v_incident.fingerprint = any (m.fingerprints) then m.fingerprints else m.fingerprints || v_incident.fingerprint end
        where m.id = v_same.id returning * into v_same;
        insert into public.incident_events (incident_id, at, kind, detail)
        values (v_incident.id, v_new.starts_at, 'muted', jsonb_build_object('by', v_new.owner, 'reason', v_new.reason, 'until', v_new.ends_at));
      end if;
      return jsonb_build_object('state', 'stored', 'mute', public.mute_json(v_same));
    end if;
  end if;
  if (select count(*) from public.mutes m where m.ends_at > v_new.starts_at and m.id is distinct from v_new.id) >= (p ->> 'limit')::integer then
    return '{"state": "too_many"}';
  end if;
  insert into public.mutes (id, incident_id, incident_ids, fingerprints, domain, matchers, reason, owner, starts_at, ends_at)
  values (coalesce(v_new.id, gen_random_uuid()), v_new.incident_id, coalesce(v_new.incident_ids, '{}'), coalesce(v_new.fingerprints, '{}'), v_new.domain, v_new.matchers, v_new.reason, v_new.owner,
    v_new.starts_at, v_new.ends_at)
  on conflict (id) do update set matchers = excluded.matchers, reason = excluded.reason, owner = excluded.owner, ends_at = excluded.ends_at,
    starts_at = excluded.starts_at
  returning * into v_new;
  -- Its message shows who expects it.
  insert into public.incident_events (incident_id, at, kind, detail)
  select v_new.incident_id, v_new.starts_at, 'muted', jsonb_build_object('by', v_new.owner, 'reason', v_new.reason, 'until', v_new.ends_at)
  where v_new.incident_id is not null;
  return jsonb_build_object('state', 'stored', 'mute', public.mute_json(v_new));
end $$;
comment on function public.add_mute(jsonb) is
  'Stores a mute: {limit, mute: {id?, incident_id, domain, matchers, reason, owner, starts_at, ends_at}}. With an incident, its failure and domain are muted, and its timeline shows it; of equal mutes, one is stored with all their failures, and one with an id replaces that of the same id. Returns {state, mute}: stored; no_incident; or too_many if limit others have not ended. Called by mutes.ts.';

create function public.end_mute(p_id uuid, p_now timestamptz, p_by text) returns boolean
language plpgsql set search_path = '' as $$
declare
  v_incidents uuid[];
begin
  update public.mutes m set ends_at = p_now where m.id = p_id and m.ends_at > p_now returning m.incident_ids into v_incidents;
  if not found then
    return false;
  end if;
  insert into public.incident_events (incident_id, at, kind, detail)
  select i.id, p_now, 'mute_ended', jsonb_build_object('by', p_by) from public.incidents i where i.id = any (v_incidents) order by i.id;
  return true;
end $$;
comment on function public.end_mute(uuid, timestamptz, text) is 'Ends a mute now, also on the timelines that show it; false if there is none or it has ended. Called by mutes.ts.';

insert into public.restricted_functions (name) values ('list_mutes'), ('add_mute'), ('end_mute');

call public.restrict_to_service_role();
