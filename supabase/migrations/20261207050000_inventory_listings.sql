-- Clusters that the job sync-inventory lists by itself: which one is next, and which one a run lists at present.

create table public.inventory_listings (
  cluster text primary key,
  claimed_until timestamptz,
  tried_at timestamptz,
  listed_at timestamptz
);
comment on table public.inventory_listings is 'Clusters that the job sync-inventory lists into the inventory, by the names of their sources.';
comment on column public.inventory_listings.cluster is 'Name of the source of evidence, which is the name of the cluster in the inventory.';
comment on column public.inventory_listings.claimed_until is 'End of the claim of the run that lists it; null if none does.';
comment on column public.inventory_listings.tried_at is 'Start of the last listing; null before the first.';
comment on column public.inventory_listings.listed_at is 'End of the last listing that was complete; null before the first.';

create function public.claim_inventory_listing(p jsonb) returns jsonb
language plpgsql set search_path = '' as $$
declare
  v_now timestamptz := (p ->> 'now')::timestamptz;
  v_row public.inventory_listings;
begin
  delete from public.inventory_listings l
  where not p -> 'clusters' ? l.cluster and coalesce(l.claimed_until, '-infinity') <= v_now;
  insert into public.inventory_listings (cluster)
  select c from jsonb_array_elements_text(p -> 'clusters') c order by c on conflict do nothing;
  select * into v_row from public.inventory_listings l
  where p -> 'clusters' ? l.cluster
    and coalesce(l.claimed_until, '-infinity') <= v_now
    and coalesce(l.tried_at, '-infinity') < (p ->> 'before')::timestamptz
  order by l.tried_at nulls first, l.cluster limit 1 for update skip locked;
  if not found then
    return null;
  end if;
  update public.inventory_listings l
  set claimed_until = (p ->> 'claim_until')::timestamptz, tried_at = v_now
  where l.cluster = v_row.cluster;
  return jsonb_build_object('cluster', v_row.cluster);
end $$;
comment on function public.claim_inventory_listing(jsonb) is
  'Claims the cluster whose last listing is the oldest: {now, claim_until, before, clusters}. Returns {cluster}; null if each of them was tried at or after before, or is claimed. Forgets clusters that are not named.';

create function public.finish_inventory_listing(p jsonb) returns boolean
language plpgsql set search_path = '' as $$
begin
  update public.inventory_listings l
  set claimed_until = null, listed_at = case when (p ->> 'complete')::boolean then (p ->> 'now')::timestamptz else l.listed_at end
  where l.cluster = p ->> 'cluster' and l.claimed_until = (p ->> 'claim_until')::timestamptz;
  return found;
end $$;
comment on function public.finish_inventory_listing(jsonb) is
  'Ends a claim: {now, cluster, claim_until, complete}. False if the claim was not held any more.';

call public.restrict_to_service_role();
