-- Quality of the answers: feedback, the calibration of the relevance model, outcomes over time, and failures
-- without a runbook.

-- Feedback on answers, and its outbox to the trace server: each rating is an annotation of the span of its triage, enqueued
-- in the transaction of the rating.

create table public.feedback (
  triage_id uuid not null references public.triages (id) on delete cascade,
  person text not null,
  at timestamptz not null,
  rating integer not null default 0 check (rating between -1 and 1),
  comment text,
  corrections jsonb not null default '[]',
  id bigint generated always as identity,
  primary key (triage_id, person)
);
comment on table public.feedback is 'Ratings, comments and corrections of an answer, one row per person.';
comment on column public.feedback.triage_id is 'The answer.';
comment on column public.feedback.person is 'A digest of the person''s name; empty if the caller names none.';
comment on column public.feedback.at is 'When it was last changed.';
comment on column public.feedback.rating is '1 for helpful, -1 for not helpful, 0 for none.';
comment on column public.feedback.comment is 'Free text, redacted.';
comment on column public.feedback.corrections is 'The parts of the answer that are wrong: [{part, was?, right?}], redacted.';
comment on column public.feedback.id is 'Order within one moment. Identifies no person.';
create unique index feedback_by_time on public.feedback (at desc, id desc);
create index feedback_by_rating on public.feedback (rating, at desc, id desc);
create index feedback_with_corrections on public.feedback (at desc) where corrections <> '[]';
create policy restricted on public.feedback for all to dejavu_restricted
  using (exists (select 1 from public.triages t where t.id = triage_id));

create table public.annotation_outbox (
  id bigint generated always as identity primary key,
  triage_id uuid not null,
  person text not null,
  created_at timestamptz not null,
  version integer not null default 1,
  attempts integer not null default 1,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  last_error text,
  given_up_at timestamptz,
  unique (triage_id, person),
  foreign key (triage_id, person) references public.feedback (triage_id, person) on delete cascade
);
comment on table public.annotation_outbox is
  'Ratings that are not posted to the trace server yet. A row is deleted when its rating is posted or deleted. A row that was given up stays until the rating changes.';
comment on column public.annotation_outbox.id is 'Order of insertion.';
comment on column public.annotation_outbox.triage_id is 'The answer.';
comment on column public.annotation_outbox.person is 'As in feedback.';
comment on column public.annotation_outbox.created_at is 'Since when it is pending.';
comment on column public.annotation_outbox.version is 'Increases with every change of the rating: after an earlier version is posted, the newer one stays pending.';
comment on column public.annotation_outbox.attempts is 'Attempts since the rating changed.';
comment on column public.annotation_outbox.next_attempt_at is 'Earliest next attempt.';
comment on column public.annotation_outbox.claimed_until is 'Until when one worker holds it, so that two never post it at once; null if unclaimed.';
comment on column public.annotation_outbox.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.annotation_outbox.given_up_at is 'When the last attempt was made; null while it is retried.';
create index annotation_outbox_due on public.annotation_outbox (next_attempt_at, id) where given_up_at is null;
create policy restricted on public.annotation_outbox for all to dejavu_restricted
  using (exists (select 1 from public.triages t where t.id = triage_id));

create function public.annotation_json(o public.annotation_outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'version', o.version, 'attempts', o.attempts, 'triage_id', o.triage_id,
    'claimed_until', o.claimed_until, 'incident_id', t.incident_id, 'span_id', t.result #>> '{trace,span_id}',
    'person', o.person, 'rating', f.rating, 'comment', f.comment)
  from public.feedback f join public.triages t on t.id = f.triage_id
  where f.triage_id = o.triage_id and f.person = o.person;
$$;
comment on function public.annotation_json(public.annotation_outbox) is
  'A pending annotation with the current rating. Called by record_feedback and claim_annotations.';

create function public.is_corrected(p_triage uuid) returns boolean
language sql stable set search_path = '' as $$
  select exists (select 1 from public.feedback f where f.triage_id = p_triage
    and f.corrections @? '$[*] ? (@.part == "cause" || @.part == "step" || @.part == "runbook")');
$$;
comment on function public.is_corrected(uuid) is
  'Whether somebody corrects the cause, a step or the runbook of an answer: a correction that was taken back does not count. Called by known_failure and incident_summary.';

