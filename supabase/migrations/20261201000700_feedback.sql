-- Feedback on answers, and its outbox to the trace server: each rating is an annotation of the span of its triage, enqueued
-- in the transaction of the rating.

create table public.feedback (
  triage_id uuid not null references public.triages (id) on delete cascade,
  person text not null,
  at timestamptz not null,
  rating integer not null default 0 check (rating between -1 and 1),
  comment text,
  id bigint generated always as identity,
  primary key (triage_id, person)
);
create unique index feedback_by_time on public.feedback (at desc, id desc);
create index feedback_by_rating on public.feedback (rating, at desc, id desc);
comment on table public.feedback is 'Ratings and comments on an answer, one row per person.';
comment on column public.feedback.triage_id is 'The answer.';
comment on column public.feedback.person is 'A digest of the person''s name; empty if the caller names none.';
comment on column public.feedback.at is 'When it was last changed.';
comment on column public.feedback.rating is '1 for helpful, -1 for not helpful, 0 for none.';
comment on column public.feedback.comment is 'Free text, redacted.';
comment on column public.feedback.id is 'Order within one moment. Identifies no person.';

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
create index annotation_outbox_due on public.annotation_outbox (next_attempt_at, id) where given_up_at is null;
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

create function public.annotation_json(o public.annotation_outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'version', o.version, 'attempts', o.attempts, 'triage_id', o.triage_id,
    'claimed_until', o.claimed_until, 'incident_id', t.incident_id, 'span_id', t.result #>> '{trace,span_id}',
    'person', o.person, 'rating', f.rating, 'comment', f.comment)
  from public.feedback f join public.triages t on t.id = f.triage_id
  where f.triage_id = o.triage_id and f.person = o.person;
$$;
comment on function public.annotation_json(public.annotation_outbox) is 'A pending annotation with the current rating.';

create function public.record_feedback(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_triage uuid := (p ->> 'triage_id')::uuid;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_span text;
  v_old_rating integer;
  v_new_rating integer := (p ->> 'rating')::integer;
  v_net_rating integer;
  v_is_claimed boolean;
  v_entry public.annotation_outbox;
  v_result jsonb;
begin
  -- The row lock serialises the ratings of one answer, so that each changes the net rating by its own difference.
  select t.result #>> '{trace,span_id}' into v_span from public.triages t where t.id = v_triage for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  select f.rating into v_old_rating from public.feedback f where f.triage_id = v_triage and f.person = p ->> 'person';
  v_new_rating := coalesce(v_new_rating, v_old_rating, 0);
  insert into public.feedback as f (triage_id, person, at, rating, comment)
  values (v_triage, p ->> 'person', v_now, v_new_rating, p ->> 'comment')
  on conflict (triage_id, person) do update
  set at = excluded.at, rating = excluded.rating, comment = coalesce(excluded.comment, f.comment);
  update public.past_answers a set net_rating = a.net_rating + v_new_rating - coalesce(v_old_rating, 0)
  where a.id = v_triage or a.id = (select o.summary_id from public.past_answers o where o.id = v_triage);
  select a.net_rating into v_net_rating from public.past_answers a where a.id = v_triage;
  v_result := jsonb_build_object('state', 'recorded', 'rating', v_new_rating, 'net_rating', v_net_rating);
  if v_span is null or not coalesce((p ->> 'annotate')::boolean, false) then
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
  'Records the feedback of one person on an answer: {now, triage_id, person, rating, comment, annotate?, claim_until?}. rating is 1, -1, 0 to withdraw it, or null to keep it. Returns {state, rating, net_rating}; net_rating of the past answer changes by the difference and is null if the answer is not in memory. With annotate, if the triage has a span, the rating is enqueued for the trace server: annotation is the entry, claimed by the caller until claim_until, unless another worker is posting the earlier rating.';

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
  'Claims due annotations for p_lease_seconds, with the current ratings.';

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
  'Records the results of claimed annotations: [{id, version, claimed_until, error, next_attempt_at}]. Without an error the entry is deleted. With an error it is retried at next_attempt_at, or given up if that is null. A rating that changed meanwhile stays pending, and is due at once if the earlier one was posted.';

create function public.list_feedback(
  p_limit integer, p_before_at timestamptz default null, p_before_id bigint default null, p_rating integer default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', f.id, 'at', f.at, 'rating', f.rating, 'comment', f.comment, 'triage_id', t.id,
    'incident_id', i.id, 'title', i.title, 'question', i.question, 'target', i.target, 'severity', i.severity,
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
  'Ratings and comments with their question and answer, newest first, a page before (p_before_at, p_before_id); of a log the first 20,000 characters.';

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
  '{pending: index writes, oldest first; total: how many there are; annotations: {pending, given_up}, the number of each}.';

call public.restrict_to_service_role();
