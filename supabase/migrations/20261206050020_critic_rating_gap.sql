-- How far the critic's confidence is from people's ratings: a critic that is generous to answers that people reject is seen
-- in metrics.

create or replace function public.rating_increments(p public.feedback) returns table (metric text, labels jsonb, value numeric)
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
  'The increments of a rating, and of its distance from the confidence of an answer with a critique (up is 1, down is 0). A changed rating counts again; none is subtracted.';

create or replace function public.initial_series(p_labels jsonb) returns table (metric text, labels jsonb)
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
    ('dejavu_buffered_writes_total', array['result'])
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

call public.restrict_to_service_role();