create function public.corrections_of_records(p_records uuid[], p_domain text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('record', n.record, 'part', n.part, 'right', n.fact, 'at', n.at,
      'by', (select e.detail ->> 'by' from public.incident_events e
        where e.incident_id = n.incident and e.kind = 'corrected' and e.detail ->> 'part' = n.part and e.detail ->> 'right' = n.fact
        order by e.id desc limit 1),
      'sections', case when n.part = 'runbook' then public.runbook_sections((public.source_names(n.fact))[:1], p_domain) else '[]' end)), '[]')
  from (
    select distinct on (i.observation_id, c ->> 'part') i.observation_id as record, i.id as incident, f.at,
      c ->> 'part' as part, c ->> 'right' as fact
    -- The limit bounds the work, however many answers were corrected.
    from (select r.triage_id, r.at, r.corrections from public.feedback r where r.corrections <> '[]' order by r.at desc limit 1000) f
    join public.triages t on t.id = f.triage_id
    join public.incidents i on i.id = t.incident_id and i.observation_id = any (p_records)
    cross join jsonb_array_elements(f.corrections) c
    where c ->> 'part' in ('runbook', 'cause') and c ? 'right'
    order by i.observation_id, c ->> 'part', f.at desc) n;
$$;
comment on function public.corrections_of_records(uuid[], text) is
  'The runbook and the cause that a person last named for each of these records, among the newest 1000 corrections: [{record, part, right, at, by, sections}], by null if unknown; sections of the runbook, see runbook_sections. Called by recall_state.';

