-- Tells the runbooks that ship with Dejavu from those of a folder of one's own, so that loading one never removes the other.

alter table public.sources drop constraint sources_origin_check;
-- Until now a load made the stores equal to one folder, which was that of the shipped runbooks unless somebody chose another.
update public.sources set origin = 'built_in' where origin = 'folder' and source in (
  'docker/container-dns-failure.md',
  'docker/container-logs-growing-or-missing.md',
  'docker/container-networking-broken.md',
  'docker/container-restart-loop.md',
  'docker/container-unhealthy.md',
  'docker/dejavu-answers-unknown.md',
  'docker/dejavu-away.md',
  'docker/dejavu-database-away.md',
  'docker/dejavu-job-failing.md',
  'docker/dejavu-job-not-run.md',
  'docker/dejavu-model-failing.md',
  'docker/dejavu-outbox-old.md',
  'docker/dejavu-queue-old.md',
  'docker/dejavu-recall-degraded.md',
  'docker/dejavu-spans-dropped.md',
  'docker/dejavu-token-use-high.md',
  'docker/dejavu-triages-failing.md',
  'docker/dejavu-triages-slow.md',
  'docker/dejavu-votes-down.md',
  'docker/docker-daemon-down.md',
  'docker/exit-137-out-of-memory.md',
  'docker/host-disk-full.md',
  'docker/image-pull-failure.md',
  'docker/port-already-allocated.md',
  'docker/volume-permission-denied.md',
  'kubernetes/cluster-dns-failure.md',
  'kubernetes/container-oomkilled-exit-137.md',
  'kubernetes/crash-loop-back-off.md',
  'kubernetes/hpa-not-scaling.md',
  'kubernetes/image-pull-failure.md',
  'kubernetes/node-not-ready.md',
  'kubernetes/pod-disruption-budget-blocks-drain.md',
  'kubernetes/pod-evicted-node-pressure.md',
  'kubernetes/pod-pending-failed-scheduling.md',
  'kubernetes/probe-failure.md',
  'kubernetes/resource-quota-exceeded.md',
  'kubernetes/stuck-rollout-progress-deadline.md',
  'kubernetes/volume-not-mounted.md',
  'podman/api-socket-unavailable.md',
  'podman/container-name-resolution.md',
  'podman/exit-137-out-of-memory.md',
  'podman/image-pull-failure.md',
  'podman/logout-stops-rootless-containers.md',
  'podman/pod-degraded.md',
  'podman/published-port-unreachable.md',
  'podman/quadlet-unit-not-generated.md',
  'podman/rootless-permission-denied.md',
  'podman/selinux-volume-denied.md',
  'podman/storage-full-or-damaged.md',
  'podman/systemd-restart-loop.md',
  'postgres/backend-killed-out-of-memory-53200.md',
  'postgres/blocked-ddl-lock-queue-55p03.md',
  'postgres/connection-slots-exhausted-53300.md',
  'postgres/corrupted-index-xx002.md',
  'postgres/data-corruption-invalid-page-xx001.md',
  'postgres/deadlock-detected-40p01.md',
  'postgres/disk-full-pg-wal-53100.md',
  'postgres/primary-down-failover.md',
  'postgres/queries-suddenly-slow.md',
  'postgres/query-cancelled-57014.md',
  'postgres/streaming-replication-lag.md',
  'postgres/table-bloat-autovacuum.md',
  'postgres/transaction-id-wraparound.md'
);
alter table public.sources add constraint sources_origin_check check (origin in ('api', 'folder', 'built_in'));
comment on column public.sources.origin is
  'Where it came from: the API, a folder of somebody''s own, or the runbooks that ship with Dejavu. An earlier one in this list wins over a later one of the same name.';

drop function public.api_sources(text, text[]);
create function public.source_origins(p_sources text[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_object_agg(s.source, s.origin), '{}') from public.sources s where s.source = any (p_sources);
$$;
comment on function public.source_origins(text[]) is 'The origin of each of these texts that is on record, by name.';

drop function public.record_folder_sources(text, jsonb, timestamptz);
create function public.record_folder_sources(p_collection text, p_origin text, p_sources jsonb, p_now timestamptz) returns void
language plpgsql set search_path = '' as $$
begin
  insert into public.sources as s (source, id, collection, kind, origin, title, tags, bytes, chunks, created_at, updated_at)
  select n.source, n.id, p_collection, 'runbook', p_origin, n.title, n.tags, n.bytes, n.chunks, p_now, p_now
  from jsonb_populate_recordset(null::public.sources, p_sources) n
  on conflict (source) do update
  set origin = excluded.origin, title = excluded.title, tags = excluded.tags, bytes = excluded.bytes, chunks = excluded.chunks,
    updated_at = p_now
  where s.origin in ('built_in', excluded.origin) and (s.origin, s.title, s.tags, s.bytes, s.chunks)
    is distinct from (excluded.origin, excluded.title, excluded.tags, excluded.bytes, excluded.chunks);
end $$;
comment on function public.record_folder_sources(text, text, jsonb, timestamptz) is
  'Puts texts of a folder on record: rows with source, id, title, tags, bytes, chunks. One that came through the API, or for built_in from a folder, stays as it is.';

create or replace function public.delete_source(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_source public.sources;
  v_gone text[];
begin
  delete from public.sources s
  where s.id = p ->> 'id' and s.kind = any (array(select jsonb_array_elements_text(p -> 'kinds')))
    and (p ->> 'origin' is null or s.origin = p ->> 'origin')
  returning * into v_source;
  if not found then
    return jsonb_build_object('state', 'not_found');
  end if;
  v_gone := public.chunk_ids(v_source.collection, v_source.source);
  return jsonb_build_object('state', 'deleted', 'owed', public.forget_documents(v_source.collection, v_gone,
    (p ->> 'now')::timestamptz, (p ->> 'claim_until')::timestamptz));
end $$;
comment on function public.delete_source(jsonb) is
  'Removes a text and its chunks: {now, claim_until, id, kinds}, with origin only one of that origin. Answers not_found where there is none, else deleted with the debts.';

call public.leave_to_service_role();
