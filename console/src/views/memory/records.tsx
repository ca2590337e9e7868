// A list of records of memory, with its filters in the address: words, the domain and the session.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Reply } from "../../api/failure.ts";
import type { Body, GetParams } from "../../api/types.ts";
import { type ListPath, type RowOf, type RowsName, usePages } from "../../api/use-pages.ts";
import type { Loading } from "../../api/use-request.ts";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { PageList } from "../../components/page-list.tsx";
import { filterHref, SearchForm } from "../../components/search-form.tsx";
import { consolePath } from "../../format/console-path.ts";
import { counted } from "../../format/words.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";

interface RecordsProps<Path extends ListPath, Name extends RowsName<Path>> {
  readonly path: Path;
  readonly rows: Name;
  /** Such as `answers`. */
  readonly name: string;
  /** Parameters of the address that filter the list, by the names of the API. */
  readonly filters?: Readonly<Record<string, string>>;
  /** Of an empty list: why, or what to do. */
  readonly hint: string;
  /** The rows of a group are under the first of them. */
  readonly groups?: (rows: readonly RowOf<Path, Name>[]) => RowOf<Path, Name>[][];
  readonly row: (row: RowOf<Path, Name>, reload: () => void) => ComponentChildren;
}

export interface ObservationProps {
  readonly observation: Body<"/v1/memory/observations/{id}">;
  readonly request: Loading<Body<"/v1/memory/observations/{id}">>;
}

export const WORDS_AND_DOMAIN = { text: "text", domain: "domain" } as const;

export function Records<Path extends ListPath, Name extends RowsName<Path>>({
  path,
  rows,
  name,
  filters = {},
  hint,
  groups,
  row,
}: RecordsProps<Path, Name>) {
  const address = useLocation().query;
  const chosen = Object.entries(filters).flatMap(([own, parameter]) =>
    address[own] ? [[parameter, address[own]]] : [],
  );
  // More rows at once make larger groups.
  const query: Record<string, string | number> = Object.fromEntries(chosen);
  if (groups !== undefined) query.limit = 100;
  const params = { query } as GetParams<Path>;
  const pages = usePages(path, rows, params);
  const show = (each: RowOf<Path, Name>) => row(each, () => void pages.first.reload());
  useRowKeys(".rows .row-title");
  return (
    <>
      {"text" in filters && <Filters name={name} />}
      <PageList
        pages={{ ...pages, rows: groups?.(pages.rows) ?? pages.rows.map((row) => [row]) }}
        name={`the ${name}`}
        empty={chosen.length > 0 ? `No ${name} match.` : `There are no ${name} yet.`}
        hint={chosen.length > 0 ? "Remove a filter, or use fewer words." : hint}
        row={([first, ...others]) => [
          first && show(first),
          others.length > 0 && (
            <li key="others" class="row">
              <details>
                <summary>
                  {counted(others.length, "more record")} of this failure
                  {pages.hasMore && `, of the ${pages.rows.length} loaded`}
                </summary>
                <ul class="rows">{others.map(show)}</ul>
              </details>
            </li>
          ),
        ]}
      />
    </>
  );
}

function Filters({ name }: { readonly name: string }) {
  const location = useLocation();
  const chosen = ["domain", "session"].filter((filter) => location.query[filter]);
  return (
    <div class="stack-2">
      <SearchForm label={`Search ${name}`} />
      {chosen.length > 0 && (
        <p class="actions">
          {chosen.map((filter) => (
            <span key={filter} class="chip chip-on">
              <span>
                {filter} <strong>{displayText(location.query[filter] ?? "")}</strong>
              </span>
              <a href={filterHref(location, { [filter]: null })} aria-label={`Show every ${filter}`}>
                ×
              </a>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** The domain of a record; it filters the list. */
export function DomainLink({ domain }: { readonly domain: string }) {
  return (
    <a href={filterHref(useLocation(), { domain })} title={`Only ${domain}`}>
      {domain}
    </a>
  );
}

interface ForgetButtonProps {
  /** Such as `failure`. */
  readonly kind: string;
  /** The record, for screen readers. */
  readonly name: string;
  readonly size?: "small" | "normal";
  readonly forget: () => Promise<Reply<unknown>>;
  readonly onForgotten: () => void;
  /** What is deleted with it, and what stays. */
  readonly children: ComponentChildren;
}

/** Deletes a record. Shown with the scope `admin` only. */
export function ForgetButton({ kind, name, size = "small", forget, onForgotten, children }: ForgetButtonProps) {
  if (!can("admin")) return null;
  return (
    <ConfirmedRemoval
      verb="Forget"
      name={displayText(name)}
      title={`Forget this ${kind}?`}
      size={size}
      remove={forget}
      done={`The ${kind} is deleted.`}
      onDone={onForgotten}
    >
      {children}
      <p>Nobody can undo this.</p>
    </ConfirmedRemoval>
  );
}

interface QuestionAndAnswerProps {
  readonly question: string;
  readonly answer: string;
  /** How the answer was reached. */
  readonly strategy?: string;
  readonly incidentId?: string | null;
  readonly children?: ComponentChildren;
}

export function QuestionAndAnswer({ question, answer, strategy, incidentId = null, children }: QuestionAndAnswerProps) {
  return (
    <details>
      <summary class="row-title">{displayText(question)}</summary>
      <p class="record-text">{displayText(answer)}</p>
      {strategy !== undefined && <p class="note">How it was reached: {displayText(strategy)}</p>}
      <div class="line">
        {incidentId !== null && <a href={consolePath(`/incidents/${incidentId}`)}>Open its incident</a>}
        {children}
      </div>
    </details>
  );
}
