// The view Incidents: a list that stays up to date by itself.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import lazy from "preact-iso/lazy";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { can } from "../../session/session.ts";
import { type Filters, filtersOf, isFiltered, NO_FILTERS, searchOf } from "./filters.ts";
import { IncidentFilters } from "./incident-filters.tsx";
import { IncidentRow, linkId } from "./incident-row.tsx";
import { countsText, groupsOf, type Row } from "./rows.ts";
import { SavedViews } from "./saved-views.tsx";
import { useIncidentList } from "./use-incident-list.ts";
import "./incidents.css";

const changes = () => import("./change-selected.tsx");
const ResolveSelected = lazy(() => changes().then((dialogs) => dialogs.ResolveSelected));
const MuteSelected = lazy(() => changes().then((dialogs) => dialogs.MuteSelected));

/** Kept while the page is open: somebody who comes back from an incident goes on where they were. */
let currentId: string | null = null;

export function Incidents() {
  const { query, route } = useLocation();
  const filters = filtersOf(query);
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
      <IncidentList key={searchOf(filters)} filters={filters} clear={() => change(NO_FILTERS)} />
    </Page>
  );
}

interface IncidentListProps {
  readonly filters: Filters;
  readonly clear: () => void;
}

function IncidentList({ filters, clear }: IncidentListProps) {
  const { request, rows, counts, changes, hasMore, loadMore, isLoadingMore, failure } = useIncidentList(filters);
  const current = useSignal(currentId);
  const groups = groupsOf(rows, filters.group);
  const ordered = groups.flatMap((group) => group.rows);
  const { selected, toggle, isSelectedOf } = useSelection(rows);
  const goTo = (row: Row | undefined) => {
    if (row === undefined) return;
    currentId = row.id;
    current.value = row.id;
  };
  const currentRow = () => ordered.find(({ id }) => id === current.value);
  useListKeys(ordered, currentRow, goTo, (row) => toggle([row]));
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
                <Selection rows={ordered} selected={selected} toggle={toggle} reload={request.reload} />
              )}
              <p class="note">{countsText(counts, filters.status, rows.length, hasMore)}</p>
            </div>
          )}
          {groups.map((group) => (
            <section key={group.name} class="incidents-group" aria-label={group.name || "All incidents"}>
              {filters.group !== "" && (
                <h2>
                  {displayText(group.name)} <span class="note">{group.rows.length}</span>
                  {can("feedback") && (
                    <Button size="small" onClick={() => toggle(group.rows)}>
                      Select <span class="visually-hidden">all of {displayText(group.name)}</span>
                    </Button>
                  )}
                </h2>
              )}
              <ul class="incidents-list" aria-label="Incidents">
                {group.rows.map((row) => (
                  <IncidentRow
                    key={row.id}
                    row={row}
                    change={changes.get(row.id)}
                    isCurrent={row.id === current.value}
                    onCurrent={() => goTo(row)}
                    isSelected={isSelectedOf(row)}
                    onSelect={() => toggle([row])}
                  />
                ))}
              </ul>
            </section>
          ))}
          {failure !== null && <FailedState failure={failure} name="more incidents" retry={loadMore} />}
          {hasMore && failure === null && (
            <Button isBusy={isLoadingMore} onClick={() => void loadMore()}>
              Load more
            </Button>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Open incidents that a person has chosen, to change them at once. */
function useSelection(rows: readonly Row[]) {
  const ids = useSignal<ReadonlySet<string>>(new Set());
  const canSelect = can("feedback");
  return {
    selected: rows.filter(({ id }) => ids.value.has(id)),
    /** Selects all of them, or none if all are selected. */
    toggle: (chosen: readonly Row[]) => {
      const open = chosen.filter(isOpen).map(({ id }) => id);
      const next = new Set(ids.value);
      const isWhole = open.every((id) => next.has(id));
      for (const id of open) {
        if (isWhole) next.delete(id);
        else next.add(id);
      }
      ids.value = next;
    },
    isSelectedOf: (row: Row) => (canSelect && isOpen(row) ? ids.value.has(row.id) : null),
  };
}

const isOpen = ({ status }: Row) => status !== "resolved";

interface SelectionProps {
  readonly rows: readonly Row[];
  readonly selected: readonly Row[];
  readonly toggle: (rows: readonly Row[]) => void;
  readonly reload: () => Promise<void>;
}

function Selection({ rows, selected, toggle, reload }: SelectionProps) {
  const dialog = useSignal<typeof ResolveSelected | null>(null);
  const isBusy = useSignal(false);
  const open = rows.filter(isOpen);
  if (open.length === 0) return null;
  const close = () => {
    dialog.value = null;
    void reload();
  };
  const acknowledge = async () => {
    isBusy.value = true;
    await (await changes()).acknowledgeAll(selected);
    isBusy.value = false;
    void reload();
  };
  const Dialog = dialog.value;
  return (
    <div class="incidents-selection">
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
          <Button size="small" isBusy={isBusy.value} onClick={acknowledge}>
            Acknowledge
          </Button>
          <Button size="small" onClick={() => (dialog.value = MuteSelected)}>
            Mute
          </Button>
        </>
      )}
      {Dialog !== null && <Dialog rows={selected} close={close} />}
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

function NoIncidents({ filters, clear }: IncidentListProps) {
  if (!isFiltered(filters)) return <Quiet />;
  if (isFiltered({ ...filters, status: NO_FILTERS.status }))
    return (
      <EmptyState title="No incident matches the filters.">
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

function Quiet() {
  return (
    <FirstIncident title="No open incident.">
      <a href={consolePath("?status=all")}>Show resolved ones, too</a>
    </FirstIncident>
  );
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
      <p>
        Or send your alerts here: point a webhook of Alertmanager to{" "}
        <code>{location.origin}/v1/alerts/alertmanager</code> with a token that has the scope <code>report</code>.{" "}
        <a href="/docs">The API reference</a> lists other systems.
      </p>
      {children}
    </EmptyState>
  );
}
