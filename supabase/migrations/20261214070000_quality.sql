-- Quality of the answers: judged answers, outcomes over time, failures without a runbook, and evaluation runs.

-- A year of answers is read by these columns. The result is large and stored out of line.
-- accepts rewrite: only trial databases have answers of 0.9; 10,000 of them take 40 s on two busy cores
alter table public.triages
  add column is_evaluation boolean not null generated always as (coalesce(result ->> 'traffic', '') = 'evaluation') stored,
  add column cites_runbook boolean not null generated always as (jsonb_path_exists(result, '$.sources[*] ? (@.kind == "runbook")')) stored,
  add column elapsed_ms double precision generated always as ((result ->> 'elapsed_ms')::double precision) stored;
comment on column public.triages.is_evaluation is 'Whether an evaluation requested it. Such answers are not counted.';
comment on column public.triages.cites_runbook is 'Whether the answer cites a runbook.';
comment on column public.triages.elapsed_ms is 'Milliseconds from the start of the investigation to the answer; null in results from before it was measured.';
-- accepts lock: only trial databases have answers of 0.9; 10,000 of them take 0.1 s
create index triages_by_time on public.triages (created_at desc, id desc)
  include (incident_id, outcome, confidence, cites_runbook, elapsed_ms) where not is_evaluation;

