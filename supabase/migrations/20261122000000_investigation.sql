-- Investigations by a language model: how an answer was written, what it cost, and the turns of a session.

alter table public.triages drop constraint triages_mode_check;
alter table public.triages add constraint triages_mode_check check (mode in ('extractive', 'model'));
alter table public.triages drop constraint triages_outcome_check;
alter table public.triages add constraint triages_outcome_check check (outcome in ('cause', 'benign', 'unknown'));
alter table public.triages add column model text;
alter table public.triages add column prompt_version text;
comment on column public.triages.outcome is 'Whether a cause could be named, or the report is no incident at all.';
comment on column public.triages.confidence is 'From 0 to 1: the critic''s score, in extractive mode the grounding score.';
comment on column public.triages.model is 'The model that wrote the answer; null where it quotes.';
comment on column public.triages.prompt_version is 'The prompts that the model was given; null where there was none.';

create table public.model_usage (
  run_id uuid primary key,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  at timestamptz not null,
  calls integer not null check (calls > 0),
  input_tokens bigint not null check (input_tokens >= 0),
  cached_input_tokens bigint not null check (cached_input_tokens >= 0),
  output_tokens bigint not null check (output_tokens >= 0),
  cost_usd double precision check (cost_usd >= 0)
);
create index model_usage_by_time on public.model_usage (at);
create index model_usage_of_incident on public.model_usage (incident_id);
comment on table public.model_usage is 'What the language model was used for one run of an investigation, finished or not.';
comment on column public.model_usage.run_id is 'The run, as in episodes.';
comment on column public.model_usage.incident_id is 'The incident that it was about.';
comment on column public.model_usage.at is 'When the run ended.';
comment on column public.model_usage.calls is 'Requests that were sent, failed ones included.';
comment on column public.model_usage.input_tokens is 'Tokens read, those from the provider''s cache included.';
comment on column public.model_usage.cached_input_tokens is 'The part of them that came from the provider''s cache.';
comment on column public.model_usage.output_tokens is 'Tokens written.';
comment on column public.model_usage.cost_usd is 'By the configured prices; null where none is configured.';
alter table public.model_usage enable row level security;
revoke all on public.model_usage from public, anon, authenticated;
grant select, insert, update, delete on public.model_usage to service_role;

create function public.record_model_usage(p jsonb) returns void
language sql set search_path = '' as $$
  insert into public.model_usage (run_id, incident_id, at, calls, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  select (p ->> 'run_id')::uuid, i.id, (p ->> 'at')::timestamptz, u.calls, u.input_tokens, u.cached_input_tokens,
    u.output_tokens, u.cost_usd
  from jsonb_populate_record(null::public.model_usage, p -> 'usage') u
  join public.incidents i on i.id = (p ->> 'incident_id')::uuid
  where u.calls > 0
  on conflict (run_id) do nothing;
$$;
comment on function public.record_model_usage(jsonb) is
  'Books what a run used, once: {run_id, incident_id, at, usage: {calls, input_tokens, cached_input_tokens, output_tokens, cost_usd}}.';

create function public.session_turns(p_session_id text, p_run_id uuid, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('question', t.query, 'answer', t.final_answer) order by t.started_at, t.run_id), '[]')
  from (
    select e.run_id, e.started_at, e.query, e.final_answer
    from public.episodes e
    where e.session_id = p_session_id and e.run_id <> p_run_id and e.finished_at is not null
      and not e.injection_blocked and e.final_answer <> ''
    order by e.started_at desc, e.run_id desc
    limit p_limit
  ) t;
$$;
comment on function public.session_turns(text, uuid, integer) is
  'The last finished turns of a session, oldest first: [{question, answer}]. What a guardrail refused is none of them.';

