-- Calibration of the relevance model in this deployment: ratings and resolutions refit two numbers, which map the model's
-- log-odds to a probability. The log-odds of different models are not comparable, so each model has a row of its own.

create table public.relevance_calibration (
  model text primary key,
  slope double precision not null default 1 check (slope between 0.5 and 2),
  intercept double precision not null default 0 check (intercept between -1.5 and 1.5),
  labels integer not null default 0 check (labels >= 0),
  positives integer not null default 0 check (positives between 0 and labels),
  brier_before double precision,
  brier_after double precision,
  fitted_at timestamptz,
  ignore_before timestamptz,
  claimed_until timestamptz
);
comment on table public.relevance_calibration is
  'The calibration of each relevance model: probability = 1 / (1 + e^-(slope * log-odds + intercept)). A model without a row has the default, slope 1 and intercept 0.';
comment on column public.relevance_calibration.model is 'The fingerprint of the model.';
comment on column public.relevance_calibration.slope is 'Factor of the log-odds.';
comment on column public.relevance_calibration.intercept is 'Added to the scaled log-odds.';
comment on column public.relevance_calibration.labels is 'Judged answers of the last fit.';
comment on column public.relevance_calibration.positives is 'Those of them that were right.';
comment on column public.relevance_calibration.brier_before is 'Mean squared error of the probabilities on these labels with the default; null without labels.';
comment on column public.relevance_calibration.brier_after is 'The same with the fitted numbers.';
comment on column public.relevance_calibration.fitted_at is 'When the labels of the last fit were read; null if there was none since the reset.';
comment on column public.relevance_calibration.ignore_before is 'The time of the last reset: labels up to then are not used; null without a reset.';
comment on column public.relevance_calibration.claimed_until is 'Until when one run of the job holds it; null if unclaimed.';

create index incidents_with_verdict on public.incidents (resolved_at desc) where worked is not null;

