-- Notification targets, the messages that they got, and the incidents whose events are not announced yet.
--
-- An event of an incident adds the incident to the outbox, in the transaction of the event. A worker chooses the targets and
-- makes a message due. A worker that claims a due message sends it in its present state: repeats coalesce, and of one message
-- nothing overtakes.

create table public.notification_targets (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  kind text not null,
  options jsonb not null default '{}',
  credential text,
  domains text[] not null default '{}',
  matchers text[] not null default '{}',
  min_severity text not null,
  outcomes text[] not null,
  events text[] not null,
  window_minutes integer not null check (window_minutes > 0),
  per_minute integer not null check (per_minute > 0),
  handover text,
  handover_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  minute_from timestamptz,
  posted integer not null default 0,
  followed_up integer not null default 0,
  paused_until timestamptz,
  check ((handover is null) = (handover_at is null))
);
comment on table public.notification_targets is 'Places where people read of incidents.';
comment on column public.notification_targets.name is 'The name.';
comment on column public.notification_targets.kind is 'The system; the service defines the kinds.';
comment on column public.notification_targets.options is 'What a target of this kind needs, such as a channel or an address. None is secret.';
comment on column public.notification_targets.credential is 'Name of the setting of the service that holds its credential; null without one. The credential itself is never stored.';
comment on column public.notification_targets.domains is 'Domains whose incidents it gets. Empty: all.';
comment on column public.notification_targets.matchers is 'Label matchers as text; an incident must match all of them.';
comment on column public.notification_targets.min_severity is 'The least severity.';
comment on column public.notification_targets.outcomes is 'Outcomes of the answer.';
comment on column public.notification_targets.events is 'Events that it gets.';
comment on column public.notification_targets.window_minutes is 'Minutes after the start of a message in which further incidents of the same failure edit it.';
comment on column public.notification_targets.per_minute is 'First messages in a minute, and follow-ups in a minute.';
comment on column public.notification_targets.handover is 'When it gets a handover: daily or a day of the week, and a time in UTC; null for none.';
comment on column public.notification_targets.handover_at is 'The time of its next handover.';
comment on column public.notification_targets.created_at is 'When it was first stored.';
comment on column public.notification_targets.updated_at is 'When its definition was last stored.';
comment on column public.notification_targets.minute_from is 'Start of the present minute of its rate limit; null before the first message.';
comment on column public.notification_targets.posted is 'First messages claimed in this minute.';
comment on column public.notification_targets.followed_up is 'Follow-ups claimed in this minute.';
comment on column public.notification_targets.paused_until is 'Until when nothing is sent, because it did not answer or asked to wait; null otherwise.';
-- A restricted caller has the targets that are limited to its domains.
create policy restricted on public.notification_targets for all to dejavu_restricted
  using (cardinality(domains) > 0 and domains <@ (select public.restricted_domains())::text[]);

create table public.notification_outbox (
  incident_id uuid primary key references public.incidents (id) on delete cascade,
  version bigint not null default 1,
  changed_at timestamptz not null,
  claimed_until timestamptz
);
comment on table public.notification_outbox is 'Incidents with events for which no target was chosen yet.';
comment on column public.notification_outbox.incident_id is 'The incident.';
comment on column public.notification_outbox.version is 'Increases with each event: a row that changed while a worker chose stays.';
comment on column public.notification_outbox.changed_at is 'The last event.';
comment on column public.notification_outbox.claimed_until is 'Until when one worker holds it; null if unclaimed.';
create policy restricted on public.notification_outbox for select to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id));
create index notification_outbox_by_change on public.notification_outbox (changed_at, incident_id);

create table public.notification_messages (
  id uuid primary key default gen_random_uuid(),
  target text not null references public.notification_targets (name) on delete cascade,
  subject uuid not null,
  incident_id uuid references public.incidents (id) on delete cascade,
  opened_at timestamptz not null,
  severity text not null,
  summary jsonb,
  reference text,
  shown_state jsonb,
  revision integer not null default 0,
  version bigint not null default 1,
  delivered_at timestamptz,
  summary_id uuid references public.notification_messages (id) on delete cascade,
  succeeded_by uuid references public.incidents (id) on delete set null,
  pending_since timestamptz,
  due_at timestamptz,
  attempts integer not null default 0,
  claimed_until timestamptz,
  last_error text,
  given_up_at timestamptz,
  -- Claims the message of a failure before anything is sent.
  constraint notification_messages_of_subject unique (target, subject),
  check ((incident_id is null) = (summary is not null)),
  check ((pending_since is null) = (due_at is null))
);
comment on table public.notification_messages is 'One message of a target about one failure, with its delivery; and summaries of many.';
comment on column public.notification_messages.id is 'Identifies the message at the target, too. A later message about the same failure has another one.';
comment on column public.notification_messages.target is 'The target.';
comment on column public.notification_messages.subject is 'The record of the failure, or the incident where there is none or the target keeps a message an incident. Random for a summary, and once a later message has it.';
comment on column public.notification_messages.incident_id is 'The latest incident of it; null for a summary.';
comment on column public.notification_messages.opened_at is 'When the incident that started the message was reported; for a summary, when it was made.';
comment on column public.notification_messages.severity is 'The severity: the worst are sent first.';
comment on column public.notification_messages.summary is 'Empty for a summary of others; the start of the period of a handover; null for other messages.';
comment on column public.notification_messages.reference is 'How the target names the message; null before it is delivered.';
comment on column public.notification_messages.shown_state is 'The state of the failure that the message shows, or whether a summary says that all have ended; null before it is delivered.';
comment on column public.notification_messages.revision is 'Number of deliveries.';
comment on column public.notification_messages.version is 'Increases with each event: a message that changed while it was sent stays due.';
comment on column public.notification_messages.delivered_at is 'When it was last delivered.';
comment on column public.notification_messages.summary_id is 'The summary that took its place; null if none did.';
comment on column public.notification_messages.succeeded_by is 'The incident that started the later message about the same failure; null for the latest message.';
comment on column public.notification_messages.pending_since is 'Since when something is to be delivered; null if nothing is.';
comment on column public.notification_messages.due_at is 'Earliest next attempt; null if nothing is to be delivered.';
comment on column public.notification_messages.attempts is 'Attempts since the last delivery.';
comment on column public.notification_messages.claimed_until is 'Until when one worker holds it, so that two never send it at once; null if unclaimed.';
comment on column public.notification_messages.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.notification_messages.given_up_at is 'When it was given up; null otherwise.';
-- What a restricted caller deletes with a target.
create policy restricted on public.notification_messages for all to dejavu_restricted
  using (exists (select 1 from public.notification_targets t where t.name = target));
