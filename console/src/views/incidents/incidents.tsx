// The view Incidents: a list that stays up to date by itself.

import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Button } from "../../components/button.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, FailedState, Loaded } from "../../components/states.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { can } from "../../session/session.ts";
import { type Filters, filtersOf, isFiltered, NO_FILTERS, searchOf, sortOf } from "./filters.ts";
import { IncidentFilters } from "./incident-filters.tsx";
import { IncidentRow, linkId } from "./incident-row.tsx";
import { countsText, type Group, groupsOf, groupText, type Row } from "./rows.ts";
import { SavedViews } from "./saved-views.tsx";
import { MAX_ROWS, useIncidentList } from "./use-incident-list.ts";
import "./incidents.css";

const changes = () => import("./change-selected.tsx");
const ResolveSelected = lazy(() => changes().then((dialogs) => dialogs.ResolveSelected));
const MuteSelected = lazy(() => import("../incident/record/mute-dialog.tsx").then((dialogs) => dialogs.MuteDialog));

/** Rows of a group that is open by itself. */
const SMALL_GROUP = 5;

/** Kept while the page is open: somebody who comes back from an incident goes on where they were. */
let currentId: string | null = null;
/** Keys of the groups that are not as they would be by themselves. */
const toggled = signal<ReadonlySet<string>>(new Set());

export function Incidents() {
  const { query, route, ...location } = useLocation();
  const filters = filtersOf(query);
  // The router's types lack it. After Back, the browser scrolls before there are rows.
  const isBack = useRef("wasPush" in location && !location.wasPush);
  const change = (next: Filters) => route(consolePath(searchOf(next)), true);
  return (
    <Page
      title="Incidents"
      isWide
      actions={
        can("triage") && (
          <a class="button button-primary" href={consolePath("/ask")}>
            Ask
          </a>
        )
      }
    >
      <IncidentFilters filters={filters} change={change} />
      <SavedViews search={searchOf(filters)} />
      <IncidentList key={searchOf(filters)} filters={filters} isBack={isBack} clear={() => change(NO_FILTERS)} />
    </Page>
  );
}

interface IncidentListProps {
  readonly filters: Filters;
  /** Until the list has scrolled to the incident that a person comes back from. */
  readonly isBack: { current: boolean };
  readonly clear: () => void;
}

