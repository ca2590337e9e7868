-- Turns of a session with what their triages found: for the session's summary, and for a question about the session.

create function public.triage_turn(t public.triages) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('outcome', t.outcome, 'confidence', t.confidence,
    'evidence', jsonb_path_query_array(t.result, '$.answer.evidence[*] ? (@.quote != null)'),
    'rejected', jsonb_path_query_array(t.result, '$.answer.hypotheses[*] ? (@.verdict == "rejected")'),
    'resolution', i.resolution, 'resolved_by', i.resolved_by)
  from public.incidents i where i.id = t.incident_id;
$$;
comment on function public.triage_turn(public.triages) is
  'The parts of a triage that a session''s summary keeps: {outcome, confidence, evidence with a quote, rejected hypotheses, resolution, resolved_by}.';

create function public.session_turn(a public.past_answers) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', a.id, 'domain', a.domain, 'created_at', a.created_at, 'question', a.question,
      'answer', a.answer, 'net_rating', a.net_rating, 'content_hash', a.content_hash)
    || coalesce((select public.triage_turn(t) from public.triages t where t.id = a.triage_id), '{}');
$$;
comment on function public.session_turn(public.past_answers) is
  'A past answer with the outcome of its triage: {id, domain, created_at, question, answer, net_rating, content_hash} and, unless the triage is deleted, the fields of triage_turn.';

create function public.benign_turn(t public.triages) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', t.id, 'domain', i.domain, 'created_at', t.created_at,
      'question', case when i.question is null or i.question = i.title then i.title else i.title || ': ' || i.question end,
      'answer', coalesce(t.result #>> '{answer,summary,text}', ''), 'net_rating', 0, 'content_hash', '')
    || public.triage_turn(t)
  from public.incidents i where i.id = t.incident_id;
$$;
comment on function public.benign_turn(public.triages) is
  'A benign triage as a turn of its session. Memory holds no past answer of it.';

create function public.session_record(p_session_id text, p_turn_limit integer, p_summary_limit integer) returns jsonb
language sql stable set search_path = '' as $$
  with turns as (
    (select a.created_at, a.id, public.session_turn(a) as turn from public.past_answers a
      where a.session_id = p_session_id and not a.is_summary and a.summary_id is null
      order by a.created_at desc, a.id desc limit p_turn_limit)
    union all
    (select t.created_at, t.id, public.benign_turn(t) from public.triages t
      where t.outcome = 'benign' and t.incident_id in (select r.incident_id from public.runs r
        where r.session_id = p_session_id and r.finished_at is not null and not r.injection_blocked)
      order by t.created_at desc, t.id desc limit p_turn_limit)
  )
  select jsonb_build_object(
    'turns', (select coalesce(jsonb_agg(n.turn order by n.created_at desc, n.id desc), '[]')
      from (select * from turns u order by u.created_at desc, u.id desc limit p_turn_limit) n),
    'summaries', (select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'question', n.question, 'answer', n.answer,
        'created_at', n.created_at, 'session_id', n.session_id, 'net_rating', n.net_rating, 'is_summary', true)
        order by n.created_at desc, n.id desc), '[]')
      from (select a.* from public.past_answers a where a.session_id = p_session_id and a.is_summary
        order by a.created_at desc, a.id desc limit p_summary_limit) n));
$$;
comment on function public.session_record(text, integer, integer) is
  'The content of a session, newest first: {turns: those that no summary replaces and the benign ones (see session_turn), summaries: [{id, question, answer, created_at, session_id, net_rating, is_summary}]}.';

create or replace function public.claim_sessions(
  p_now timestamptz, p_idle_since timestamptz, p_threshold integer, p_limit integer, p_lease_seconds integer,
  p_past_answers_per_session integer
) returns jsonb
language sql set search_path = '' as $$
  with due as (
    select s.session_id from public.sessions s
    where s.raw_count > p_threshold and s.last_turn_at <= p_idle_since
      and (s.claimed_until is null or s.claimed_until <= p_now)
      and not exists (select 1 from public.runs r where r.session_id = s.session_id and r.started_at > p_idle_since)
    order by s.raw_count, s.last_turn_at limit p_limit for update skip locked
  ), claimed as (
    update public.sessions s set claimed_until = p_now + p_lease_seconds * interval '1 second'
    where s.session_id = any (array(select due.session_id from due))
    returning s.session_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('session_id', c.session_id, 'past_answers', (
    select jsonb_agg(t.turn order by t.created_at, t.id) from (
      select a.created_at, a.id, public.session_turn(a) as turn from public.past_answers a
      where a.session_id = c.session_id and not a.is_summary and a.summary_id is null
      order by a.created_at, a.id limit p_past_answers_per_session) t))), '[]')
  from claimed c;
$$;
comment on function public.claim_sessions(timestamptz, timestamptz, integer, integer, integer, integer) is
  'Claims idle sessions with more than p_threshold unsummarised past answers for p_lease_seconds: [{session_id, past_answers: see session_turn}], the oldest p_past_answers_per_session of each.';

create or replace function public.without_recalled(p_result jsonb, p_ids text[]) returns jsonb
language sql immutable set search_path = '' as $$
  select p_result || jsonb_build_object(
    'recalled', p_result -> 'recalled' || jsonb_build_object(
      'incidents', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{recalled,incidents}') with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'past_answers', (select coalesce(jsonb_agg(e.hit order by e.n), '[]')
        from jsonb_array_elements(coalesce(p_result #> '{recalled,past_answers}', '[]')) with ordinality as e (hit, n)
        where not e.hit ->> 'id' = any (p_ids)),
      'procedure', case when not coalesce(p_result #>> '{recalled,procedure,id}', '') = any (p_ids)
        then p_result #> '{recalled,procedure}' end),
    'sources', (select coalesce(jsonb_agg(e.source order by e.n), '[]')
      from jsonb_array_elements(p_result -> 'sources') with ordinality as e (source, n)
      where not e.source ->> 'id' = any (p_ids) and not (q.is_quoted and e.source ->> 'kind' = 'past_answer')),
    'answer', p_result -> 'answer' || jsonb_build_object(
      'worked_before', (select coalesce(jsonb_agg(e.past order by e.n), '[]')
        from jsonb_array_elements(p_result #> '{answer,worked_before}') with ordinality as e (past, n)
        where not e.past -> 'citations' ?| p_ids))
      || case when q.is_quoted then jsonb_build_object('summary', jsonb_build_object(
        'text', 'A past answer that this recap quoted was deleted.', 'citations', '[]'::jsonb)) else '{}' end)
  from (select exists (select 1 from jsonb_array_elements(p_result -> 'sources') s
    where s ->> 'kind' = 'past_answer' and s ->> 'id' = any (p_ids)) as is_quoted) q;
$$;
comment on function public.without_recalled(jsonb, text[]) is
  'A triage''s result without the past incidents, past answers and procedure of these ids, without the fixes that cite them, and without the recap of a session that quotes one of them.';

call public.restrict_to_service_role();