create index notification_messages_due on public.notification_messages (due_at, target) where due_at is not null;
create index notification_messages_of_incident on public.notification_messages (incident_id);
create index notification_messages_succeeded on public.notification_messages (succeeded_by) where succeeded_by is not null;
create index notification_messages_summarised on public.notification_messages (summary_id) where summary_id is not null;
create index notification_summaries on public.notification_messages (target, delivered_at) where summary is not null;
create index notification_messages_by_time on public.notification_messages (opened_at);

create table public.message_incidents (
  target text not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  message_id uuid not null references public.notification_messages (id) on delete cascade,
  primary key (target, incident_id)
);
comment on table public.message_incidents is 'What a message is about: the incidents of its failure that its target serves. An incident has one message of a target.';
comment on column public.message_incidents.target is 'The target of the message.';
comment on column public.message_incidents.incident_id is 'The incident.';
comment on column public.message_incidents.message_id is 'The message.';
create policy restricted on public.message_incidents for all to dejavu_restricted
  using (exists (select 1 from public.notification_messages m where m.id = message_id));
create index message_incidents_of_message on public.message_incidents (message_id);
create index message_incidents_of_incident on public.message_incidents (incident_id);

alter table public.muted_incidents add foreign key (target) references public.notification_targets (name) on delete cascade;

-- Targets.

create function public.notification_target_json(t public.notification_targets) returns jsonb
language sql immutable set search_path = '' as $$
  select to_jsonb(t) - '{handover_at,minute_from,posted,followed_up,paused_until}'::text[];
$$;
comment on function public.notification_target_json(public.notification_targets) is 'The definition of a target. Called by list_notification_targets, put_notification_target, claim_notification_outbox and claim_notifications.';

create function public.list_notification_targets() returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(public.notification_target_json(t) || jsonb_build_object(
      'pending', (select count(*) from public.notification_messages m where m.target = t.name and m.due_at is not null),
      'last_error', (select m.last_error from public.notification_messages m
        where m.target = t.name and m.last_error is not null order by coalesce(m.given_up_at, m.due_at) desc limit 1))
    order by t.name), '[]')
  from public.notification_targets t;
$$;
comment on function public.list_notification_targets() is
  'All notification targets by name, each with its number of pending messages and the error of the last one that failed. Called by target-records.ts.';

