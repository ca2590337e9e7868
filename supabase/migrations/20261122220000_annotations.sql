-- Votes that are shown where traces are: each is owed as an annotation of the span of its triage, written in the
-- transaction of the vote. The outbox of documents names collections; what is owed here is a row of feedback as it is.

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
  'Votes that are owed to the server of traces. A row leaves when its vote is there, or with the vote; one that was given up stays until the vote changes.';
comment on column public.annotation_outbox.id is 'Order of writing.';
comment on column public.annotation_outbox.triage_id is 'The answer.';
comment on column public.annotation_outbox.person is 'Whose vote, as in feedback.';
comment on column public.annotation_outbox.created_at is 'Since when it is owed.';
comment on column public.annotation_outbox.version is 'Rises with every change of the vote: whoever posts an older one leaves the newer owed.';
comment on column public.annotation_outbox.attempts is 'Times that it was tried since the vote changed.';
comment on column public.annotation_outbox.next_attempt_at is 'Not before then.';
comment on column public.annotation_outbox.claimed_until is 'Held by one worker until then, so that no two post it at once; null when nobody is at it.';
comment on column public.annotation_outbox.last_error is 'Why the last attempt failed: a code, never content.';
comment on column public.annotation_outbox.given_up_at is 'When it was tried for the last time; null while there is hope.';

create function public.annotation_json(o public.annotation_outbox) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', o.id, 'version', o.version, 'attempts', o.attempts, 'triage_id', o.triage_id,
    'claimed_until', o.claimed_until, 'incident_id', t.incident_id, 'span_id', t.result #>> '{trace,span_id}',
    'person', o.person, 'vote', f.vote, 'comment', f.comment)
  from public.feedback f join public.triages t on t.id = f.triage_id
  where f.triage_id = o.triage_id and f.person = o.person;
$$;
comment on function public.annotation_json(public.annotation_outbox) is 'An annotation that is owed, with the vote as it is now.';