create function public.answer_log_odds(p_result jsonb) returns double precision
language sql immutable set search_path = '' as $$
  select max((h.hit #>> '{relevance,log_odds}')::double precision) from (
    select r.hit from jsonb_array_elements(p_result #> '{recalled,runbooks}') as r (hit)
    where r.hit ->> 'source' in (select s.source ->> 'source' from jsonb_array_elements(p_result -> 'sources') as s (source))
    union all
    select i.hit from jsonb_array_elements(p_result #> '{recalled,incidents}') as i (hit)
    where i.hit ->> 'id' in (select s.source ->> 'id' from jsonb_array_elements(p_result -> 'sources') as s (source))
  ) h
  -- A person chose an attached runbook, not the model.
  where not coalesce(h.hit #> '{relevance,contributions}' ? 'attached', false);
$$;
comment on function public.answer_log_odds(jsonb) is
  'The log-odds of the best runbook or past incident that a triage''s answer cites; null if it cites none, or for a result from before log-odds were stored.';

create function public.is_calibration_source(p_outcome text, p_result jsonb, p_model text) returns boolean
language sql immutable set search_path = '' as $$
  select p_outcome in ('cause', 'possible') and coalesce(p_result ->> 'relevance_model', '') = p_model
    and not public.is_evaluation(p_result);
$$;
comment on function public.is_calibration_source(text, jsonb, text) is
  'Whether judgements of a triage may calibrate the relevance model: it used that model, named a cause or candidates, and was not requested by an evaluation.';

create function public.calibration_labels(p_model text, p_after timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  -- The limits inside bound the work, however many ratings and resolutions there are.
  with ratings as (
    select f.at, f.rating > 0 as is_right, t.id, t.outcome, t.result from (
      select r.at, r.rating, r.triage_id from public.feedback r
      where r.rating <> 0 and r.at > coalesce(p_after, '-infinity') order by r.at desc, r.id desc limit p_limit
    ) f cross join lateral (select a.* from public.triages a where a.id = f.triage_id limit 1) t
  ), resolutions as (
    select i.resolved_at as at, i.worked as is_right, t.id, t.outcome, t.result from (
      select r.id, r.resolved_at, r.worked from public.incidents r
      where r.worked is not null and r.resolved_at > coalesce(p_after, '-infinity') order by r.resolved_at desc limit p_limit
    ) i cross join lateral (
      select a.* from public.triages a where a.incident_id = i.id and a.created_at <= i.resolved_at
      order by a.created_at desc, a.id desc limit 1) t
  ), newest as (
    select distinct on (j.id) j.* from (select * from ratings union all select * from resolutions) j
    where public.is_calibration_source(j.outcome, j.result, p_model)
    order by j.id, j.at desc, j.is_right
  ), labels as (
    select n.at, n.id, n.is_right, public.answer_log_odds(n.result) as log_odds from newest n
  )
  select coalesce(jsonb_agg(jsonb_build_object('log_odds', l.log_odds, 'is_right', l.is_right)), '[]') from (
    select * from labels where labels.log_odds is not null order by labels.at desc, labels.id limit p_limit
  ) l;
$$;
comment on function public.calibration_labels(text, timestamptz, integer) is
  'Judged answers that used this relevance model, from after p_after and newest first: [{log_odds, is_right}], at most p_limit, among the newest p_limit ratings and resolutions. An answer was right if it was rated up, or if its incident was resolved and it worked. Of several judgements of one answer the newest counts.';

create function public.has_new_judgements(p_since timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select p_since is null
    or exists (select 1 from public.feedback f where f.at >= p_since)
    or exists (select 1 from public.incidents i where i.worked is not null and i.resolved_at >= p_since);
$$;
comment on function public.has_new_judgements(timestamptz) is
  'Whether a rating or a resolution changed since then; true for null.';

create function public.claim_calibration(
  p_model text, p_now timestamptz, p_lease_seconds integer, p_limit integer
) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_row public.relevance_calibration;
begin
  insert into public.relevance_calibration (model) values (p_model) on conflict (model) do nothing;
  select * into v_row from public.relevance_calibration c where c.model = p_model for update skip locked;
  if not found or v_row.claimed_until > p_now then
    return jsonb_build_object('state', 'busy');
  elsif not public.has_new_judgements(v_row.fitted_at) then
    return jsonb_build_object('state', 'unchanged');
  end if;
  update public.relevance_calibration c set claimed_until = p_now + p_lease_seconds * interval '1 second'
  where c.model = p_model returning * into v_row;
  return jsonb_build_object('state', 'claimed', 'claimed_until', v_row.claimed_until, 'slope', v_row.slope, 'intercept', v_row.intercept,
    'labels', public.calibration_labels(p_model, v_row.ignore_before, p_limit));
end $$;
comment on function public.claim_calibration(text, timestamptz, integer, integer) is
  'Claims the calibration of a model for a fit: state claimed with claimed_until, the stored numbers and the labels (see calibration_labels); unchanged without a judgement since the last fit; busy while another run holds it.';

create function public.store_calibration(p jsonb) returns boolean
language sql set search_path = '' as $$
  with stored as (
    update public.relevance_calibration c
    set slope = (p ->> 'slope')::double precision, intercept = (p ->> 'intercept')::double precision,
      labels = (p ->> 'labels')::integer, positives = (p ->> 'positives')::integer,
      brier_before = (p ->> 'brier_before')::double precision, brier_after = (p ->> 'brier_after')::double precision,
      fitted_at = (p ->> 'now')::timestamptz, claimed_until = null
    where c.model = p ->> 'model' and c.claimed_until = (p ->> 'claimed_until')::timestamptz
    returning 1
  )
  select exists (select 1 from stored);
$$;
comment on function public.store_calibration(jsonb) is
  'Stores a fit: {model, claimed_until, now, slope, intercept, labels, positives, brier_before, brier_after}. Returns false and stores nothing if the claim is no longer held: the calibration was reset, or another run took it.';

create function public.get_calibration(p_model text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select to_jsonb(c) - 'claimed_until' from public.relevance_calibration c where c.model = p_model),
    jsonb_build_object('model', p_model, 'slope', 1, 'intercept', 0, 'labels', 0, 'positives', 0, 'brier_before', null,
      'brier_after', null, 'fitted_at', null, 'ignore_before', null));
$$;
comment on function public.get_calibration(text) is 'The calibration of a model, as stored or the default.';

create function public.reset_calibration(p_model text, p_now timestamptz) returns jsonb
language plpgsql set search_path = '' as $$
begin
  insert into public.relevance_calibration (model) values (p_model) on conflict (model) do nothing;
  -- Every row: after a rollback an earlier model must not return with numbers from before the reset.
  update public.relevance_calibration c
  set slope = default, intercept = default, labels = default, positives = default, brier_before = null, brier_after = null,
    fitted_at = null, ignore_before = p_now, claimed_until = null
  where true; -- some hosts refuse an update without a condition
  return public.get_calibration(p_model);
end $$;
comment on function public.reset_calibration(text, timestamptz) is
  'Returns every model to the default, and ignores the judgements up to now. A fit that is in progress is not stored.';

-- A run reads the calibration in the round trip of its start.

create or replace function public.start_run(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_key text := p #>> '{idempotency,key}';
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_incident uuid := (p #>> '{incident,id}')::uuid;
  v_key_row public.idempotency_keys;
begin
  if v_key is not null then
    insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
    values (v_key, p #>> '{idempotency,request_hash}', v_now, v_incident)
    on conflict (key) do nothing;
    if not found then
      select * into v_key_row from public.idempotency_keys k where k.key = v_key for update;
      if not found then
        return jsonb_build_object('state', 'in_progress'); -- released concurrently
      elsif v_key_row.request_hash <> p #>> '{idempotency,request_hash}' then
        return jsonb_build_object('state', 'mismatch');
      elsif v_key_row.triage_id is not null then
        return jsonb_build_object('state', 'replayed',
          'result', (select t.result from public.triages t where t.id = v_key_row.triage_id));
      elsif v_key_row.incident_id <> v_incident and v_key_row.started_at > v_now - (p #>> '{idempotency,lease_seconds}')::integer * interval '1 second' then
        return jsonb_build_object('state', 'in_progress');
      end if;
      update public.idempotency_keys k set started_at = v_now, incident_id = v_incident where k.key = v_key;
    end if;
  end if;
  perform public.insert_run(p);
  return jsonb_build_object('state', 'started',
    'catalog', public.load_domains(p ->> 'domains_version'),
    'calibration', (select jsonb_build_object('slope', c.slope, 'intercept', c.intercept) from public.relevance_calibration c
      where c.model = p ->> 'relevance_model'),
    'attached', case when jsonb_array_length(p -> 'runbook_names') > 0 then public.runbook_sections(
      array(select jsonb_array_elements_text(p -> 'runbook_names')), p #>> '{incident,domain}') else '[]' end,
    'turns', public.session_turns(p #>> '{run,session_id}', (p #>> '{run,run_id}')::uuid, (p ->> 'turn_limit')::integer),
    'past_answers', public.session_past_answers(p #>> '{run,session_id}', (p ->> 'past_answer_limit')::integer),
    'tokens_today', (select coalesce(sum(u.input_tokens + u.output_tokens), 0) from public.model_usage u
      where u.at >= date_trunc('day', v_now, 'UTC')));
end $$;
comment on function public.start_run(jsonb) is
  'Starts an investigation run: {now, incident, run, turn_limit, past_answer_limit, domains_version, relevance_model, runbook_names, idempotency?: {key, request_hash, lease_seconds}}. Returns state started with the domains if domains_version is not current (catalog, see load_domains), the calibration of that relevance model (null for the default), the sections of the runbook of these names (attached), the session''s last turns, the ids of its newest past answers and the tokens used today. If another incident holds the key, returns replayed (with the first result), in_progress or mismatch, and stores nothing. Idempotent.';

create function public.relevance_calibration_samples(p_model text) returns table (metric text, value double precision)
language sql stable set search_path = '' as $$
  select s.metric, s.value
  from (values (p_model)) as m (model)
  left join lateral (
    select * from public.relevance_calibration r where m.model is null or r.model = m.model
    order by r.fitted_at desc nulls last limit 1
  ) c on true
  cross join lateral (values
    ('dejavu_relevance_calibration_slope', coalesce(c.slope, 1)),
    ('dejavu_relevance_calibration_intercept', coalesce(c.intercept, 0)),
    ('dejavu_relevance_calibration_labels', coalesce(c.labels, 0)::double precision),
    ('dejavu_relevance_calibration_age_seconds',
      greatest(coalesce(extract(epoch from now() - c.fitted_at), 0), 0)::double precision)
  ) as s (metric, value);
$$;
comment on function public.relevance_calibration_samples(text) is
  'The gauges of a relevance model''s calibration; for null, those of the model that was fitted last.';

create or replace function public.metric_samples(p jsonb) returns table (metric text, labels jsonb, value double precision)
language sql stable set search_path = '' as $$
  with counted as materialized (
    select s.metric, s.labels, sum(s.value) as value from (
      select k.metric, k.labels, 0::numeric as value from public.initial_series(p -> 'labels') k
      union all
      select t.metric, public.listed_labels(t.labels, p -> 'labels', p -> 'fallbacks'), t.value from (
        select u.metric, u.labels, sum(u.value) as value from (
          select c.metric, c.labels, c.value from public.metric_counters c
          union all select i.metric, i.labels, i.value from public.metric_increments i
        ) u group by u.metric, u.labels
      ) t
    ) s group by s.metric, s.labels
  ), samples as (
    select c.metric, c.labels, c.value from counted c where not c.labels ? 'le'
    union all
    select c.metric, c.labels, sum(c.value) over (partition by c.metric, c.labels - 'le' order by (c.labels ->> 'le')::double precision)
    from counted c where c.labels ? 'le'
    union all
    select regexp_replace(c.metric, '_bucket$', '_count'), c.labels - 'le', sum(c.value) from counted c where c.labels ? 'le'
    group by c.metric, c.labels - 'le'
    union all
    select 'dejavu_outbox_depth', '{}', count(*) from public.outbox o where o.done_at is null
    union all
    select 'dejavu_outbox_oldest_seconds', '{}', greatest(coalesce(extract(epoch from now() - min(o.created_at)), 0), 0)
    from public.outbox o where o.done_at is null
    union all
    select 'dejavu_annotations_pending', '{}', count(*) from public.annotation_outbox o where o.given_up_at is null
    union all
    select 'dejavu_annotations_oldest_seconds', '{}', greatest(coalesce(extract(epoch from now() - min(o.created_at)), 0), 0)
    from public.annotation_outbox o where o.given_up_at is null
    union all
    select 'dejavu_annotations_given_up', '{}', count(*) from public.annotation_outbox o where o.given_up_at is not null
    union all
    select 'dejavu_queue_depth', '{}', count(*) from public.incidents i where i.status = 'queued'
    union all
    select 'dejavu_queue_oldest_seconds', '{}', greatest(coalesce(extract(epoch from now() - min(i.queued_at)), 0), 0)
    from public.incidents i where i.status = 'queued'
    union all
    select c.metric, '{}', c.value from public.relevance_calibration_samples(p ->> 'relevance_model') c
    union all
    select g.metric, jsonb_build_object('name', j.name), g.value
    from jsonb_array_elements_text(p #> '{labels,name}') as j (name)
    cross join lateral (
      select 'dejavu_job_last_run_timestamp_seconds' as metric, coalesce((select extract(epoch from r.started_at) from public.job_runs r
        where r.job = j.name order by r.started_at desc limit 1), 0) as value
      union all
      select 'dejavu_job_last_success_timestamp_seconds', coalesce((select extract(epoch from r.finished_at) from public.job_runs r
        where r.job = j.name and r.finished_at is not null and r.error is null order by r.started_at desc limit 1), 0)
      union all
      select 'dejavu_job_last_run_failed', coalesce((select (r.error is not null)::integer from public.job_runs r
        where r.job = j.name and r.finished_at is not null order by r.started_at desc limit 1), 0)
    ) g
  )
  select s.metric, s.labels, s.value::double precision from samples s;
$$;
comment on function public.metric_samples(jsonb) is
  'Every metric of GET /metrics that the database holds: {labels: {label: [value]}, fallbacks: {label: value}, relevance_model?}. labels lists the values of each label, so that its series start at 0; any other value counts as the label''s fallback, or other. Histograms have _bucket (with the label le, cumulated), _sum and _count.';

call public.restrict_to_service_role();