create function public.put_notification_target(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_new public.notification_targets := jsonb_populate_record(null::public.notification_targets, p -> 'target');
  v_stored public.notification_targets;
  v_exists boolean := exists (select from public.notification_targets t where t.name = p #>> '{target,name}');
begin
  if not v_exists and (select count(*) from public.notification_targets) >= (p ->> 'limit')::integer then
    return '{"state": "too_many"}';
  end if;
  insert into public.notification_targets as t (name, kind, options, credential, domains, matchers, min_severity, outcomes, events,
    window_minutes, per_minute, handover, handover_at, created_at, updated_at)
  values (v_new.name, v_new.kind, v_new.options, v_new.credential, v_new.domains, v_new.matchers, v_new.min_severity,
    v_new.outcomes, v_new.events, v_new.window_minutes, v_new.per_minute, v_new.handover, v_new.handover_at, v_now, v_now)
  on conflict (name) do update
  set kind = excluded.kind, options = excluded.options, credential = excluded.credential, domains = excluded.domains,
    matchers = excluded.matchers, min_severity = excluded.min_severity, outcomes = excluded.outcomes, events = excluded.events,
    window_minutes = excluded.window_minutes, per_minute = excluded.per_minute, handover = excluded.handover,
    -- One that is due is still to come.
    handover_at = case when t.handover = excluded.handover then t.handover_at else excluded.handover_at end, updated_at = excluded.updated_at, paused_until = null
  returning * into v_stored;
  if v_exists and (p ->> 'is_moved')::boolean then
    -- Another place does not have the messages of the former one.
    delete from public.notification_messages m
    where m.target = v_new.name and (m.reference is not null or (m.due_at is null and m.summary_id is null));
    -- What waits is for the new place. A delivery to the former one that is under way is not recorded.
    update public.notification_messages m set due_at = v_now, attempts = 0, claimed_until = null, last_error = null
    where m.target = v_new.name and m.due_at is not null;
  end if;
  return jsonb_build_object('state', 'stored', 'created', not v_exists, 'target', public.notification_target_json(v_stored));
end $$;
comment on function public.put_notification_target(jsonb) is
  'Stores a notification target: {now, limit, target: a row without times, is_moved}. is_moved: the target is another place, so its delivered messages are deleted, and those that wait are due at once. Returns {state, created, target}: stored; or too_many if there are already limit others. Called by target-records.ts.';

create function public.delete_notification_target(p_name text) returns boolean
language plpgsql set search_path = '' as $$
begin
  delete from public.notification_targets t where t.name = p_name;
  return found;
end $$;
comment on function public.delete_notification_target(text) is 'Deletes a notification target and what is known of its messages; false if there is none. Called by target-records.ts.';

-- From an event to a due message.

create function public.message_subject(i public.incidents) returns uuid
language sql immutable set search_path = '' as $$
  select case when i.split_from is null then coalesce(i.observation_id, i.id) else i.id end;
$$;
comment on function public.message_subject(public.incidents) is
  'What the message about an incident is about: the record of its failure; the incident itself without one, and if a person split it off. Called by claim_notification_outbox and move_messages.';

-- The rights of the owner: a restricted caller does not see targets that are not limited to its domains.
create function public.enqueue_notifications() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.notification_targets) then
    insert into public.notification_outbox as o (incident_id, changed_at)
    select n.incident_id, max(n.at) from new_rows n where n.kind not in ('notification_failed', 'reported', 'commented')
      and (n.kind <> 'fix_checked' or (n.detail ->> 'held')::boolean is false)
      and not exists (select from public.incidents i where i.id = n.incident_id and i.imported is not null)
    group by n.incident_id order by n.incident_id
    on conflict (incident_id) do update set version = o.version + 1, changed_at = excluded.changed_at, claimed_until = null;
  end if;
  return null;
end $$;
comment on function public.enqueue_notifications() is 'Adds incidents with new events to the outbox, if there is a target; imported ones never. Trigger of incident_events.';
create trigger enqueue_notifications after insert on public.incident_events
  referencing new table as new_rows for each statement execute function public.enqueue_notifications();

create function public.came_back(p_record uuid, p_since timestamptz) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('fix', t.text, 'helped_at', t.at, 'at', t.came_back_at)
  from public.helped_tries() t
  where t.observation_id = p_record and t.came_back_at >= p_since
  order by t.came_back_at desc, t.at desc limit 1;
$$;
comment on function public.came_back(uuid, timestamptz) is
  'The last fix of a failure that did not hold: the failure came back after p_since, {fix, helped_at, at}; null if none. Called by claim_notification_outbox and failure_state.';

create function public.release_ended_mutes(p_now timestamptz) returns void
language sql set search_path = '' as $$
  with released as (
    update public.muted_incidents i set released_at = p_now
    from public.mutes m where m.id = i.mute_id and m.ends_at <= p_now and i.released_at is null
    returning i.incident_id
  )
  insert into public.notification_outbox as o (incident_id, changed_at)
  select distinct i.id, p_now from released r join public.incidents i on i.id = r.incident_id
  -- What has ended meanwhile only changes a message that is there.
  where exists (select from public.notification_targets)
    and (i.status <> 'resolved' or exists (select from public.notification_messages m where m.incident_id = i.id))
  order by i.id
  on conflict (incident_id) do update set version = o.version + 1, changed_at = excluded.changed_at, claimed_until = null;
$$;
comment on function public.release_ended_mutes(timestamptz) is
  'Adds the incidents of ended mutes to the outbox, so that those that are still open are announced. Called by claim_notification_outbox.';

create function public.add_handovers(p_now timestamptz) returns void
language sql set search_path = '' as $$
  with due as (
    select t.name, case when t.handover like 'daily %' then interval '24 hours' else interval '168 hours' end as period
    from public.notification_targets t where t.handover_at <= p_now for update
  ), moved as (
    -- One handover after an outage of several.
    update public.notification_targets t
    set handover_at = t.handover_at + d.period * (1 + floor(extract(epoch from p_now - t.handover_at) / extract(epoch from d.period)))
    from due d where d.name = t.name returning t.name, d.period
  )
  insert into public.notification_messages (target, subject, opened_at, severity, pending_since, due_at, summary)
  select m.name, gen_random_uuid(), p_now, 'info', p_now, p_now,
    jsonb_build_object('handover_since', p_now - m.period) from moved m;
$$;
comment on function public.add_handovers(timestamptz) is
  'Makes a message with a handover due for each target whose time has come, once for each time. Called by claim_notification_outbox.';

create function public.claim_notification_outbox(p_now timestamptz, p_limit integer, p_lease_seconds integer) returns jsonb
language sql set search_path = '' as $$
  select public.release_ended_mutes(p_now);
  select public.add_handovers(p_now);
  with due as (
    select o.incident_id from public.notification_outbox o where o.claimed_until is null or o.claimed_until <= p_now
    order by o.changed_at, o.incident_id limit p_limit for update skip locked
  ), claimed as (
    update public.notification_outbox o set claimed_until = p_now + p_lease_seconds * interval '1 second'
    from due where o.incident_id = due.incident_id returning o.*
  )
  select jsonb_build_object(
    'is_due', exists (select from public.notification_messages m where m.due_at <= p_now),
    'targets', case when exists (select from claimed) then (select coalesce(jsonb_agg(public.notification_target_json(t) order by t.name), '[]')
      from public.notification_targets t) else '[]' end,
    'mutes', case when exists (select from claimed) then (select coalesce(jsonb_agg(to_jsonb(m) order by m.ends_at, m.id), '[]')
      from public.mutes m where m.ends_at > p_now) else '[]' end,
    'incidents', (select coalesce(jsonb_agg(jsonb_build_object(
        'incident_id', i.id, 'version', c.version, 'record', public.message_subject(i), 'opened_at', i.created_at,
        'domain', i.domain, 'fingerprint', i.fingerprint, 'severity', i.severity, 'status', i.status, 'outcome', t.outcome,
        'labels', case when i.target is null then i.labels else jsonb_build_object('target', i.target) || i.labels end,
        -- Who asks a question gets its answer; nobody acts on an evaluation; a merged one is part of another.
        'is_announced', (i.question is null or i.submitted_via = 'queue') and t.is_evaluation is not true
          and i.merged_into is null,
        'sources', array(select distinct a.source from public.alerts a where a.incident_id = i.id),
        'is_repeat', exists (select from public.incidents e
          where e.observation_id = i.observation_id and e.created_at < i.created_at and e.id <> i.id),
        'came_back', public.came_back(i.observation_id, i.created_at) is not null
      ) order by c.changed_at, i.id), '[]')
      from claimed c join public.incidents i on i.id = c.incident_id
      left join lateral (select r.outcome, r.is_evaluation from public.triages r where r.incident_id = i.id
        order by r.created_at desc limit 1) t on true));
$$;

comment on function public.claim_notification_outbox(timestamptz, integer, integer) is
  'Claims incidents with events for p_lease_seconds: {is_due: whether a message is due, targets, mutes, incidents: [{incident_id, version, record, opened_at, domain, fingerprint, severity, status, outcome, labels, is_announced, sources, is_repeat, came_back}]}, see came_back. Called by deliver.ts.';

create function public.announce_incidents(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_now constant timestamptz := (p ->> 'now')::timestamptz;
begin
  -- After the window, a further incident gets a message of its own. The former one names it.
  update public.notification_messages m
  set subject = gen_random_uuid(), succeeded_by = n.incident_id, version = m.version + 1, attempts = 0, last_error = null,
    pending_since = case when m.reference is not null then v_now end, due_at = case when m.reference is not null then v_now end
  from jsonb_to_recordset(p -> 'messages') as n (target text, subject uuid, incident_id uuid, opened_at timestamptz, opens boolean)
  join public.notification_targets t on t.name = n.target
  where m.target = n.target and m.subject = n.subject and n.opens and m.incident_id <> n.incident_id
    and n.opened_at >= m.opened_at + t.window_minutes * interval '1 minute';
  -- Two workers with the same messages lock them in the same order.
  insert into public.notification_messages as m (target, subject, incident_id, opened_at, severity, pending_since, due_at)
  select n.target, n.subject, i.id, n.opened_at, n.severity, v_now, v_now
  from jsonb_to_recordset(p -> 'messages') as n (target text, subject uuid, incident_id uuid, opened_at timestamptz, severity text, opens boolean)
  join public.incidents i on i.id = n.incident_id
  join public.notification_targets t on t.name = n.target
  where n.opens
  order by n.target, n.subject
  on conflict (target, subject) do nothing;
  insert into public.message_incidents (target, incident_id, message_id)
  select m.target, i.id, m.id
  from jsonb_to_recordset(p -> 'members') as n (target text, subject uuid, incident_id uuid)
  -- Without the few targets, the planner expects so many messages that it reads the whole table.
  join public.notification_targets t on t.name = n.target
  join public.notification_messages m on m.target = t.name and m.subject = n.subject
  join public.incidents i on i.id = n.incident_id
  order by m.target, i.id
  on conflict do nothing;
  with joined as (
    update public.notification_messages m
    set incident_id = case when n.joins and n.opened_at > i.created_at then n.incident_id else m.incident_id end, severity = n.severity,
      version = m.version + 1, attempts = case when m.due_at is null then 0 else m.attempts end, given_up_at = null,
      pending_since = case when m.summary_id is null then coalesce(m.pending_since, v_now) end,
      due_at = case when m.summary_id is not null then null
        -- A failed attempt keeps its pause.
        when m.attempts > 0 and m.due_at is not null then m.due_at
        -- Repeats are at most one follow-up a minute. An end, a return, and who has it are news.
        when m.revision < 2 or (e.status = 'resolved') is distinct from (m.shown_state ->> 'is_resolved')::boolean or i.acknowledged_at > m.delivered_at
          or exists (select from public.mutes u where u.incident_id = m.incident_id and u.starts_at > m.delivered_at) then v_now
        else coalesce(m.due_at, greatest(v_now, m.delivered_at + interval '1 minute')) end
    from jsonb_to_recordset(p -> 'messages') as n (target text, subject uuid, incident_id uuid, opened_at timestamptz, severity text, joins boolean)
    -- As above.
    join public.notification_targets t on t.name = n.target join public.incidents e on e.id = n.incident_id, public.incidents i
    where m.target = n.target and m.subject = n.subject and i.id = m.incident_id
      -- Its domain may have been corrected since.
      and (n.joins or n.incident_id in (select x.incident_id from public.message_incidents x where x.message_id = m.id))
      -- The message that this call has opened is due already.
      and (m.pending_since, m.due_at, m.incident_id, m.claimed_until) is distinct from (v_now, v_now, n.incident_id, null)
    returning m.summary_id
  )
  -- A summary shows how many of its incidents are open, until none is.
  update public.notification_messages s
  set version = s.version + 1, pending_since = coalesce(s.pending_since, v_now),
    due_at = coalesce(s.due_at, greatest(v_now, s.delivered_at + interval '1 minute'))
  where s.id in (select j.summary_id from joined j) and (s.reference is not null or s.due_at is not null);
  insert into public.muted_incidents as k (incident_id, target, mute_id, is_counted, at)
  select i.id, t.name, m.id, n.is_counted, v_now
  from jsonb_to_recordset(p -> 'muted') as n (incident_id uuid, target text, mute_id uuid, is_counted boolean)
  join public.incidents i on i.id = n.incident_id join public.mutes m on m.id = n.mute_id
  join public.notification_targets t on t.name = n.target
  order by i.id, t.name
  on conflict (incident_id, target) do update set mute_id = excluded.mute_id, is_counted = k.is_counted or excluded.is_counted,
    at = excluded.at, released_at = null, shown_in = case when k.mute_id = excluded.mute_id then k.shown_in end;
  delete from public.notification_outbox o
  using jsonb_to_recordset(p -> 'incidents') as d (incident_id uuid, version bigint)
  where o.incident_id = d.incident_id and o.version = d.version;
end $$;
comment on function public.announce_incidents(jsonb) is
  'Makes messages due: {now, incidents: [{incident_id, version}], messages: [{target, subject, incident_id, opened_at, severity, joins, opens}], members: [{target, subject, incident_id}], muted: [{incident_id, target, mute_id, is_counted}]}. A message that does not exist is only made if opens is true. Within the window of its target, an incident with joins joins the message of its subject, or the summary that has taken its place. members are all such incidents. After it, the former message is due once more, to name the later one. The incidents leave the outbox unless they have changed. Called by deliver.ts.';

-- From a due message to its delivery.

create function public.failure_state(p_incident uuid, p_message uuid, p_since timestamptz, p_succeeded_by uuid) returns jsonb
language sql stable set search_path = '' as $$
  with found as (
    select l.id from public.incidents l where l.id = p_incident
    union
    select e.id from public.incidents l
    join public.message_incidents x on x.message_id = p_message
    join public.incidents e on e.id = x.incident_id and e.observation_id = l.observation_id
    where l.id = p_incident and e.merged_into is null and e.split_from is null and l.merged_into is null and l.split_from is null
  ), reports as materialized (
    select i.*, i.status <> 'resolved' and (i.id = p_incident
        or exists (select from public.alerts a where a.incident_id = i.id and a.status = 'firing')) as is_open,
      (select m.id from public.muted_incidents k join public.mutes m on m.id = k.mute_id
        where k.incident_id = i.id and k.released_at is null order by m.ends_at desc, m.id limit 1) as mute_id
    from found f join public.incidents i on i.id = f.id
  ), latest as materialized (
    select r.* from reports r
    -- Once none is open, the one whose fix is recorded.
    order by r.is_open desc, r.mute_id is null desc, r.status = 'resolved' and r.resolution is not null desc, r.id = p_incident desc, r.created_at desc, r.id limit 1
  ), current as materialized (
    -- The open ones; all once none is.
    select r.* from reports r where r.is_open or not (select l.is_open from latest l)
  ), counted as materialized (
    -- What is muted counts only in a message of which all is.
    select r.* from reports r where r.mute_id is null or (select l.mute_id from latest l) is not null
  ), firing as materialized (
    select a.* from public.alerts a join counted c on c.id = a.incident_id
  ), occurrences as materialized (
    -- It fires again once all of it had ended: its alert, or its incident.
    select s.starts_at, (s.starts_at >= max(coalesce(s.ends_at, 'infinity')) over (
      order by s.starts_at, s.ends_at rows between unbounded preceding and 1 preceding)) is not false as is_new
    from (
      select coalesce(f.starts_at, c.created_at) as starts_at, least(f.ends_at, c.resolved_at,
        lead(f.starts_at) over (partition by f.source, f.fingerprint order by f.starts_at)) as ends_at
      from counted c left join firing f on f.incident_id = c.id) s
  )
  select jsonb_build_object(
    'incident', (select jsonb_build_object('id', i.id, 'title', n.title, 'is_titled', 'title' = any (i.edited), 'severity', i.severity, 'status', i.status,
        'domain', i.domain, 'target', case when n.title = i.title then i.target end, 'owner', i.owner, 'created_at', i.created_at,
        -- The fix may be recorded long after all alerts have ended.
        'resolved_at', case when i.resolved_at is not null then greatest(i.created_at, least(i.resolved_at,
          (select max(a.ends_at) from public.alerts a where a.incident_id = i.id having bool_and(a.status = 'resolved')))) end,
        'resolved_by', i.resolved_by, 'resolution', i.resolution,
        'merged_into', (select jsonb_build_object('id', o.id, 'title', o.title) from public.incidents o where o.id = i.merged_into))
      from latest i cross join lateral (select case when 'title' = any (i.edited) or (select count(*) from reports) = 1 then i.title
        -- Others that join do not change what the message is about.
        else coalesce(public.group_title(array(select r.id from reports r)), (select r.title from reports r order by r.created_at, r.id limit 1)) end as title) n),
    'triage', (select t.result from latest l join public.triages t on t.incident_id = l.id order by t.created_at desc limit 1),
    'incidents', (select count(*) from reports),
    'times', (select count(*) from occurrences o where o.is_new),
    'first_at', (select min(o.starts_at) from occurrences o),
    'since', (select max(o.starts_at) from occurrences o where o.is_new),
    'last_at', (select coalesce(max(f.last_received_at), (select max(c.created_at) from counted c)) from firing f),
    'reports', (select coalesce(sum(n.times), 0) from (
      select coalesce(max(f.times), 1) as times from counted c left join firing f on f.incident_id = c.id group by c.id) n),
    'services', (select count(distinct f.target) from firing f),
    'place', coalesce(public.place_of(array(select c.id from counted c), true),
      -- The title names all that the incidents share.
      (select min(f.target) from firing f where f.status = 'firing' and (select count(*) from reports) > 1)),
    -- Who has one of the open incidents has the failure.
    'acknowledged', (select jsonb_build_object('by', r.acknowledged_by, 'at', r.acknowledged_at)
      from reports r where r.acknowledged_at is not null and r.status <> 'resolved' order by r.acknowledged_at desc limit 1),
    'mute', (select jsonb_build_object('reason', m.reason, 'owner', m.owner, 'ends_at', m.ends_at,
        'muted', (select count(c.mute_id) from current c), 'open', (select count(*) from current))
      from current c join public.mutes m on m.id = c.mute_id order by m.ends_at desc, m.id limit 1),
    'came_back', (select public.came_back(l.observation_id, p_since) from latest l),
    'succeeded_by', (select jsonb_build_object('id', s.id, 'created_at', s.created_at) from public.incidents s where s.id = p_succeeded_by),
    'tickets', (select coalesce(jsonb_agg(s.ticket), '[]') from (
      select distinct on (f.source) jsonb_build_object('source', f.source, 'fingerprint', f.fingerprint, 'labels', f.labels) as ticket
      from latest l join public.alerts f on f.incident_id = l.id order by f.source, f.id) s));
$$;
comment on function public.failure_state(uuid, uuid, timestamptz, uuid) is
  'What the message p_message shows of its failure since p_since, see message_incidents: the incident, an open one if there is one, with its latest answer and the title that all share; number of incidents; times that it fired, and since when the last time; reports of it; number of targets; place of those that fire, see place_of; acknowledged {by, at}, null if nobody has it; mute {reason, owner, ends_at, muted, open: of how many open ones}, null if all are announced; came_back, see there; succeeded_by {id, created_at}; the first alert of each source. Called by claim_notifications and notification_sample.';

create function public.notification_sample(p_incident uuid) returns jsonb
language sql stable set search_path = '' as $$
  select public.failure_state(i.id, null, i.created_at, null) from public.incidents i where i.id = p_incident;
$$;
comment on function public.notification_sample(uuid) is 'As failure_state for one incident; null if there is none. Called by try-target.ts.';

create function public.severity_rank(p_severity text) returns integer
language sql immutable set search_path = '' as $$
  select coalesce(array_position('{critical,high,medium,low,info}'::text[], p_severity), 9);
$$;
comment on function public.severity_rank(text) is 'The place of a severity, 1 for the worst. Called by summarise_messages, summary_state and claim_notifications.';

create function public.summarise_messages(p_target public.notification_targets, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_beyond constant uuid[] := array(select m.id from public.notification_messages m
    where m.target = p_target.name and m.due_at is not null and m.reference is null and m.summary is null
      -- What was refused did not arrive.
      and (m.attempts = 0 and m.due_at <= p_now or m.last_error like 'refused:%' and (m.claimed_until is null or m.claimed_until <= p_now))
    order by public.severity_rank(m.severity), m.pending_since, m.id offset p_target.per_minute);
  v_summary uuid;
begin
  if cardinality(v_beyond) > 0 then
    -- The last one counts them, too, if it surely did not arrive. It grows for an hour.
    select m.id into v_summary from public.notification_messages m
    where m.target = p_target.name and m.summary = '{}' and m.reference is null and m.pending_since > p_now - interval '1 hour'
      and (m.attempts = 0 or m.last_error like 'refused:%') and (m.claimed_until is null or m.claimed_until <= p_now)
    order by m.pending_since desc limit 1;
  end if;
  if cardinality(v_beyond) > 0 and v_summary is null then
    insert into public.notification_messages (target, subject, opened_at, severity, pending_since, due_at, summary)
    values (p_target.name, gen_random_uuid(), p_now, 'info', p_now, p_now, '{}') returning id into v_summary;
  end if;
  update public.notification_messages m set summary_id = v_summary, pending_since = null, due_at = null, attempts = 0, last_error = null
  where m.id = any (v_beyond);
  update public.muted_incidents k set shown_in = v_summary where k.shown_in = any (v_beyond);
end $$;
comment on function public.summarise_messages(public.notification_targets, timestamptz) is
  'Replaces the due first messages of a target beyond its limit, and those that it refused, by one summary, which also counts what mutes kept; the worst stay. Called by claim_notifications.';

create function public.summary_state(p_summary uuid) returns jsonb
language sql stable set search_path = '' as $$
  with summarised as materialized (
    select i.id, i.title, i.severity, i.created_at, i.status <> 'resolved' as is_open,
      coalesce((select min(a.alertname) from public.alerts a where a.incident_id = i.id), i.title) as failure
    from public.notification_messages m join public.incidents i on i.id = m.incident_id where m.summary_id = p_summary
  ), failures as materialized (
    select (array_agg(s.id order by public.severity_rank(s.severity), s.created_at, s.id))[1:100] as ids, count(*) as incidents,
      (array_agg(s.severity order by public.severity_rank(s.severity)))[1] as severity, min(s.title) as title
    from summarised s group by s.failure
  )
  select jsonb_build_object('total', (select count(*) from summarised), 'open', (select count(*) from summarised s where s.is_open),
    'failures', (select count(*) from failures),
    'by_severity', (select coalesce(jsonb_object_agg(c.severity, c.number), '{}') from (
      select s.severity, count(*) as number from summarised s group by s.severity) c),
    'worst', (select coalesce(jsonb_agg(jsonb_build_object('incident_id', f.ids[1], 'severity', f.severity, 'incidents', f.incidents,
        'title', case when f.incidents = 1 then f.title else coalesce(public.group_title(f.ids), f.title) end,
        -- The title of a group names its services.
        'target', (select i.target from public.incidents i where i.id = f.ids[1] and f.incidents = 1
          and (select count(distinct a.target) from public.alerts a where a.incident_id = i.id) < 2))
        order by public.severity_rank(f.severity), f.incidents desc, f.ids[1]), '[]')
      from (select o.* from failures o order by public.severity_rank(o.severity), o.incidents desc, o.ids[1] limit 10) f));
$$;
comment on function public.summary_state(uuid) is
  'What a summary shows: {total incidents, open: those that are, failures: their number, by_severity, worst: a row for each of the ten worst failures, with its number of incidents}. Called by claim_notifications.';

create function public.claim_notifications(p_now timestamptz, p_limit integer, p_lease_seconds integer, p_ticket_kinds text[]) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_target public.notification_targets;
  v_ids uuid[];
  v_claimed uuid[] := '{}';
begin
  for v_target in select t.* from public.notification_targets t
    where (t.paused_until is null or t.paused_until <= p_now) and exists (select from public.notification_messages m
      where m.target = t.name and m.due_at <= p_now and (m.claimed_until is null or m.claimed_until <= p_now))
    order by t.name for update skip locked
  loop
    if v_target.minute_from is null or p_now not between v_target.minute_from and v_target.minute_from + interval '59.999 seconds' then
      v_target.minute_from := p_now;
      v_target.posted := 0;
      v_target.followed_up := 0;
    end if;
    -- Once a minute, before its first message. A ticket is about one incident, so a summary has no ticket to go to.
    if v_target.posted = 0 and v_target.kind <> all (p_ticket_kinds) then
      perform public.summarise_messages(v_target, p_now);
    end if;
    -- A failure has one message, and a claim holds it until the end: nothing of it is sent out of order. The limit may have been
    -- lowered below what this minute has.
    with due as (
      select m.* from public.notification_messages m
      where m.target = v_target.name and m.due_at <= p_now and (m.claimed_until is null or m.claimed_until <= p_now)
    ), chosen as (
      (select d.id from due d where d.reference is null and d.summary is null
        order by public.severity_rank(d.severity), d.pending_since, d.id limit greatest(0, least(p_limit, v_target.per_minute - v_target.posted)))
      union all
      -- One a minute, also after an outage.
      (select d.id from due d where d.summary is not null and d.reference is null
          and not exists (select from public.notification_messages s
            where s.target = v_target.name and s.summary is not null and s.revision = 1 and s.delivered_at >= v_target.minute_from)
        order by d.pending_since limit 1)
      union all
      (select d.id from due d where d.reference is not null
        order by d.due_at, d.id limit greatest(0, least(p_limit, v_target.per_minute - v_target.followed_up)))
    ), claimed as (
      update public.notification_messages m
      set claimed_until = p_now + p_lease_seconds * interval '1 second', attempts = m.attempts + 1
      from chosen c where m.id = c.id returning m.id, m.reference, m.summary
    )
    select array_agg(c.id), v_target.posted + count(*) filter (where c.reference is null and c.summary is null),
      v_target.followed_up + count(*) filter (where c.reference is not null)
    into v_ids, v_target.posted, v_target.followed_up from claimed c;
    update public.notification_targets t
    set minute_from = v_target.minute_from, posted = v_target.posted, followed_up = v_target.followed_up where t.name = v_target.name;
    v_claimed := v_claimed || v_ids;
    -- The next message of the target counts what mutes kept from it: a summary, or the first of several. What is open at the end
    -- of its mute is announced itself.
    update public.muted_incidents k set shown_in = s.id
    from (select m.id from public.notification_messages m
      where m.id = any (v_ids) and m.reference is null and not coalesce(m.summary ? 'handover_since', false)
      order by m.summary is null, public.severity_rank(m.severity), m.pending_since, m.id limit 1) s
    where k.target = v_target.name and k.is_counted and k.shown_in is null
      and (k.released_at is null or exists (select from public.incidents i where i.id = k.incident_id and i.status = 'resolved'));
  end loop;
  return jsonb_build_object(
    'messages', (select coalesce(jsonb_agg(to_jsonb(m) - 'target' || jsonb_build_object('target', public.notification_target_json(t),
        'summary', case when m.summary = '{}' then public.summary_state(m.id) else m.summary end,
        'state', case when m.summary is null then public.failure_state(m.incident_id, m.id, m.opened_at, m.succeeded_by) end,
        'mutes', (select coalesce(jsonb_agg(jsonb_build_object('reason', u.reason, 'owner', u.owner, 'ends_at', u.ends_at, 'muted',
            (select count(*) from public.muted_incidents k where k.mute_id = u.id and k.target = m.target and k.is_counted)) order by u.ends_at, u.id), '[]')
          from public.mutes u where u.id in (select k.mute_id from public.muted_incidents k where k.shown_in = m.id)))
        order by m.summary is not null, public.severity_rank(m.severity), m.pending_since, m.id), '[]')
      from public.notification_messages m join public.notification_targets t on t.name = m.target where m.id = any (v_claimed)),
    'next_at', (select min(greatest(m.due_at, t.paused_until, m.claimed_until,
        case when m.due_at <= p_now then t.minute_from + interval '1 minute' end))
      from public.notification_messages m join public.notification_targets t on t.name = m.target
      where m.due_at is not null and not m.id = any (v_claimed)));
end $$;
comment on function public.claim_notifications(timestamptz, integer, integer, text[]) is
  'Claims due messages for p_lease_seconds, at most p_limit first messages and p_limit follow-ups a target, within its limit a minute: the worst first. In a fresh minute, a summary replaces what exceeds the limit, except at a target of p_ticket_kinds. Returns {messages: [the columns, with the definition of the target, state: see failure_state, and mutes: those that kept incidents from the target since its last message, {reason, owner, ends_at, muted}], next_at: when another may be due, null if none is}. Called by deliver.ts.';

create function public.record_deliveries(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_now constant timestamptz := (p ->> 'now')::timestamptz;
begin
  with results as (
    select * from jsonb_to_recordset(p -> 'results') as r (id uuid, claimed_until timestamptz, version bigint, state text, reference text,
      shown_state jsonb, error text, next_attempt_at timestamptz)
  ), recorded as (
    -- Skip expired claims: another worker may hold the message now.
    update public.notification_messages m
    set claimed_until = null, last_error = r.error,
      attempts = case when r.state in ('delivered', 'unchanged') then 0 when r.state = 'released' then greatest(0, m.attempts - 1) else m.attempts end,
      reference = coalesce(r.reference, m.reference), shown_state = coalesce(r.shown_state, m.shown_state),
      revision = m.revision + (r.state = 'delivered')::integer,
      delivered_at = case r.state when 'delivered' then v_now else m.delivered_at end,
      given_up_at = case r.state when 'given_up' then v_now end,
      pending_since = case when r.state in ('failed', 'released') then m.pending_since when m.version > r.version then v_now end,
      due_at = case when r.state in ('failed', 'released') then coalesce(r.next_attempt_at, m.due_at)
        when m.version > r.version and r.state = 'delivered' and m.revision > 0 then v_now + interval '1 minute'
        when m.version > r.version then v_now end
    -- What is claimed is due: the few due messages have an index.
    from results r where m.id = r.id and m.claimed_until = r.claimed_until and m.due_at is not null
    returning m.id, m.target, r.state, r.error, m.summary is not null as is_summary
  ), marked as (
    insert into public.incident_events (incident_id, at, kind, detail)
    -- Its own, and those that a summary counts.
    select m.incident_id, v_now, 'notification_failed', jsonb_build_object('target', c.target, 'reason', c.error)
    from recorded c join public.notification_messages m on c.id in (m.id, m.summary_id)
    where c.state = 'given_up' and m.incident_id is not null order by m.incident_id
  )
  insert into public.metric_increments (metric, labels, value)
  select 'dejavu_notifications_total', public.metric_label('delivery',
    case when c.is_summary and c.state = 'delivered' then 'summary' else c.state end), count(*)
  from recorded c where c.state not in ('released', 'unchanged') group by 2;
  update public.notification_targets t set paused_until = u.until
  from jsonb_to_recordset(p -> 'pauses') as u (target text, until timestamptz)
  where t.name = u.target;
end $$;
comment on function public.record_deliveries(jsonb) is
  'Records what became of claimed messages: {now, results: [{id, claimed_until, version, state, reference, shown_state, error, next_attempt_at}], pauses: [{target, until}]}. State: delivered; unchanged, if it shows the present state already; failed, to be tried at next_attempt_at; released: not tried; given_up, which the timelines of its incidents show. A message that changed meanwhile is due again. Called by deliver.ts.';

call public.restrict_to_service_role();