create function public.judged_answers(p_since timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  -- The limits inside bound the work, however many ratings and resolutions there are.
  with ratings as (
    select r.at, r.rating > 0 as is_right, r.triage_id from public.feedback r
    where r.rating <> 0 and r.at >= p_since order by r.at desc, r.id desc limit p_limit
  ), resolutions as (
    select i.resolved_at as at, i.worked as is_right, t.id as triage_id from (
      select r.id, r.resolved_at, r.worked from public.incidents r
      where r.worked is not null and r.resolved_at >= p_since order by r.resolved_at desc limit p_limit
    ) i cross join lateral (
      select a.id from public.triages a where a.incident_id = i.id and a.created_at <= i.resolved_at
      order by a.created_at desc, a.id desc limit 1) t
  ), newest as (
    select distinct on (j.triage_id) j.triage_id, j.at, j.is_right
    from (select * from ratings union all select * from resolutions) j
    order by j.triage_id, j.at desc, j.is_right
  )
  select coalesce(jsonb_agg(jsonb_build_object('triage_id', l.id, 'confidence', l.confidence, 'is_right', l.is_right)), '[]') from (
    select t.id, t.confidence, n.is_right from newest n join public.triages t on t.id = n.triage_id
    where t.outcome in ('cause', 'possible') and not t.is_evaluation
    order by n.at desc, t.id limit p_limit) l;
$$;
comment on function public.judged_answers(timestamptz, integer) is
  'Answers with the outcome cause or possible that people judged since then, newest judgement first, at most p_limit: [{triage_id, confidence, is_right}]. An answer was right if it was rated up, or if its incident was resolved and it worked. Of several judgements of one answer the newest counts.';

create function public.outcomes_by_day(p_since timestamptz) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  with answers as materialized (
    select (t.created_at at time zone 'UTC')::date as day, t.outcome, t.elapsed_ms from public.triages t
    where t.created_at >= p_since and not t.is_evaluation
  ), answered as (
    -- Without a day: all of them.
    select a.day, count(*) filter (where a.outcome = 'cause') as cause, count(*) filter (where a.outcome = 'possible') as possible,
      count(*) filter (where a.outcome = 'unknown') as unknown, count(*) filter (where a.outcome = 'benign') as benign,
      percentile_cont(array[0.5, 0.95]) within group (order by a.elapsed_ms) as elapsed
    from answers a group by grouping sets ((a.day), ())
  ), ratings as (
    select (f.at at time zone 'UTC')::date as day, count(*) filter (where f.rating > 0) as up, count(*) filter (where f.rating < 0) as down
    from public.feedback f join public.triages t on t.id = f.triage_id
    where f.at >= p_since and f.rating <> 0 and not t.is_evaluation group by 1
  ), resolutions as (
    select (i.resolved_at at time zone 'UTC')::date as day, count(*) filter (where i.worked) as worked,
      count(*) filter (where not i.worked) as did_not_work
    from public.incidents i
    where i.worked is not null and i.resolved_at >= p_since
      and not exists (select 1 from public.triages t where t.incident_id = i.id and t.is_evaluation)
    group by 1
  )
  select jsonb_build_object(
    'answers', (select coalesce(jsonb_agg(to_jsonb(a) order by a.day), '[]') from answered a),
    'ratings', (select coalesce(jsonb_agg(to_jsonb(r) order by r.day), '[]') from ratings r),
    'resolutions', (select coalesce(jsonb_agg(to_jsonb(r) order by r.day), '[]') from resolutions r));
$$;
comment on function public.outcomes_by_day(timestamptz) is
  'Answers and judgements since then by UTC day, without evaluations: {answers: [{day, cause, possible, unknown, benign, elapsed}], ratings: [{day, up, down}], resolutions: [{day, worked, did_not_work}]}. elapsed is the median and the 95th percentile in milliseconds. The row of answers without a day is that of all days. Days without any are left out.';

-- Failures without a runbook.

create function public.runbook_name(p_text text) returns text
language sql immutable set search_path = '' as $$
  select coalesce(nullif(btrim(left(
    regexp_replace(lower(regexp_replace(p_text, '([a-z0-9])([A-Z])', '\1-\2', 'g')), '[^a-z0-9]+', '-', 'g'), 80), '-'), ''), 'untitled');
$$;
comment on function public.runbook_name(text) is
  'The file name of a runbook about an alert or a title, without its ending: KubePodCrashLooping becomes kube-pod-crash-looping.';

create function public.answered_failures(p_since timestamptz, p_limit integer) returns table (
  gap_id text, domain text, alertname text, incident_id uuid, at timestamptz, title text, target text, observation_id uuid,
  outcome text, is_unanswered boolean)
language sql stable set search_path = '' set enable_seqscan = off as $$
  with answers as (
    select distinct on (a.incident_id) a.incident_id, a.outcome, a.cites_runbook from (
      select t.id, t.incident_id, t.created_at, t.outcome, t.cites_runbook from public.triages t
      where t.created_at >= p_since and not t.is_evaluation order by t.created_at desc, t.id desc limit p_limit
    ) a order by a.incident_id, a.created_at desc, a.id desc
  )
  select left(md5(i.domain || ' ' || coalesce('alert ' || (i.labels ->> 'alertname'), 'record ' || i.observation_id)), 16),
    i.domain, i.labels ->> 'alertname', i.id, i.created_at, i.title, i.target, i.observation_id, a.outcome,
    not a.cites_runbook or (a.outcome in ('unknown', 'possible') and i.worked is not true)
  from answers a join public.incidents i on i.id = a.incident_id
  -- A question about its session has no record.
  where a.outcome <> 'benign' and i.observation_id is not null;
$$;
comment on function public.answered_failures(timestamptz, integer) is
  'The incidents of the newest p_limit answers since then, each with its newest answer: is_unanswered if it cites no runbook, or names no cause and did not lead to the fix. gap_id groups them by domain and alert name, without one by the record of the failure.';

create function public.list_answer_gaps(p_since timestamptz, p_limit integer, p_groups integer) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  with gaps as (
    select f.gap_id as id, f.domain, f.alertname, (array_agg(f.title order by f.at desc, f.incident_id))[1] as title,
      count(*) as incidents, count(*) filter (where f.is_unanswered) as unanswered, min(f.at) as first_at, max(f.at) as last_at,
      (array_agg(f.outcome order by f.at desc, f.incident_id))[1] as last_outcome,
      (array_agg(f.incident_id order by f.at desc, f.incident_id) filter (where f.is_unanswered))[1:3] as incident_ids,
      array_agg(distinct f.target) filter (where f.target is not null) as targets,
      array_agg(distinct f.observation_id) as observation_ids
    from public.answered_failures(p_since, p_limit) f
    group by f.gap_id, f.domain, f.alertname
    -- A runbook answered the newest one.
    having (array_agg(f.is_unanswered order by f.at desc, f.incident_id))[1]
  ), listed as (
    select g.* from gaps g order by g.unanswered desc, g.last_at desc, g.id limit p_groups
  )
  select jsonb_build_object('total', (select count(*) from gaps), 'gaps', coalesce((
    select jsonb_agg(jsonb_build_object('id', l.id, 'domain', l.domain, 'alertname', l.alertname, 'title', l.title,
      'incidents', l.incidents, 'unanswered', l.unanswered, 'first_at', l.first_at, 'last_at', l.last_at,
      'last_outcome', l.last_outcome, 'incident_ids', l.incident_ids, 'targets', coalesce(to_jsonb(l.targets[1:5]), '[]'),
      'has_fix', exists (select 1 from public.fixes f join public.fix_tries t on t.fix_id = f.id and t.helped and t.corrected_at is null
        where f.observation_id = any (l.observation_ids)),
      'runbook', (select s.source from public.sources s
        where s.source = l.domain || '/' || public.runbook_name(coalesce(l.alertname, l.title)) || '.md' and s.kind = 'runbook'))
      order by l.unanswered desc, l.last_at desc, l.id) from listed l), '[]'));
$$;
comment on function public.list_answer_gaps(timestamptz, integer, integer) is
  'Failures whose newest answer found no runbook, most frequent first: {total, gaps: [{id, domain, alertname, title, incidents, unanswered, first_at, last_at, last_outcome, incident_ids, targets, has_fix, runbook}]}, at most p_groups, among the newest p_limit answers since then. runbook is the stored runbook that has the name of the draft: it was written since, and no such alert came yet.';

create function public.answer_gap_evidence(p_id text, p_since timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  with members as materialized (
    select f.* from public.answered_failures(p_since, p_limit) f where f.gap_id = p_id order by f.at desc, f.incident_id limit 50
  ), newest as (
    select m.* from members m order by m.at desc, m.incident_id limit 1
  ), actions as (
    select (array_agg(f.text order by t.at desc))[1] as text, (array_agg(t.conditions order by t.at desc) filter (where t.conditions is not null))[1] as conditions,
      count(*) as tried, count(*) filter (where t.helped) as worked, max(t.at) filter (where t.helped) as last_worked_at,
      bool_and(f.retired_at is not null) as is_retired
    from public.fixes f join public.fix_tries t on t.fix_id = f.id and t.corrected_at is null
    where f.observation_id in (select m.observation_id from members m)
    group by public.fix_key(f.text)
  )
  select jsonb_build_object('domain', n.domain, 'name', coalesce(n.alertname, n.title),
    'source', public.runbook_name(coalesce(n.alertname, n.title)) || '.md',
    'incidents', (select jsonb_agg(jsonb_build_object('id', i.id, 'created_at', i.created_at, 'title', i.title, 'question', i.question,
        'target', i.target, 'labels', i.labels, 'logs', left(i.logs, 20000), 'expression', i.expression) order by i.created_at desc, i.id)
      from public.incidents i where i.id in (select m.incident_id from members m order by m.at desc, m.incident_id limit 10)),
    'fixes', (select coalesce(jsonb_agg(jsonb_build_object('text', a.text, 'conditions', a.conditions, 'tried', a.tried,
        'worked', a.worked, 'last_worked_at', a.last_worked_at) order by a.worked desc, a.last_worked_at desc nulls last, a.text), '[]')
      from (select * from actions b where b.worked = 0 or not b.is_retired
        order by b.worked desc, b.last_worked_at desc nulls last, b.text limit 10) a))
  from newest n;
$$;
comment on function public.answer_gap_evidence(text, timestamptz, integer) is
  'What a draft of a runbook for a gap (see list_answer_gaps) is made of: {domain, name, source, incidents: the newest ten with their logs, fixes: the recorded actions, those that helped first}; null if there is no such gap.';

-- Evaluation runs.

create table public.evaluation_runs (
  id text primary key check (length(id) between 1 and 100),
  started_at timestamptz not null,
  finished_at timestamptz not null,
  version text not null,
  revision text,
  models text,
  reranker text,
  embedding text,
  repeats integer not null check (repeats > 0),
  cases integer not null check (cases > 0),
  passed integer not null check (passed between 0 and cases),
  metrics jsonb not null
);
create index evaluation_runs_newest on public.evaluation_runs (started_at desc, id desc);
comment on table public.evaluation_runs is 'Summaries of evaluation runs, without their cases; the newest 200.';
comment on column public.evaluation_runs.id is 'The id that the evaluation gave it.';
comment on column public.evaluation_runs.started_at is 'When it began.';
comment on column public.evaluation_runs.finished_at is 'When it ended.';
comment on column public.evaluation_runs.version is 'The version of the service under test.';
comment on column public.evaluation_runs.revision is 'The revision of its source; null if unknown.';
comment on column public.evaluation_runs.models is 'The language models that answered; null for extractive answers.';
comment on column public.evaluation_runs.reranker is 'The reranker; null without one.';
comment on column public.evaluation_runs.embedding is 'The embedding model; null if unknown.';
comment on column public.evaluation_runs.repeats is 'Trials of each case.';
comment on column public.evaluation_runs.cases is 'Cases that were run.';
comment on column public.evaluation_runs.passed is 'Cases of which every trial passed.';
comment on column public.evaluation_runs.metrics is 'Each metric that applied to a case: {name: {mean, cases}}, means from 0 to 1.';
-- A run has figures alone: no text of a domain.
alter table public.evaluation_runs enable row level security;
create policy restricted on public.evaluation_runs for select to dejavu_restricted using (true);

create function public.record_evaluation_run(p jsonb, p_keep integer) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.evaluation_runs select r.* from jsonb_populate_record(null::public.evaluation_runs, p) r
  on conflict (id) do nothing;
  delete from public.evaluation_runs e where e.id in (
    select o.id from public.evaluation_runs o order by o.started_at desc, o.id desc offset p_keep);
end $$;
comment on function public.record_evaluation_run(jsonb, integer) is
  'Stores the summary of an evaluation run and keeps the newest p_keep. A run that is stored already stays as it is.';

create function public.list_evaluation_runs(p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(to_jsonb(t) order by t.started_at desc, t.id desc), '[]') from (
    select e.* from public.evaluation_runs e order by e.started_at desc, e.id desc limit p_limit) t;
$$;
comment on function public.list_evaluation_runs(integer) is 'Evaluation runs, newest first.';

insert into public.restricted_functions (name)
select unnest('{judged_answers, outcomes_by_day, list_answer_gaps, answer_gap_evidence, list_evaluation_runs}'::text[]);

call public.restrict_to_service_role();
