-- Metrics. Events insert increments in their own transaction. Increments are only inserted, so counting never blocks, and
-- are folded into counters later. Counters outlive the rows that they count: deleted incidents and expired rows stay
-- counted. Sums are numeric, hence exact in any order of addition: a counter that shrank in its last digit would look like
-- a counter reset.

create table public.metric_counters (
  metric text not null,
  labels jsonb not null,
  value numeric not null check (value >= 0),
  primary key (metric, labels)
);
comment on table public.metric_counters is 'Totals without the rows in metric_increments. Histograms have one row per bucket, not cumulated, and the sum.';
comment on column public.metric_counters.metric is 'The name, as in metric_samples.';
comment on column public.metric_counters.labels is 'The labels, flat strings.';
comment on column public.metric_counters.value is 'The total.';

create table public.metric_increments (
  id bigint generated always as identity primary key,
  metric text not null,
  labels jsonb not null,
  value numeric not null check (value >= 0)
);
comment on table public.metric_increments is 'Increments that are not in metric_counters yet.';
comment on column public.metric_increments.id is 'Order of arrival.';
comment on column public.metric_increments.metric is 'As in metric_counters.';
comment on column public.metric_increments.labels is 'As in metric_counters.';
comment on column public.metric_increments.value is 'The amount to add.';
create policy restricted on public.metric_increments for insert to dejavu_restricted with check (true);

-- Counting.

create function public.metric_label(p_label text, p_value text) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_build_object(p_label, case when p_value ~ '^[a-z0-9][a-z0-9_-]{0,62}$' then p_value else 'other' end);
$$;
comment on function public.metric_label(text, text) is
  'A label of a metric. A value that is not an identifier counts as other, so that no text becomes a series. Called by the functions that return increments.';