function IncidentList({ filters, isBack, clear }: IncidentListProps) {
  const { request, reload, rows, counts, changes, hasMore, loadMore, round, failure } = useIncidentList(filters);
  const current = useSignal(currentId);
  const groups = groupsOf(rows, filters.group);
  const isOpen = ({ key, rows }: Group) =>
    (filters.group === "" || rows.length <= SMALL_GROUP) !== toggled.value.has(key);
  // One incident of a failure has its title.
  const hasHead = ({ rows }: Group) => filters.group !== "" && (filters.group !== "failure" || rows.length > 1);
  const shown = groups.filter(isOpen).flatMap((group) => group.rows);
  const selection = useSelection(rows);
  const stillFiring = filters.status === "open" ? (counts?.resolved_firing ?? 0) : 0;
  const canLoadAll = counts !== null && counts.total <= MAX_ROWS;
  // Groups without the rest would be wrong.
  const isIncomplete = filters.group !== "" && hasMore && canLoadAll && failure === null;
  useEffect(() => {
    if (isIncomplete) void loadMore(MAX_ROWS);
  }, [isIncomplete, round]);
  useLayoutEffect(() => {
    if (rows.length === 0) return;
    if (isBack.current && currentId !== null)
      document.getElementById(linkId(currentId))?.scrollIntoView({ block: "center" });
    isBack.current = false;
  }, [rows.length > 0]);
  const goTo = (row: Row | undefined) => {
    if (row === undefined) return;
    currentId = row.id;
    current.value = row.id;
  };
  useListKeys(
    shown,
    () => shown.find(({ id }) => id === current.value),
    goTo,
    (row) => selection.toggle([row]),
  );
  return (
    <Loaded request={request} name="the incidents" lines={12}>
      {() => (
        <>
          <p class="visually-hidden" role="status">
            {changes.size === 0 ? "" : `${changes.size} changed`}
          </p>
          {rows.length === 0 && <NoIncidents filters={filters} clear={clear} />}
          {rows.length > 0 && (
            <div class="incidents-bar">
              {can("feedback") && (
                <SelectionBar
                  rows={rows}
                  {...selection}
                  total={hasMore && canLoadAll ? counts.total : null}
                  loadAll={() => loadMore(MAX_ROWS)}
                  reload={reload}
                />
              )}
              <p class="note">
                {countsText(counts, filters.status, rows.length, hasMore)}
                {isIncomplete && `, ${rows.length} of them loaded …`}{" "}
                {(counts?.muted ?? 0) > 0 && <a href={consolePath("/mutes")}>Mutes</a>}{" "}
                {/* Who looks at last week looks for what has ended. */}
                {filters.status === "open" && filters.within !== "" && <ResolvedToo filters={filters} />}
              </p>
              {filters.group === "" && groupsOf(rows, "failure").length < rows.length && (
                <a class="button button-small" href={consolePath(searchOf({ ...filters, group: "failure" }))}>
                  Group by failure
                </a>
              )}
            </div>
          )}
          {stillFiring > 0 && (
            <p class="note">
              <a href={consolePath("?status=firing")}>
                {stillFiring === 1 ? "1 resolved incident still fires" : `${stillFiring} resolved incidents still fire`}
              </a>
            </p>
          )}
          {groups.map((group) => (
            <section key={group.key} class="stack-2 incidents-group" aria-label={group.name || "All incidents"}>
              {hasHead(group) && (
                <GroupHead
                  group={group}
                  isOpen={isOpen(group)}
                  open={() => (toggled.value = toggled.value.symmetricDifference(new Set([group.key])))}
                  selection={selection}
                />
              )}
              {isOpen(group) && (
                <ul class="list incidents-list" aria-label="Incidents">
                  {group.rows.map((row) => (
                    <IncidentRow
                      key={row.id}
                      row={row}
                      change={changes.get(row.id)}
                      at={sortOf(filters) === "newest" ? row.created_at : row.started_at}
                      isCurrent={row.id === current.value}
                      onCurrent={() => goTo(row)}
                      isSelected={can("feedback") && isUnresolved(row) ? selection.has(row) : null}
                      onSelect={() => selection.toggle([row])}
                    />
                  ))}
                </ul>
              )}
            </section>
          ))}
          {failure !== null && <FailedState failure={failure} name="more incidents" retry={loadMore} />}
          {hasMore && failure === null && <Button onClick={() => loadMore()}>Load more</Button>}
        </>
      )}
    </Loaded>
  );
}

interface GroupHeadProps {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly selection: ReturnType<typeof useSelection>;
}

/** A large group is closed: its head says what is in it, and selects all of it. */
function GroupHead({ group: { name, rows }, isOpen, open, selection }: GroupHeadProps) {
  const unresolved = rows.filter(isUnresolved);
  return (
    <div class="incidents-group-head">
      {can("feedback") && unresolved.length > 0 && (
        <input
          class="incidents-check"
          type="checkbox"
          checked={unresolved.every(selection.has)}
          onChange={() => selection.toggle(rows)}
          aria-label={`Select all of ${displayText(name)}`}
        />
      )}
      <h2>
        <button type="button" class="bare-button" aria-expanded={isOpen} onClick={open}>
          {displayText(name)}
        </button>
      </h2>
      <p class="note">{groupText(rows)}</p>
    </div>
  );
}

/** Open incidents that a person has chosen, to change them at once. */
function useSelection(rows: readonly Row[]) {
  const ids = useSignal<ReadonlySet<string>>(new Set());
  return {
    selected: rows.filter(({ id }) => ids.value.has(id)),
    has: ({ id }: Row) => ids.value.has(id),
    add: (chosen: readonly Row[]) => {
      ids.value = ids.value.union(new Set(chosen.filter(isUnresolved).map(({ id }) => id)));
    },
    /** Selects all of them, or none if all are selected. */
    toggle: (chosen: readonly Row[]) => {
      const own = new Set(chosen.filter(isUnresolved).map(({ id }) => id));
      ids.value = own.isSubsetOf(ids.value) ? ids.value.difference(own) : ids.value.union(own);
    },
  };
}

const isUnresolved = ({ status }: Row) => status !== "resolved";

