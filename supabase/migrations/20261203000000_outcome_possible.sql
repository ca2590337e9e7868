-- The outcome `possible`: an answer names candidates and claims nothing.

alter table public.triages drop constraint triages_outcome_check;
alter table public.triages add constraint triages_outcome_check check (outcome in ('cause', 'possible', 'unknown', 'benign'));
comment on column public.triages.outcome is
  'Whether it names a cause or candidates that are not confirmed, or finds that the report is no incident.';

call public.restrict_to_service_role();