create function public.first_shown(p_result jsonb) returns uuid
language sql immutable set search_path = '' as $$
  select case when (p_result #>> '{answer,worked_before,0,same_failure}')::boolean
    then (p_result #>> '{answer,worked_before,0,citations,0}')::uuid end;
$$;
comment on function public.first_shown(jsonb) is
  'The record with whose fix an answer begins as that of the same failure; null without one. Called by ratings_against and record_feedback.';

create function public.ratings_against(p_fix_id uuid) returns integer
language sql stable set search_path = '' as $$
  select (count(distinct (f.triage_id, f.person)) filter (where f.rating < 0)
    - count(distinct (f.triage_id, f.person)) filter (where f.rating > 0))::integer
  from public.fixes x
  join public.shown_memories s on s.observation_id = x.observation_id
  join public.triages t on t.incident_id = s.incident_id
  join public.feedback f on f.triage_id = t.id
  where x.id = p_fix_id and public.first_shown(t.result) = x.observation_id
    and public.fix_key(t.result #>> '{answer,worked_before,0,fix,text}') = public.fix_key(x.text);
$$;
comment on function public.ratings_against(uuid) is
  'Ratings down minus ratings up of the answers that began with a fix as that of the same failure. Called by settle_fixes.';

create function public.apply_ratings(p_observation_id uuid, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  v_before public.observations;
begin
  perform public.lock_observations(array[p_observation_id]);
  select * into v_before from public.observations o where o.id = p_observation_id;
  perform public.settle_fixes(p_observation_id, p_now);
  -- Its document has another fix: the job rebuild-memory writes it anew.
  update public.observations o set version = o.version + 1, signature_version = 0
  where o.id = p_observation_id and o.resolution is distinct from v_before.resolution;
end $$;
comment on function public.apply_ratings(uuid, timestamptz) is
  'Retires or restores the fixes of a record after a rating of an answer that began with one of them. Called by record_feedback.';

create function public.record_feedback(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_triage uuid := (p ->> 'triage_id')::uuid;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_answer record;
  v_old_rating integer;
  v_old_corrections jsonb;
  v_new_rating integer := (p ->> 'rating')::integer;
  v_net_rating integer;
  v_is_claimed boolean;
  v_shown uuid[];
  v_entry public.annotation_outbox;
  v_result jsonb;
begin
  -- The row lock serialises the ratings of one answer, so that each changes the net rating by its own difference.
  select t.incident_id, t.recalled_ids, t.result #>> '{trace,span_id}' as span, public.first_shown(t.result) as first into v_answer
  from public.triages t where t.id = v_triage for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  select f.rating, f.corrections into v_old_rating, v_old_corrections from public.feedback f where f.triage_id = v_triage and f.person = p ->> 'person';
  v_new_rating := coalesce(v_new_rating, v_old_rating, 0);
  insert into public.feedback as f (triage_id, person, at, rating, comment, corrections)
  values (v_triage, p ->> 'person', v_now, v_new_rating, p ->> 'comment', coalesce(p -> 'corrections', '[]'))
  on conflict (triage_id, person) do update
  set at = excluded.at, rating = excluded.rating, comment = coalesce(excluded.comment, f.comment),
    -- An answer that helped has nothing to correct.
    corrections = case when v_new_rating > 0 and not p ? 'corrections' or excluded.corrections = '[]' and p ? 'corrections' then '[]'
      else excluded.corrections || (select coalesce(jsonb_agg(o), '[]') from jsonb_array_elements(f.corrections) as o
        where o -> 'part' not in (select c -> 'part' from jsonb_array_elements(excluded.corrections) as c)) end;
  -- A corrected domain or severity is an event of its own.
  insert into public.incident_events (incident_id, at, kind, detail)
  select v_answer.incident_id, v_now, 'corrected', c || jsonb_strip_nulls(jsonb_build_object('by', p -> 'by'))
  from jsonb_array_elements(p -> 'corrections') as c
  where c ->> 'part' in ('cause', 'step', 'runbook') and not exists (select 1 from jsonb_array_elements(v_old_corrections) o where o = c);
  -- Taken back: the answer is no longer shown as a corrected one.
  delete from public.incident_events e using jsonb_array_elements(v_old_corrections) as c
  where e.incident_id = v_answer.incident_id and e.kind = 'corrected' and e.detail - 'by' = c
    and not exists (select 1 from public.feedback f join public.triages t on t.id = f.triage_id
      cross join jsonb_array_elements(f.corrections) as o where t.incident_id = v_answer.incident_id and o = c);
  update public.past_answers a set net_rating = a.net_rating + v_new_rating - coalesce(v_old_rating, 0)
  where a.id = v_triage or a.id = (select o.summary_id from public.past_answers o where o.id = v_triage);
  select a.net_rating into v_net_rating from public.past_answers a where a.id = v_triage;
  if v_new_rating > 0 then
    v_shown := array(select s.observation_id from public.shown_memories s
      where s.incident_id = v_answer.incident_id and s.observation_id::text = any (v_answer.recalled_ids));
    perform public.lock_observations(v_shown);
    perform public.credit_memories(v_answer.incident_id, v_shown);
  end if;
  if v_answer.first is not null and v_new_rating is distinct from coalesce(v_old_rating, 0) then
    perform public.apply_ratings(v_answer.first, v_now);
  end if;
  v_result := jsonb_build_object('state', 'recorded', 'rating', v_new_rating, 'net_rating', v_net_rating);
  if v_answer.span is null or not coalesce((p ->> 'annotate')::boolean, false) then
    return v_result;
  end if;
  -- A worker that is posting the earlier rating keeps its claim. When it finishes, the newer rating stays pending.
  select o.claimed_until > v_now into v_is_claimed from public.annotation_outbox o
  where o.triage_id = v_triage and o.person = p ->> 'person' for update;
  insert into public.annotation_outbox as o (triage_id, person, created_at, next_attempt_at, claimed_until)
  values (v_triage, p ->> 'person', v_now, v_claim_until, v_claim_until)
  on conflict (triage_id, person) do update
  set version = o.version + 1, attempts = 1, created_at = excluded.created_at, given_up_at = null, last_error = null,
    next_attempt_at = case when v_is_claimed then o.next_attempt_at else excluded.next_attempt_at end,
    claimed_until = case when v_is_claimed then o.claimed_until else excluded.claimed_until end
  returning * into v_entry;
  if not coalesce(v_is_claimed, false) then
    v_result := v_result || jsonb_build_object('annotation', public.annotation_json(v_entry));
  end if;
  return v_result;
end $$;
comment on function public.record_feedback(jsonb) is
  'Records the feedback of one person on an answer: {now, triage_id, person, by?, rating, comment, corrections?, annotate?, claim_until?}. Each of the corrections replaces the person''s former one of the same part; an empty list takes all back. Each new correction of a cause, a step or the runbook is an event, until it is taken back. rating is 1, -1, 0 to withdraw it, or null to keep it. Returns {state, rating, net_rating}; net_rating of the past answer changes by the difference and is null if the answer is not in memory. A rating of 1 notes that the shown records helped. With annotate, if the triage has a span, the rating is enqueued for the trace server: annotation is the entry, claimed by the caller until claim_until, unless another worker is posting the earlier rating. Called by feedback.ts and store_buffered_feedback.';

create function public.store_buffered_feedback(p jsonb) returns jsonb
language sql set search_path = '' as $$
  select case
    when exists (select 1 from public.feedback f where f.triage_id = (p ->> 'triage_id')::uuid
      and f.person = p ->> 'person' and f.at >= (p ->> 'now')::timestamptz) then jsonb_build_object('state', 'superseded')
    else public.record_feedback(p)
  end;
$$;
comment on function public.store_buffered_feedback(jsonb) is
  'Like record_feedback, for feedback that waited: state superseded if the person has given this or newer feedback. Idempotent. Called by feedback.ts.';

create function public.list_feedback(
  p_limit integer, p_before_at timestamptz default null, p_before_id bigint default null, p_rating integer default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', f.id, 'at', f.at, 'rating', f.rating, 'comment', f.comment, 'corrections', f.corrections, 'triage_id', t.id,
    'incident_id', i.id, 'title', coalesce(i.reported_title, i.title), 'question', i.question, 'target', i.target, 'severity', i.severity,
    'labels', i.labels, 'logs', left(i.logs, 20000), 'domain', i.domain, 'outcome', t.outcome, 'confidence', t.confidence,
    'sources', coalesce(t.result -> 'sources', '[]'))
  from public.feedback f
  join public.triages t on t.id = f.triage_id
  join public.incidents i on i.id = t.incident_id
  where (p_before_at is null or (f.at, f.id) < (p_before_at, p_before_id))
    and (p_rating is null or f.rating = p_rating)
  order by f.at desc, f.id desc limit p_limit;
$$;
comment on function public.list_feedback(integer, timestamptz, bigint, integer) is
  'Ratings and comments with their question and answer, newest first, a page before (p_before_at, p_before_id); of a log the first 20,000 characters. Called by feedback-list.ts.';

create function public.claim_annotations(p_now timestamptz, p_limit integer, p_lease_seconds integer) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select o.id from public.annotation_outbox o where o.given_up_at is null and o.next_attempt_at <= p_now
    order by o.next_attempt_at, o.id limit p_limit for update skip locked
  ), claimed as (
    update public.annotation_outbox o
    set attempts = o.attempts + 1, next_attempt_at = p_now + p_lease_seconds * interval '1 second',
      claimed_until = p_now + p_lease_seconds * interval '1 second'
    from due where o.id = due.id
    returning o.*
  )
  select coalesce(jsonb_agg(public.annotation_json(c::public.annotation_outbox) order by c.id), '[]') from claimed c;
$$;
comment on function public.claim_annotations(timestamptz, integer, integer) is
  'Claims due annotations for p_lease_seconds, with the current ratings. Called by annotation-outbox.ts.';

create function public.record_annotation_results(p_now timestamptz, p_results jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.annotation_outbox o
  using jsonb_to_recordset(p_results) as r (id bigint, version integer, error text)
  where o.id = r.id and o.version = r.version and r.error is null;
  -- Skip expired claims: another worker may hold the row now.
  update public.annotation_outbox o
  set claimed_until = null, last_error = r.error, next_attempt_at = coalesce(r.next_attempt_at, p_now),
    attempts = case when o.version = r.version then o.attempts else 0 end,
    given_up_at = case when o.version = r.version and r.next_attempt_at is null then p_now end
  from jsonb_to_recordset(p_results) as r (id bigint, version integer, claimed_until timestamptz, error text,
    next_attempt_at timestamptz)
  where o.id = r.id and o.claimed_until = r.claimed_until;
end $$;
comment on function public.record_annotation_results(timestamptz, jsonb) is
  'Records the results of claimed annotations: [{id, version, claimed_until, error, next_attempt_at}]. Without an error the entry is deleted. With an error it is retried at next_attempt_at, or given up if that is null. A rating that changed meanwhile stays pending, and is due at once if the earlier one was posted. Called by annotation-outbox.ts.';

create function public.list_outbox(p_limit integer, p_after_id bigint default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'pending', coalesce((select jsonb_agg(to_jsonb(t) order by t.id) from (
      select o.id, o.collection, o.document_id, o.created_at, o.attempts, o.next_attempt_at, o.last_error
      from public.outbox o where o.done_at is null and o.id > coalesce(p_after_id, 0) order by o.id limit p_limit) t), '[]'),
    'total', (select count(*) from public.outbox o where o.done_at is null),
    'annotations', (select jsonb_build_object('pending', count(*) filter (where o.given_up_at is null),
      'given_up', count(o.given_up_at)) from public.annotation_outbox o));
$$;
comment on function public.list_outbox(integer, bigint) is
  '{pending: index writes, oldest first; total: how many there are; annotations: {pending, given_up}, the number of each}. Called by memory-lists.ts.';

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
create policy restricted on public.relevance_calibration for select to dejavu_restricted using (true);

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
  'The log-odds of the best runbook or past incident that a triage''s answer cites; null if it cites none. Called by calibration_labels.';

create function public.judges_runbook(p_feedback public.feedback) returns boolean
language sql immutable set search_path = '' as $$
  -- A wrong cause or step of a text about this failure says nothing about its probability.
  select p_feedback.corrections = '[]' or p_feedback.corrections @> '[{"part": "runbook"}]';
$$;
comment on function public.judges_runbook(public.feedback) is
  'Whether a rating judges the text on which the answer rests, and not only a part of it. Called by calibration_labels and judged_answers.';

-- Judgements of records are labels, too.
create function public.calibration_labels(p_model text, p_after timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  -- The limits inside bound the work, however many ratings and resolutions there are.
  with ratings as (
    select f.at, f.rating > 0 as is_right, t.id, t.outcome, t.result from (
      select r.at, r.rating, r.triage_id from public.feedback r
      where r.rating <> 0 and public.judges_runbook(r) and r.at > coalesce(p_after, '-infinity')
      order by r.at desc, r.id desc limit p_limit
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
    where j.outcome in ('cause', 'possible') and j.result ->> 'relevance_model' = p_model and not public.is_evaluation(j.result)
    order by j.id, j.at desc, j.is_right
  ), labels as (
    select n.at, n.id, n.is_right, public.answer_log_odds(n.result) as log_odds from newest n
    union all
    (select j.at, j.id, j.kind = 'join', j.log_odds from public.memory_judgements j
    where j.model = p_model and j.at > coalesce(p_after, '-infinity') order by j.at desc limit p_limit)
  )
  select coalesce(jsonb_agg(jsonb_build_object('log_odds', l.log_odds, 'is_right', l.is_right)), '[]') from (
    select * from labels where labels.log_odds is not null order by labels.at desc, labels.id limit p_limit
  ) l;
$$;
comment on function public.calibration_labels(text, timestamptz, integer) is
  'Judged answers and pairs of records that used this relevance model, from after p_after and newest first: [{log_odds, is_right}], at most p_limit, among the newest p_limit of each kind of judgement. An answer was right if it was rated up, or if its incident was resolved and it worked; see judges_runbook. Of several judgements of one answer the newest counts. A pair of records was one failure if a person joined it, and none if they split it. Called by claim_calibration.';

create function public.has_new_judgements(p_since timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select p_since is null
    or exists (select 1 from public.feedback f where f.at >= p_since)
    or exists (select 1 from public.incidents i where i.worked is not null and i.resolved_at >= p_since)
    or exists (select 1 from public.memory_judgements j where j.at >= p_since);
$$;
comment on function public.has_new_judgements(timestamptz) is
  'Whether a rating, a resolution, or a judgement of records is from since then; true for null. Called by claim_calibration.';

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
  'Claims the calibration of a model for a fit: state claimed with claimed_until, the stored numbers and the labels (see calibration_labels); unchanged without a judgement since the last fit; busy while another run holds it. Called by calibration-records.ts.';

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
  'Stores a fit: {model, claimed_until, now, slope, intercept, labels, positives, brier_before, brier_after}. Returns false and stores nothing if the claim is no longer held: the calibration was reset, or another run took it. Called by calibration-records.ts.';

create function public.get_calibration(p_model text) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select to_jsonb(c) - 'claimed_until' from public.relevance_calibration c where c.model = p_model),
    jsonb_build_object('model', p_model, 'slope', 1, 'intercept', 0, 'labels', 0, 'positives', 0, 'brier_before', null,
      'brier_after', null, 'fitted_at', null, 'ignore_before', null));
$$;
comment on function public.get_calibration(text) is
  'The calibration of a model, as stored or the default. Called by calibration-records.ts and reset_calibration.';

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
  'Returns every model to the default, and ignores the judgements up to now. A fit that is in progress is not stored. Called by calibration-records.ts.';

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
  'The gauges of a relevance model''s calibration; for null, those of the model that was fitted last. Called by metric_samples.';

-- The incidents that a runbook answered.

create table public.runbook_uses (
  source text not null,
  incident_id uuid not null references public.incidents (id) on delete cascade,
  triage_id uuid not null references public.triages (id) on delete cascade,
  at timestamptz not null,
  topics text[] not null default '{}',
  primary key (source, incident_id)
);
comment on table public.runbook_uses is 'Incidents whose answer cites a runbook: the newest such answer of each.';
comment on column public.runbook_uses.source is 'Name of the runbook. Uses from before it was stored count for nothing: they are of a deleted one.';
comment on column public.runbook_uses.incident_id is 'The incident.';
comment on column public.runbook_uses.triage_id is 'The newest answer to the incident that cites the runbook.';
comment on column public.runbook_uses.at is 'When that answer was finished.';
comment on column public.runbook_uses.topics is 'Anchors of the topics that the answer cites; empty for a runbook about one failure.';
create index runbook_uses_by_time on public.runbook_uses (source, at desc, incident_id desc);
create index runbook_uses_of_incident on public.runbook_uses (incident_id);
create index runbook_uses_of_triage on public.runbook_uses (triage_id);
-- Written with the triage, of an incident that the caller may see.
create policy restricted on public.runbook_uses for all to dejavu_restricted
  using (exists (select 1 from public.incidents i where i.id = incident_id)) with check (true);

create function public.record_runbook_uses() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into public.runbook_uses as u (source, incident_id, triage_id, at, topics)
  select e ->> 'source', new.incident_id, new.id, new.created_at,
    coalesce(array_agg(distinct d.metadata ->> 'topic') filter (where d.metadata ->> 'topic' <> ''), '{}')
  from jsonb_array_elements(case when jsonb_typeof(new.result -> 'sources') = 'array' then new.result -> 'sources' else '[]' end) e
  left join public.documents d on d.id = e ->> 'id'
    and d.collection_id = (select c.id from public.collections c where c.name = 'runbooks')
  where e ->> 'kind' = 'runbook' and e ->> 'source' is not null
  group by e ->> 'source'
  on conflict (source, incident_id) do update set triage_id = excluded.triage_id, at = excluded.at, topics = excluded.topics
  where u.at <= excluded.at;
  return null;
end $$;
comment on function public.record_runbook_uses() is 'Records which runbooks, and which of their topics, a new answer cites. Trigger of triages.';
create trigger triages_runbook_uses after insert on public.triages for each row execute function public.record_runbook_uses();

create function public.forget_runbook_uses() returns trigger
language plpgsql set search_path = '' as $$
begin
  delete from public.runbook_uses u where u.source = old.source;
  return null;
end $$;
comment on function public.forget_runbook_uses() is 'Deletes the uses of a deleted runbook. Trigger of sources.';
create trigger sources_uses after delete on public.sources for each row
  when (old.kind = 'runbook') execute function public.forget_runbook_uses();

create function public.judged_uses(p_source text, p_since timestamptz) returns table (at timestamptz, topics text[], helped boolean)
language sql stable set search_path = '' set enable_seqscan = off as $$
  select u.at, u.topics, case when i.worked or f.rating > 0 then true when not i.worked or f.rating < 0 then false end
  from (select * from public.runbook_uses r where r.source = p_source and r.at >= p_since order by r.at desc, r.incident_id desc limit 1000) u
  join public.incidents i on i.id = u.incident_id
  left join lateral (select sum(f.rating) as rating from public.feedback f where f.triage_id = u.triage_id) f on true;
$$;
comment on function public.judged_uses(text, timestamptz) is
  'The newest 1000 answers that cite a runbook, and whether each helped: it led to the fix, or its ratings are positive; null if nobody said so. Called by runbook_totals and list_runbook_uses.';

create function public.runbook_totals(p_source public.sources) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('answered', count(*), 'helped', count(*) filter (where j.helped),
    'did_not_help', count(*) filter (where not j.helped), 'since', min(j.at))
  from public.judged_uses(p_source.source, p_source.created_at) j where p_source.kind = 'runbook' having p_source.kind = 'runbook';
$$;
comment on function public.runbook_totals(public.sources) is
  'How many answers cite a runbook, and how many helped: {answered, helped, did_not_help, since}, see judged_uses; null for another text. Called by list_sources, get_source and list_runbook_uses.';

create function public.list_runbook_uses(p jsonb) returns jsonb
language sql stable set search_path = '' as $$
  with runbook as (
    select * from public.sources s where s.id = p ->> 'id' and s.kind = 'runbook'
  ), judged as materialized (
    select j.* from runbook s cross join lateral public.judged_uses(s.source, s.created_at) j
  ), topics as (
    select d.metadata ->> 'topic' as anchor, d.metadata ->> 'topic_title' as title, min(d.chunk_index) as place
    from runbook s join public.documents d on d.source = s.source
      and d.collection_id = (select c.id from public.collections c where c.name = 'runbooks')
    where d.metadata ->> 'topic' <> '' group by 1, 2
  )
  select jsonb_build_object(
    'totals', public.runbook_totals(s),
    'topics', (
      select coalesce(jsonb_agg(to_jsonb(r) - 'place' order by r.place), '[]') from (
        select t.anchor, t.title, t.place, count(j.at) as answered, count(*) filter (where j.helped) as helped,
          count(*) filter (where not j.helped) as did_not_help
        from topics t left join judged j on t.anchor = any (j.topics) group by t.anchor, t.title, t.place) r),
    'uses', (
      select coalesce(jsonb_agg(jsonb_build_object('incident_id', u.incident_id, 'triage_id', u.triage_id, 'at', u.at,
        'topics', to_jsonb(u.topics), 'title', i.title, 'target', i.target, 'severity', i.severity, 'status', i.status,
        'outcome', t.outcome, 'confidence', t.confidence, 'worked', i.worked,
        'rating_up', (select count(*) from public.feedback f where f.triage_id = u.triage_id and f.rating > 0),
        'rating_down', (select count(*) from public.feedback f where f.triage_id = u.triage_id and f.rating < 0))
        order by u.at desc, u.incident_id desc), '[]')
      from (
        select * from public.runbook_uses u where u.source = s.source and u.at >= s.created_at
          and (p ->> 'before_at' is null or (u.at, u.incident_id) < ((p ->> 'before_at')::timestamptz, (p ->> 'before_id')::uuid))
        order by u.at desc, u.incident_id desc limit (p ->> 'limit')::integer) u
      join public.incidents i on i.id = u.incident_id
      join public.triages t on t.id = u.triage_id))
  from runbook s;
$$;
comment on function public.list_runbook_uses(jsonb) is
  'Incidents whose answer cites a runbook, newest first: {id, limit, before_at?, before_id?}. Totals, and those of each topic in document order, cover the newest 1000; an answer helped if it led to the fix or its ratings are positive. Null if there is no such runbook. Called by runbook-uses.ts.';

-- Judged answers and outcomes.

create function public.judged_answers(p_since timestamptz, p_limit integer) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  -- The limits inside bound the work, however many ratings and resolutions there are.
  with ratings as (
    select r.at, r.rating > 0 as is_right, r.triage_id from public.feedback r
    where r.rating <> 0 and public.judges_runbook(r) and r.at >= p_since order by r.at desc, r.id desc limit p_limit
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
  'Answers with the outcome cause or possible that people judged since then, newest judgement first, at most p_limit: [{triage_id, confidence, is_right}]. An answer was right if it was rated up, or if its incident was resolved and it worked; see judges_runbook. Of several judgements of one answer the newest counts. Called by confidence-reliability.ts.';

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
  'Answers and judgements since then by UTC day, without evaluations: {answers: [{day, cause, possible, unknown, benign, elapsed}], ratings: [{day, up, down}], resolutions: [{day, worked, did_not_work}]}. elapsed is the median and the 95th percentile in milliseconds. The row of answers without a day is that of all days. Days without any are left out. Called by outcomes-by-day.ts.';

-- Failures without a runbook.

create function public.runbook_name(p_text text) returns text
language sql immutable set search_path = '' as $$
  select coalesce(nullif(btrim(left(
    regexp_replace(lower(regexp_replace(p_text, '([a-z0-9])([A-Z])', '\1-\2', 'g')), '[^a-z0-9]+', '-', 'g'), 80), '-'), ''), 'untitled');
$$;
comment on function public.runbook_name(text) is
  'The file name of a runbook about an alert or a title, without its ending: KubePodCrashLooping becomes kube-pod-crash-looping. Called by failure_of_record, list_answer_gaps and answer_gap_evidence.';

create function public.heading_anchor(p_heading text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(lower(p_heading), '[^[:alnum:][:space:]_-]', '', 'g'), '[[:space:]]', '-', 'g');
$$;
comment on function public.heading_anchor(text) is
  'The anchor of a topic with this heading, as in lib/markdown/topics.ts. Called by list_answer_gaps.';
create index documents_by_topic on public.documents ((metadata ->> 'topic')) where metadata ->> 'topic' <> '';

create function public.answered_failures(p_since timestamptz, p_limit integer) returns table (
  gap_id text, name text, domain text, alertname text, incident_id uuid, at timestamptz, title text, target text, observation_id uuid,
  outcome text, is_unanswered boolean)
language sql stable set search_path = '' set enable_seqscan = off as $$
  with answers as (
    select distinct on (a.incident_id) a.incident_id, a.outcome, a.cites_runbook from (
      select t.id, t.incident_id, t.created_at, t.outcome, t.cites_runbook from public.triages t
      where t.created_at >= p_since and not t.is_evaluation order by t.created_at desc, t.id desc limit p_limit
    ) a order by a.incident_id, a.created_at desc, a.id desc
  ), answered as (
    select i.*, a.outcome, a.cites_runbook from answers a join public.incidents i on i.id = a.incident_id
    -- A question about its session has no record.
    where a.outcome <> 'benign' and i.observation_id is not null
  ), records as materialized (
    select r.id, public.failure_of_record(r.id) as failure from (select distinct a.observation_id as id from answered a) r
  ), failures as (
    select left(md5(r.failure ->> 'id'), 16) as gap_id, r.failure ->> 'name' as failure_name, r.failure ->> 'line' as line, coalesce(a.answer_domain, a.domain) as place, a.labels ->> 'alertname' as alertname, a.*
    from answered a join records r on r.id = a.observation_id where r.failure is not null
  )
  select f.gap_id, case
      -- The runbook of an alert that means one failure is found by the name of the alert.
      when f.alertname is not null and min(f.gap_id) over alert = max(f.gap_id) over alert then f.alertname
      when f.line is null and f.alertname is null then f.title else f.failure_name end,
    f.place, f.alertname, f.id, f.created_at, f.title, f.target, f.observation_id, f.outcome,
    not f.cites_runbook or not coalesce(f.worked, f.outcome <> 'unknown')
  from failures f window alert as (partition by f.place, f.alertname);
$$;
comment on function public.answered_failures(timestamptz, integer) is
  'The incidents of the newest p_limit answers since then, each with its newest answer: is_unanswered if it cites no runbook, or did not lead to the fix; until somebody says so, if it is unknown. gap_id groups them by their failure, see failure_of_record; name is that of the alert if it means no other failure, else that of the failure. Called by list_answer_gaps and answer_gap_evidence.';

create function public.list_answer_gaps(p_since timestamptz, p_limit integer, p_groups integer) returns jsonb
language sql stable set search_path = '' set enable_seqscan = off as $$
  with gaps as (
    select f.gap_id as id, (array_agg(f.domain order by f.at desc, f.incident_id))[1] as domain,
      (array_agg(f.name order by f.at desc, f.incident_id))[1] as name,
      (array_agg(f.alertname order by f.at desc, f.incident_id))[1] as alertname, (array_agg(f.title order by f.at desc, f.incident_id))[1] as title,
      count(*) as incidents, count(*) filter (where f.is_unanswered) as unanswered, min(f.at) as first_at, max(f.at) as last_at,
      (array_agg(f.outcome order by f.at desc, f.incident_id))[1] as last_outcome,
      (array_agg(f.incident_id order by f.at desc, f.incident_id) filter (where f.is_unanswered))[1:3] as incident_ids,
      array_agg(distinct f.target) filter (where f.target is not null) as targets,
      array_agg(distinct f.observation_id) as observation_ids
    from public.answered_failures(p_since, p_limit) f
    group by f.gap_id
    -- A runbook answered the newest one.
    having (array_agg(f.is_unanswered order by f.at desc, f.incident_id))[1]
  ), listed as (
    select g.* from gaps g order by g.unanswered desc, g.last_at desc, g.id limit p_groups
  )
  select jsonb_build_object('total', (select count(*) from gaps), 'gaps', coalesce((
    select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'domain', l.domain, 'alertname', l.alertname, 'title', l.title,
      'incidents', l.incidents, 'unanswered', l.unanswered, 'first_at', l.first_at, 'last_at', l.last_at,
      'last_outcome', l.last_outcome, 'incident_ids', l.incident_ids, 'targets', coalesce(to_jsonb(l.targets[1:5]), '[]'),
      'services', coalesce(cardinality(l.targets), 0),
      'has_fix', exists (select 1 from public.helped_tries() t where t.observation_id = any (l.observation_ids) and t.is_active),
      'runbook', coalesce(
        (select s.source from public.sources s
          where s.source = l.domain || '/' || public.runbook_name(l.name) || '.md' and s.kind = 'runbook'),
        (select min(d.source) from public.documents d
          where d.metadata ->> 'topic' = public.heading_anchor(l.name) and d.metadata ->> 'topic' <> ''
            and d.domain = l.domain and d.metadata ->> 'kind' = 'runbook')))
      order by l.unanswered desc, l.last_at desc, l.id) from listed l), '[]'));
$$;
comment on function public.list_answer_gaps(timestamptz, integer, integer) is
  'Failures whose newest answer found no runbook, most frequent first: {total, gaps: [{id, name, domain, alertname, title, incidents, unanswered, first_at, last_at, last_outcome, incident_ids, targets, services, has_fix, runbook}]}, at most p_groups, among the newest p_limit answers since then. runbook is the stored runbook that has the name of the draft, or a topic of it: it was written since, and no such alert came yet. Called by answer-gaps.ts.';

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
  select jsonb_build_object('domain', n.domain, 'name', n.name, 'source', public.runbook_name(n.name) || '.md',
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
  'What a draft of a runbook for a gap (see list_answer_gaps) is made of: {domain, name, source, incidents: the newest ten with their logs, fixes: the recorded actions, those that helped first}; null if there is no such gap. Called by answer-gaps.ts.';

call public.restrict_to_service_role();