interface SelectionBarProps extends Omit<ReturnType<typeof useSelection>, "has"> {
  readonly rows: readonly Row[];
  /** How many match the filters, if that is more than are loaded. */
  readonly total: number | null;
  readonly loadAll: () => Promise<readonly Row[]>;
  readonly reload: () => Promise<void>;
}

function SelectionBar({ rows, selected, add, toggle, total, loadAll, reload }: SelectionBarProps) {
  const dialog = useSignal<typeof ResolveSelected | typeof MuteSelected | null>(null);
  const open = rows.filter(isUnresolved);
  if (open.length === 0) return null;
  const Dialog = dialog.value;
  return (
    <div class="actions">
      <input
        class="incidents-check"
        type="checkbox"
        checked={selected.length === open.length}
        onChange={() => toggle(open)}
        aria-label="Select all shown"
      />
      {selected.length > 0 && (
        <>
          <Button kind="primary" size="small" onClick={() => (dialog.value = ResolveSelected)}>
            Resolve {selected.length} selected
          </Button>
          <Button size="small" onClick={async () => (await changes()).acknowledgeAll(selected, reload)}>
            Acknowledge
          </Button>
          <Button size="small" onClick={() => (dialog.value = MuteSelected)}>
            Mute
          </Button>
          {total !== null && selected.length === open.length && (
            <Button size="small" onClick={async () => add(await loadAll())}>
              Select all {total} that match
            </Button>
          )}
        </>
      )}
      {Dialog !== null && <Dialog incidents={selected} reload={reload} close={() => (dialog.value = null)} />}
    </div>
  );
}

function useListKeys(
  rows: readonly Row[],
  currentRow: () => Row | undefined,
  goTo: (row: Row | undefined) => void,
  toggle: (row: Row) => void,
) {
  const { route } = useLocation();
  const move = (step: number) => {
    const at = rows.findIndex(({ id }) => id === currentRow()?.id);
    const row = rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + step))];
    goTo(row);
    if (row !== undefined) document.getElementById(linkId(row.id))?.focus();
  };
  const withCurrent = (run: (row: Row) => void) => () => {
    const row = currentRow();
    if (row !== undefined) run(row);
  };
  const search = () => document.querySelector<HTMLInputElement>(".incidents-filters input")?.select();
  useKeys([
    { keys: "j", name: "Next incident", run: () => move(1) },
    { keys: "k", name: "Previous incident", run: () => move(-1) },
    { keys: "Enter", name: "Open the incident", run: withCurrent(({ id }) => route(consolePath(`/incidents/${id}`))) },
    ...(can("feedback") ? [{ keys: "x", name: "Select the incident", run: withCurrent(toggle) }] : []),
    { keys: "/", name: "Search", run: search },
  ]);
}

function NoIncidents({ filters, clear }: Omit<IncidentListProps, "isBack">) {
  if (!isFiltered(filters))
    return (
      <FirstIncident title="No open incident.">
        <ResolvedToo filters={filters} />
      </FirstIncident>
    );
  if (isFiltered({ ...filters, status: NO_FILTERS.status }))
    return (
      <EmptyState title="No incident matches the filters.">
        {filters.status !== "all" && <ResolvedToo filters={filters} />}
        <Button onClick={clear}>Clear filters</Button>
      </EmptyState>
    );
  return filters.status === "all" ? (
    <FirstIncident title="No incident yet." />
  ) : (
    <EmptyState title={`No incident is ${filters.status}.`}>
      <Button onClick={clear}>Show open incidents</Button>
    </EmptyState>
  );
}

function ResolvedToo({ filters }: Pick<IncidentListProps, "filters">) {
  return <a href={consolePath(searchOf({ ...filters, status: "all" }))}>Show resolved ones, too</a>;
}

/** @param props.title says that there is none */
function FirstIncident({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <EmptyState title={title}>
      {can("triage") && (
        <p>
          Paste an error or a log: <a href={consolePath("/ask")}>Ask</a>. It appears here with its answer.
        </p>
      )}
      {can("admin") && (
        <p>
          Or <a href={consolePath("/settings")}>connect a system that sends alerts</a>.
        </p>
      )}
      {children}
    </EmptyState>
  );
}