create function public.histogram_bounds(p_metric text) returns text[]
language sql immutable set search_path = '' as $$
  select case p_metric
    -- Extractive answers take tenths of a second, those of a model some seconds; most budgets end between 15 and 30 s.
    when 'dejavu_triage_duration_seconds' then array['0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '15', '20', '25', '30', '+Inf']
    when 'dejavu_triage_confidence' then array['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '1', '+Inf']
  end;
$$;
comment on function public.histogram_bounds(text) is
  'The upper bounds of a histogram''s buckets, ascending, in Prometheus notation. Called by histogram_increments and initial_series.';

create function public.histogram_increments(p_metric text, p_labels jsonb, p_value numeric)
returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  select p_metric || '_bucket', p_labels || jsonb_build_object('le', (
      select b.le from unnest(public.histogram_bounds(p_metric)) with ordinality as b (le, n)
      where p_value <= b.le::double precision order by b.n limit 1)), 1::numeric
  where p_value is not null
  union all
  select p_metric || '_sum', p_labels, greatest(p_value, 0) where p_value is not null;
$$;
comment on function public.histogram_increments(text, jsonb, numeric) is
  'The increments of one observation of a histogram; none if it is null. Called by triage_increments.';

create function public.count_path_matches(p_result jsonb, p_path jsonpath) returns numeric
language sql immutable set search_path = '' as $$
  select count(*)::numeric from jsonb_path_query(p_result, p_path) as f (item) where jsonb_typeof(f.item) = 'object';
$$;
comment on function public.count_path_matches(jsonb, jsonpath) is 'How many objects a path matches in a triage''s result. Called by triage_increments.';

create function public.triage_increments(p public.triages) returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  with this as materialized (
    select p.result as result, public.metric_label('mode', p.mode) as mode,
      p.result #>> '{guardrails,injection_blocked}' as blocked
    where not public.is_evaluation(p.result)
  ), recalled as (
    -- Blocked reports, benign ones without a model, and questions about the session are not searched for.
    select this.result from this where this.blocked is null and (p.outcome <> 'benign' or p.mode = 'model')
      and (not jsonb_path_exists(this.result, '$.sources[*]') or jsonb_path_exists(this.result, '$.sources[*] ? (@.kind != "past_answer")'))
  )
  select 'dejavu_triages_total', public.metric_label('domain', this.result #>> '{domain,name}') || this.mode
    || public.metric_label('outcome', p.outcome), 1::numeric from this
  union all
  select i.* from this cross join lateral public.histogram_increments('dejavu_triage_duration_seconds', this.mode,
    (this.result ->> 'elapsed_ms')::numeric / 1000) i
  union all
  select i.* from this cross join lateral public.histogram_increments('dejavu_triage_confidence', this.mode, p.confidence::numeric) i
  union all
  select 'dejavu_recalls_total', '{}', 1 from recalled
  union all
  select 'dejavu_recall_hits_total', public.metric_label('layer', l.layer), public.count_path_matches(recalled.result, l.path)
  from recalled cross join (values ('runbooks', '$.recalled.runbooks[*]'::jsonpath), ('incidents', '$.recalled.incidents[*]'),
    ('past_answers', '$.recalled.past_answers[*]'), ('procedures', '$.recalled.procedure')) as l (layer, path)
  union all
  select 'dejavu_recalls_grounded_total', public.metric_label('layer', l.layer), 1
  from recalled cross join (values ('runbooks', '$.recalled.runbooks[*] ? (@.relevant == true)'::jsonpath),
    ('incidents', '$.recalled.incidents[*] ? (@.relevant == true)')) as l (layer, path)
  where public.count_path_matches(recalled.result, l.path) > 0
  union all
  select 'dejavu_degraded_recalls_total', public.metric_label('dependency', w.warning ->> 'dependency'), 1
  from (select distinct jsonb_build_object('dependency', f.item -> 'dependency') as warning
    from this cross join lateral jsonb_path_query(this.result, '$.warnings[*]') as f (item)
    where f.item ->> 'code' not in ('token_budget_spent', 'cancelled', 'uncalibrated')) w
  union all
  select 'dejavu_token_budget_refusals_total', '{}', 1 from this
  where public.count_path_matches(this.result, '$.warnings[*] ? (@.code == "token_budget_spent")') > 0
  union all
  select 'dejavu_reflections_total', '{}', 1 from this where this.result @> '{"critique": {"reflected": true}}'
  union all
  select 'dejavu_injections_blocked_total', public.metric_label('category', this.blocked), 1 from this where this.blocked is not null
  union all
  select 'dejavu_injected_lines_removed_total', '{}', (this.result #>> '{guardrails,lines_removed}')::numeric from this
  where this.result #> '{guardrails,lines_removed}' is not null
  union all
  select 'dejavu_redactions_total', public.metric_label('kind', lower(f.item ->> 'key')),
    (f.item ->> 'value')::numeric
  from this cross join lateral jsonb_path_query(this.result, '$.guardrails.redacted.keyvalue()') as f (item);
$$;
comment on function public.triage_increments(public.triages) is 'The increments of a finished triage. Called by count_rows.';

create function public.model_usage_increments(p public.model_usage) returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  select 'dejavu_model_calls_total', '{}'::jsonb, p.calls::numeric
  union all
  select 'dejavu_model_tokens_total', public.metric_label('direction', t.direction), greatest(t.tokens, 0)
  from (values ('input', p.input_tokens - p.cached_input_tokens), ('cached_input', p.cached_input_tokens),
    ('output', p.output_tokens)) as t (direction, tokens)
  union all
  select 'dejavu_model_cost_dollars_total', '{}', p.cost_usd::numeric where p.cost_usd is not null;
$$;
comment on function public.model_usage_increments(public.model_usage) is 'The increments of a use of the language model. Called by count_rows.';

create function public.run_increments(p public.runs) returns table (metric text, labels jsonb, value numeric)
language sql stable set search_path = '' as $$
  -- A run without an answer failed. The recap of a session has an answer, too, but no text of its own.
  select 'dejavu_triage_failures_total', '{}'::jsonb, 1::numeric where p.finished_at is not null and p.final_answer = ''
    and not exists (select 1 from public.triages t where t.incident_id = p.incident_id and t.created_at = p.finished_at);
$$;
comment on function public.run_increments(public.runs) is 'The increments of a closed run: one if it failed. Called by count_rows.';

-- A new isolate knows the domains only after the start of its first run, so the incident of a caller who waits is counted
-- when its run ends: its domain is then known.
create function public.incident_increments(p public.incidents) returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  select 'dejavu_incidents_total', public.metric_label('domain', p.domain) || public.metric_label('submitted_via', p.submitted_via),
    1::numeric
  where (p.submitted_via <> 'direct' or p.status <> 'investigating') and p.imported is null;
$$;
comment on function public.incident_increments(public.incidents) is
  'The increments of a reported incident; none for an imported one, and while the first run of a direct incident goes on. Called by count_direct_incident and by count_rows.';

create function public.alert_increments(p public.alerts) returns table (metric text, labels jsonb, value numeric)
language sql immutable set search_path = '' as $$
  select 'dejavu_alerts_total', public.metric_label('source', p.source) || public.metric_label('decision', p.decision), 1::numeric;
$$;
comment on function public.alert_increments(public.alerts) is 'The increments of an alert when it is first received. Called by count_rows.';

create function public.event_increments(p public.incident_events) returns table (metric text, labels jsonb, value numeric)
language sql stable set search_path = '' as $$
  select 'dejavu_resolutions_total',
    public.metric_label('resolved_by', case when p.detail ? 'resolution' then 'person' else 'alerts' end)
      || public.metric_label('worked', case p.detail ->> 'worked' when 'true' then 'yes' when 'false' then 'no' else 'unknown' end),
    1::numeric
  where p.kind = 'resolved' and not exists (
    select 1 from public.triages t where t.incident_id = p.incident_id and public.is_evaluation(t.result))
    and not exists (select 1 from public.incidents i where i.id = p.incident_id and i.imported is not null)
  union all
  select 'dejavu_incidents_unanswered_total', public.metric_label('reason', case
      when p.detail ->> 'reason' = 'RecallUnavailable' or p.detail ->> 'reason' like 'nothing could be searched%' then 'nothing_searchable'
      when p.detail ->> 'reason' = 'DependencyError' or p.detail ->> 'reason' ~ '^[a-z_]+ [a-z_]+' then 'dependency' -- "database timeout"
      else p.detail ->> 'reason' end), 1
  where p.kind = 'failed';
$$;
comment on function public.event_increments(public.incident_events) is
  'The increments of a timeline event: resolutions, except of imported incidents, and incidents that failed. Called by count_rows.';

-- How far the critic's confidence is from people's ratings: a critic that is generous to answers that people reject is seen
-- in metrics.
create function public.rating_increments(p public.feedback) returns table (metric text, labels jsonb, value numeric)
language sql stable set search_path = '' as $$
  with rated as (
    select public.metric_label('rating', case p.rating when 1 then 'up' else 'down' end) as rating,
      case when t.result -> 'critique' <> 'null' then abs((t.result ->> 'confidence')::numeric - case p.rating when 1 then 1 else 0 end) end as gap
    from (select 1) one left join public.triages t on t.id = p.triage_id
    where p.rating <> 0 and (t.result is null or not public.is_evaluation(t.result))
  )
  select 'dejavu_ratings_total', r.rating, 1::numeric from rated r
  union all
  select 'dejavu_critic_ratings_total', r.rating, 1 from rated r where r.gap is not null
  union all
  select 'dejavu_critic_rating_gap_total', r.rating, r.gap from rated r where r.gap is not null;
$$;
comment on function public.rating_increments(public.feedback) is
  'The increments of a rating, and of its distance from the confidence of an answer with a critique (up is 1, down is 0). A changed rating counts again; none is subtracted. Called by count_rows.';

create function public.count_rows() returns trigger
language plpgsql set search_path = '' as $$
begin
  execute format('insert into public.metric_increments (metric, labels, value)
    select i.metric, i.labels, sum(i.value) from new_rows n %s cross join lateral public.%I(n::public.%I) i
    group by i.metric, i.labels having sum(i.value) > 0',
    case when tg_nargs > 1 then 'join old_rows o on ' || tg_argv[1] else '' end, tg_argv[0], tg_table_name);
  return null;
end $$;
comment on function public.count_rows() is
  'Inserts the summed increments of the rows that a statement wrote. First argument: the function that returns a row''s increments. Second argument: the join condition to the old row o, if only some updates of n count. Trigger of the tables that metrics count.';

create trigger count_triages after insert on public.triages
  referencing new table as new_rows for each statement execute function public.count_rows('triage_increments');
create trigger count_model_usage after insert on public.model_usage
  referencing new table as new_rows for each statement execute function public.count_rows('model_usage_increments');
create trigger count_incidents after insert on public.incidents
  referencing new table as new_rows for each statement execute function public.count_rows('incident_increments');
create trigger count_alerts after insert on public.alerts
  referencing new table as new_rows for each statement execute function public.count_rows('alert_increments');
create trigger count_events after insert on public.incident_events
  referencing new table as new_rows for each statement execute function public.count_rows('event_increments');
create trigger count_closed_runs after update on public.runs
  referencing old table as old_rows new table as new_rows for each statement
  execute function public.count_rows('run_increments', 'o.run_id = n.run_id and o.finished_at is null');
create trigger count_ratings after insert on public.feedback
  referencing new table as new_rows for each statement execute function public.count_rows('rating_increments');
create trigger count_changed_ratings after update on public.feedback
  referencing old table as old_rows new table as new_rows for each statement
  execute function public.count_rows('rating_increments', 'o.triage_id = n.triage_id and o.person = n.person and o.rating <> n.rating');

create function public.count_direct_incident() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.metric_increments (metric, labels, value)
  select i.metric, i.labels, i.value from public.incident_increments(new) i
  where not exists (select 1 from public.incident_events e where e.incident_id = new.id and e.kind = 'reopened');
  return null;
end $$;
comment on function public.count_direct_incident() is 'Counts a direct incident when its first run ends. Trigger of incidents.';
create trigger count_direct_incidents after update of status on public.incidents
  for each row when (old.submitted_via = 'direct' and old.status = 'investigating' and new.status in ('triaged', 'failed', 'resolved'))
  execute function public.count_direct_incident();

create function public.count_dropped_spans(p_count integer) returns void
language sql set search_path = '' as $$
  insert into public.metric_increments (metric, labels, value)
  select 'dejavu_spans_dropped_total', '{}', p_count where p_count > 0;
$$;
comment on function public.count_dropped_spans(integer) is 'Counts spans that no collector accepted. Called by read-metrics.ts.';

create function public.count_buffered_writes(p_results jsonb) returns void
language sql set search_path = '' as $$
  insert into public.metric_increments (metric, labels, value)
  select 'dejavu_buffered_writes_total', public.metric_label('result', r.key), r.value::numeric
  from jsonb_each_text(p_results) r where r.value::numeric > 0;
$$;
comment on function public.count_buffered_writes(jsonb) is
  'Counts writes that waited in the queue, by their result: {stored, superseded, forbidden, lost}. Called by read-metrics.ts.';

-- Reading.

create function public.fold_increments(p_limit integer) returns integer
language plpgsql set search_path = '' as $$
declare
  v_folded integer;
begin
  -- One caller at a time: two could deadlock on the counters.
  if not pg_try_advisory_xact_lock(hashtextextended('metric_increments', 0)) then
    return 0;
  end if;
  with folded as (
    delete from public.metric_increments m where m.id = any (array(
      select o.id from public.metric_increments o order by o.id limit p_limit))
    returning m.metric, m.labels, m.value
  ), added as (
    insert into public.metric_counters as c (metric, labels, value)
    select f.metric, f.labels, sum(f.value) from folded f group by f.metric, f.labels
    on conflict (metric, labels) do update set value = c.value + excluded.value
  )
  select count(*) into v_folded from folded;
  return v_folded;
end $$;
comment on function public.fold_increments(integer) is
  'Adds the oldest p_limit increments to the counters. Returns how many, 0 also while another caller does it. Changes no metric. Called by read-metrics.ts and scrape_metrics.';

create function public.initial_series(p_labels jsonb) returns table (metric text, labels jsonb)
language sql immutable set search_path = '' as $$
  with recursive dimensioned (metric, dimensions) as (values
    ('dejavu_triages_total', array['domain', 'mode', 'outcome']),
    ('dejavu_triage_duration_seconds', array['mode']),
    ('dejavu_triage_confidence', array['mode']),
    ('dejavu_triage_failures_total', '{}'),
    ('dejavu_recalls_total', '{}'),
    ('dejavu_recall_hits_total', array['layer']),
    ('dejavu_degraded_recalls_total', array['dependency']),
    ('dejavu_token_budget_refusals_total', '{}'),
    ('dejavu_reflections_total', '{}'),
    ('dejavu_injections_blocked_total', array['category']),
    ('dejavu_injected_lines_removed_total', '{}'),
    ('dejavu_redactions_total', array['kind']),
    ('dejavu_model_calls_total', '{}'),
    ('dejavu_model_tokens_total', array['direction']),
    ('dejavu_model_cost_dollars_total', '{}'),
    ('dejavu_ratings_total', array['rating']),
    ('dejavu_critic_ratings_total', array['rating']),
    ('dejavu_critic_rating_gap_total', array['rating']),
    ('dejavu_incidents_total', array['domain', 'submitted_via']),
    ('dejavu_incidents_unanswered_total', array['reason']),
    ('dejavu_alerts_total', array['source', 'decision']),
    ('dejavu_spans_dropped_total', '{}'),
    ('dejavu_buffered_writes_total', array['result']),
    ('dejavu_notifications_total', array['delivery'])
  ), series (metric, dimensions, labels) as (
    select d.metric, d.dimensions, '{}'::jsonb from dimensioned d
    union all
    select s.metric, s.dimensions[2:], s.labels || jsonb_build_object(s.dimensions[1], v.value)
    from series s cross join lateral jsonb_array_elements_text(p_labels -> s.dimensions[1]) as v (value)
  ), complete as (
    select s.metric, s.labels from series s where s.dimensions = '{}'
    union all select 'dejavu_recalls_grounded_total', jsonb_build_object('layer', l.layer) from (values ('runbooks'), ('incidents')) as l (layer)
    union all select 'dejavu_resolutions_total', jsonb_build_object('resolved_by', 'person', 'worked', w.value)
      from jsonb_array_elements_text(p_labels -> 'worked') as w (value)
    union all select 'dejavu_resolutions_total', '{"resolved_by": "alerts", "worked": "unknown"}'
  )
  select c.metric, c.labels from complete c where public.histogram_bounds(c.metric) is null
  union all
  select c.metric || '_sum', c.labels from complete c where public.histogram_bounds(c.metric) is not null
  union all
  select c.metric || '_bucket', c.labels || jsonb_build_object('le', b.le)
  from complete c cross join lateral unnest(public.histogram_bounds(c.metric)) as b (le);
$$;
comment on function public.initial_series(jsonb) is
  'Every series of the counters for these label values: {label: [value]}. Each starts at 0: rate() needs a value before the first event. Called by metric_samples.';

create function public.listed_labels(p_labels jsonb, p_values jsonb, p_fallbacks jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select coalesce(jsonb_object_agg(l.key, case
      when not p_values ? l.key or p_values -> l.key ? l.value then l.value
      else coalesce(p_fallbacks ->> l.key, 'other') end), '{}')
  from jsonb_each_text(p_labels) l;
$$;
comment on function public.listed_labels(jsonb, jsonb, jsonb) is
  'Labels of a series, with the label''s fallback, or other, in place of a value that is not in p_values. Labels without a list are unchanged. Called by metric_samples.';

create function public.metric_samples(p jsonb) returns table (metric text, labels jsonb, value double precision)
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
    select s.metric, '{}', s.value from (
      select 'dejavu_outbox_depth' as depth, 'dejavu_outbox_oldest_seconds' as oldest, count(*) as waiting, min(o.created_at) as since
      from public.outbox o where o.done_at is null
      union all
      select 'dejavu_annotations_pending', 'dejavu_annotations_oldest_seconds', count(*), min(o.created_at)
      from public.annotation_outbox o where o.given_up_at is null
      union all
      select 'dejavu_notifications_pending', 'dejavu_notifications_oldest_seconds', count(*), min(m.pending_since)
      from public.notification_messages m where m.due_at is not null
      union all
      select 'dejavu_queue_depth', 'dejavu_queue_oldest_seconds', count(*), min(i.queued_at)
      from public.incidents i where i.status = 'queued'
    ) w
    cross join lateral (values (w.depth, w.waiting), (w.oldest, greatest(coalesce(extract(epoch from now() - w.since), 0), 0)))
      as s (metric, value)
    union all
    select 'dejavu_annotations_given_up', '{}', count(*) from public.annotation_outbox o where o.given_up_at is not null
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
  'Every metric of GET /metrics that the database holds: {labels: {label: [value]}, fallbacks: {label: value}, relevance_model?}. labels lists the values of each label, so that its series start at 0; any other value counts as the label''s fallback, or other. Histograms have _bucket (with the label le, cumulated), _sum and _count. Called by scrape_metrics.';

create view public.metrics with (security_invoker = true) as
select s.metric, s.labels, s.value from public.metric_samples('{"labels": {}, "fallbacks": {}}') s;
comment on view public.metrics is 'The current metrics for people, without series at 0 that depend on label values, and without the gauges of jobs.';
comment on column public.metrics.metric is 'The name.';
comment on column public.metrics.labels is 'The labels.';
comment on column public.metrics.value is 'Seconds, dollars, tokens or a count.';

-- Domains are rows: metrics list them themselves.
create function public.scrape_metrics(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
begin
  perform public.fold_increments(10000);
  return (select jsonb_agg(to_jsonb(m) order by m.metric, m.labels - 'le', (m.labels ->> 'le')::double precision)
    from public.metric_samples(jsonb_set(p, '{labels,domain}',
      (select coalesce(jsonb_agg(d.name), '[]') from public.domains d))) m);
end $$;
comment on function public.scrape_metrics(jsonb) is
  'metric_samples as [{metric, labels, value}], by name, with a series for each domain. Folds increments first, so that the cost of a scrape stays the same. Called by read-metrics.ts.';

call public.restrict_to_service_role();
