-- What people said of answers, as a list: what cases of an evaluation are made of.

-- Tells rows of one moment apart, and names nobody.
alter table public.feedback add column id bigint generated always as identity;
create unique index feedback_by_time on public.feedback (at desc, id desc);
create index feedback_by_vote on public.feedback (vote, at desc, id desc);
comment on column public.feedback.id is 'Order within one moment.';

create function public.list_feedback(
  p_limit integer, p_before_at timestamptz default null, p_before_id bigint default null, p_vote integer default null
) returns setof jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('id', f.id, 'at', f.at, 'vote', f.vote, 'comment', f.comment, 'triage_id', t.id,
    'incident_id', i.id, 'title', i.title, 'question', i.question, 'target', i.target, 'severity', i.severity,
    'labels', i.labels, 'logs', left(i.logs, 20000), 'domain', i.domain, 'outcome', t.outcome, 'confidence', t.confidence,
    'sources', coalesce(t.result -> 'sources', '[]'))
  from public.feedback f
  join public.triages t on t.id = f.triage_id
  join public.incidents i on i.id = t.incident_id
  where (p_before_at is null or (f.at, f.id) < (p_before_at, p_before_id))
    and (p_vote is null or f.vote = p_vote)
  order by f.at desc, f.id desc limit p_limit;
$$;
comment on function public.list_feedback(integer, timestamptz, bigint, integer) is
  'Votes and comments with what was asked and answered, last said first, a page before (p_before_at, p_before_id); of a log its first 20,000 characters.';

call public.leave_to_service_role();
