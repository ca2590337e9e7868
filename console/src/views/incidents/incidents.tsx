// The view Incidents: a list that stays up to date by itself.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
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
import type { Row } from "./rows.ts";
import { useIncidentList } from "./use-incident-list.ts";
import "./incidents.css";

/** Kept while the page is open: somebody who comes back from an incident goes on where they were. */
let selectedId: string | null = null;

export function Incidents() {
  const { query, route } = useLocation();
  const filters = filtersOf(query);
  const change = (next: Filters) => route(consolePath(searchOf(next)), true);
  return (
    <Page
      title="Incidents"
      actions={
        can("triage") && (
          <a class="button button-primary" href={consolePath("/ask")}>
            Ask
          </a>
        )
      }
    >
      <IncidentFilters filters={filters} change={change} />
      <IncidentList key={searchOf(filters)} filters={filters} clear={() => change(NO_FILTERS)} />
    </Page>
  );
}

interface IncidentListProps {
  readonly filters: Filters;
  readonly clear: () => void;
}

function IncidentList({ filters, clear }: IncidentListProps) {
  const { request, rows, changes, hasMore, loadMore, isLoadingMore, failure } = useIncidentList(filters);
  const selected = useSignal(selectedId);
  const select = (row: Row | undefined) => {
    if (row === undefined) return;
    selectedId = row.id;
    selected.value = row.id;
  };
  useListKeys(rows, () => selected.value, select);
  return (
    <Loaded request={request} name="the incidents" lines={12}>
      {() => (
        <>
          <p class="visually-hidden" role="status">
            {changes.size === 0 ? "" : `${changes.size} changed`}
          </p>
          {rows.length === 0 && <NoIncidents filters={filters} clear={clear} />}
          <ul class="incidents-list" aria-label="Incidents">
            {rows.map((row) => (
              <IncidentRow
                key={row.id}
                row={row}
                change={changes.get(row.id)}
                isSelected={row.id === selected.value}
                onSelect={() => select(row)}
              />
            ))}
          </ul>
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

function useListKeys(rows: readonly Row[], selectedRow: () => string | null, select: (row: Row | undefined) => void) {
  const { route } = useLocation();
  const move = (step: number) => {
    const at = rows.findIndex(({ id }) => id === selectedRow());
    const row = rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + step))];
    select(row);
    if (row !== undefined) document.getElementById(linkId(row.id))?.focus();
  };
  const open = () => {
    const row = rows.find(({ id }) => id === selectedRow());
    if (row !== undefined) route(consolePath(`/incidents/${row.id}`));
  };
  const search = () => document.querySelector<HTMLInputElement>(".incidents-filters input")?.select();
  useKeys([
    { keys: "j", name: "Next incident", run: () => move(1) },
    { keys: "k", name: "Previous incident", run: () => move(-1) },
    { keys: "Enter", name: "Open the incident", run: open },
    { keys: "/", name: "Search", run: search },
  ]);
}

function NoIncidents({ filters, clear }: IncidentListProps) {
  if (filters.status === "open" && searchOf({ ...filters, status: "open" }) === "") return <Quiet />;
  if (isFiltered(filters) && searchOf({ ...NO_FILTERS, status: filters.status }) !== searchOf(filters))
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