create or replace function public.begin_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_known public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_known from public.idempotency_keys k where k.key = v_key for update;
      if not found then
        return jsonb_build_object('state', 'in_progress'); -- it was given back this moment
      elsif v_known.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_known.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_known.triage_id));
      elsif v_known.incident_id <> v_incident and v_known.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.record_incident(p);
  return jsonb_build_object('state', 'started',
    'turns', public.session_turns(p #>> '{episode,session_id}', (p #>> '{episode,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.begin_triage(jsonb) is
  'Opens an investigation: {now, incident, episode, turn_limit, idempotency?: {key, request_hash, lease_seconds}}. Answers started, with the session''s last turns and the tokens that were used today; or for a key that another incident holds replayed (with the first result), in_progress or mismatch; then nothing is stored. May be repeated.';

create or replace function public.abandon_triage(p jsonb) returns void
language plpgsql set search_path = '' as $$
declare
  v_incident uuid := (p ->> 'incident_id')::uuid;
begin
  perform public.finish_episode(p -> 'episode_finish');
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{episode_finish,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  delete from public.idempotency_keys k
  where k.key = p ->> 'idempotency_key' and k.incident_id = v_incident and k.triage_id is null;
  update public.incidents i set status = 'failed' where i.id = v_incident and i.status = 'investigating';
  if found then
    insert into public.incident_events (incident_id, at, kind, detail)
    values (v_incident, (p ->> 'now')::timestamptz, 'failed', jsonb_build_object('reason', p -> 'reason'));
  end if;
end $$;
comment on function public.abandon_triage(jsonb) is
  'Closes a triage that came to nothing, so that its key can be used again: {now, incident_id, reason, idempotency_key?, episode_finish, usage}.';

create or replace function public.finish_triage(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_triage uuid := (p #>> '{triage,id}')::uuid;
  v_status text;
  v_outbox bigint;
begin
  perform public.record_incident(p);
  select i.status into strict v_status from public.incidents i where i.id = v_incident for update;
  if exists (select 1 from public.triages t where t.id = v_triage) then
    return jsonb_build_object('outbox_id', null); -- a repeated call whose first reply was lost
  end if;
  -- Domain and type were told from cues when it was reported; the investigation may know better.
  update public.incidents i
  set status = 'triaged', domain = p #>> '{incident,domain}', domain_rule = p #>> '{incident,domain_rule}',
    incident_type = p #>> '{incident,incident_type}', incident_type_rule = p #>> '{incident,incident_type_rule}'
  where i.id = v_incident and i.status <> 'resolved';
  insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, model, prompt_version)
  select t.id, v_incident, v_now, t.mode, t.outcome, t.confidence, t.result, t.model, t.prompt_version
  from jsonb_populate_record(null::public.triages, p -> 'triage') t;
  insert into public.incident_events (incident_id, at, kind, detail)
  values (v_incident, v_now, 'triaged', jsonb_build_object('triage_id', v_triage, 'mode', p #> '{triage,mode}',
    'outcome', p #> '{triage,outcome}', 'confidence', p #> '{triage,confidence}'));
  perform public.finish_episode((p -> 'episode') || (p -> 'episode_finish'));
  perform public.record_model_usage(jsonb_build_object('run_id', p #> '{episode,run_id}', 'incident_id', v_incident,
    'at', p -> 'now', 'usage', p -> 'usage'));
  if (p #>> '{idempotency,released}')::boolean then
    delete from public.idempotency_keys k
    where k.key = p #>> '{idempotency,key}' and k.incident_id = v_incident and k.triage_id is null;
  elsif p ? 'idempotency' then
    insert into public.idempotency_keys as k (key, request_hash, started_at, incident_id, triage_id)
    values (p #>> '{idempotency,key}', p #>> '{idempotency,request_hash}', v_now, v_incident, v_triage)
    on conflict (key) do update set triage_id = excluded.triage_id
    where k.incident_id = excluded.incident_id and k.triage_id is null;
  end if;
  -- Resolved while it was being triaged: its memory holds the fix already, and must not lose it.
  if v_status <> 'resolved' and p ? 'memory' then
    -- The collection's row lock is taken last and held for the shortest time.
    v_outbox := public.enqueue_memory_write(p #>> '{memory,collection}', p #> '{memory,document}', v_now,
      (p #>> '{memory,claim_until}')::timestamptz);
  end if;
  return jsonb_build_object('outbox_id', v_outbox);
end $$;
comment on function public.finish_triage(jsonb) is
  'Stores a finished triage in one transaction: {now, incident, episode, episode_finish, usage, triage, idempotency?: {key, request_hash, released?}, memory?: {collection, document, claim_until}}. A triage that is stored already is left alone.';

revoke all on function public.record_model_usage(jsonb) from public, anon, authenticated;
revoke all on function public.session_turns(text, uuid, integer) from public, anon, authenticated;
grant execute on function public.record_model_usage(jsonb) to service_role;
grant execute on function public.session_turns(text, uuid, integer) to service_role;