create or replace function public.give_feedback(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_triage uuid := (p ->> 'triage_id')::uuid;
  v_claim_until timestamptz := (p ->> 'claim_until')::timestamptz;
  v_span text;
  v_before integer;
  v_after integer := (p ->> 'vote')::integer;
  v_rating integer;
  v_is_held boolean;
  v_owed public.annotation_outbox;
  v_reply jsonb;
begin
  -- The row lock puts the votes on one answer in a row, so that each moves the rating by its own difference.
  select t.result #>> '{trace,span_id}' into v_span from public.triages t where t.id = v_triage for update;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  select f.vote into v_before from public.feedback f where f.triage_id = v_triage and f.person = p ->> 'person';
  v_after := coalesce(v_after, v_before, 0);
  insert into public.feedback as f (triage_id, person, at, vote, comment)
  values (v_triage, p ->> 'person', v_now, v_after, p ->> 'comment')
  on conflict (triage_id, person) do update
  set at = excluded.at, vote = excluded.vote, comment = coalesce(excluded.comment, f.comment);
  update public.memories m set rating = m.rating + v_after - coalesce(v_before, 0)
  where m.id = v_triage or m.id = (select o.summary_id from public.memories o where o.id = v_triage);
  select m.rating into v_rating from public.memories m where m.id = v_triage;
  v_reply := jsonb_build_object('state', 'recorded', 'vote', v_after, 'rating', v_rating);
  if v_span is null or not coalesce((p ->> 'annotate')::boolean, false) then
    return v_reply;
  end if;
  -- Whoever is posting the vote of before keeps it; when he is done he leaves the newer one owed.
  select o.claimed_until > v_now into v_is_held from public.annotation_outbox o
  where o.triage_id = v_triage and o.person = p ->> 'person' for update;
  insert into public.annotation_outbox as o (triage_id, person, created_at, next_attempt_at, claimed_until)
  values (v_triage, p ->> 'person', v_now, v_claim_until, v_claim_until)
  on conflict (triage_id, person) do update
  set version = o.version + 1, attempts = 1, created_at = excluded.created_at, given_up_at = null, last_error = null,
    next_attempt_at = case when v_is_held then o.next_attempt_at else excluded.next_attempt_at end,
    claimed_until = case when v_is_held then o.claimed_until else excluded.claimed_until end
  returning * into v_owed;
  if not coalesce(v_is_held, false) then
    v_reply := v_reply || jsonb_build_object('annotation', public.annotation_json(v_owed));
  end if;
  return v_reply;
end $$;
comment on function public.give_feedback(jsonb) is
  'Records one person''s word on an answer: {now, triage_id, person, vote, comment, annotate?, claim_until?}; vote 1, -1, 0 to take it back, null to leave it. The rating of the memory moves by the difference; it is null where the answer is not remembered. With annotate, the word is owed to the server of traces where the triage has a span: it is the reply''s annotation, held by the caller until claim_until, unless somebody else is posting the word of before.';

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
  'Takes due annotations for p_lease_seconds, with the votes as they are now.';

create function public.settle_annotations(p_now timestamptz, p_ends jsonb) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.annotation_outbox o
  using jsonb_to_recordset(p_ends) as e (id bigint, version integer, error text)
  where o.id = e.id and o.version = e.version and e.error is null;
  -- Not of a claim that ran out: by now somebody else may be at it.
  update public.annotation_outbox o
  set claimed_until = null, last_error = e.error, next_attempt_at = coalesce(e.next_attempt_at, p_now),
    attempts = case when o.version = e.version then o.attempts else 0 end,
    given_up_at = case when o.version = e.version and e.next_attempt_at is null then p_now end
  from jsonb_to_recordset(p_ends) as e (id bigint, version integer, claimed_until timestamptz, error text,
    next_attempt_at timestamptz)
  where o.id = e.id and o.claimed_until = e.claimed_until;
end $$;
comment on function public.settle_annotations(timestamptz, jsonb) is
  'How annotations went that the caller held: [{id, version, claimed_until, error, next_attempt_at}]. Without an error it is there and owed no more; with one it is due then, or given up where there is no then. A vote that changed meanwhile stays owed, and is due at once where the former one is there.';

create or replace function public.list_outbox(p_limit integer, p_after_id bigint default null) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'owed', coalesce((select jsonb_agg(to_jsonb(t) order by t.id) from (
      select o.id, o.collection, o.document_id, o.created_at, o.attempts, o.next_attempt_at, o.last_error
      from public.outbox o where o.done_at is null and o.id > coalesce(p_after_id, 0) order by o.id limit p_limit) t), '[]'),
    'total', (select count(*) from public.outbox o where o.done_at is null),
    'annotations', (select jsonb_build_object('owed', count(*) filter (where o.given_up_at is null),
      'given_up', count(o.given_up_at)) from public.annotation_outbox o));
$$;
comment on function public.list_outbox(integer, bigint) is
  'Memory writes that are owed, oldest first, and how many there are; how many votes are owed to the server of traces, and how many it did not take.';

-- As for everything before: only the service role. Each later migration ends with this call.

create procedure public.leave_to_service_role()
language plpgsql set search_path = '' as $$
declare
  v_table text;
begin
  for v_table in select c.relname from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relrowsecurity
  loop
    execute format('alter table public.%I enable row level security', v_table);
  end loop;
  revoke all on all tables in schema public from public, anon, authenticated;
  revoke all on all sequences in schema public from public, anon, authenticated;
  revoke all on all routines in schema public from public, anon, authenticated;
  grant select, insert, update, delete on all tables in schema public to service_role;
  grant usage on all sequences in schema public to service_role;
  grant execute on all functions in schema public to service_role;
end $$;
comment on procedure public.leave_to_service_role() is
  'Row level security on every table, and nothing of the schema for anybody but the service role. For migrations: its owner alone may call it.';

call public.leave_to_service_role();
