// All runbooks by name with a filter in the address, and the search as a triage makes it.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Field } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { PageList } from "../../components/page-list.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { DomainSelect } from "./domain-select.tsx";
import { runbookHref, splitName } from "./runbook-name.ts";
import { RunbookSearch } from "./runbook-search.tsx";
import type { RunbookList as List, RunbookEntry } from "./types.ts";

const PATH = consolePath("/runbooks");
const PAGE_SIZE = 50;

export function RunbookList() {
  const { query, route } = useLocation();
  const isSearch = query.view === "search";
  const actions = can("ingest") && (
    <a class="button button-primary" href={`${PATH}/new`}>
      New runbook
    </a>
  );
  useKeys(can("ingest") ? [{ keys: "n", name: "New runbook", run: () => route(`${PATH}/new`) }] : []);
  return (
    <Page title="Runbooks" {...(actions === false ? {} : { actions })}>
      <Tabs
        label="Runbooks"
        tabs={[
          { href: PATH, name: "All runbooks", isCurrent: !isSearch },
          { href: `${PATH}?view=search`, name: "Search as a triage does", isCurrent: isSearch },
        ]}
      />
      <SearchForm key={String(isSearch)} isSearch={isSearch} />
      {isSearch ? <RunbookSearch text={query.text ?? ""} domain={query.domain} /> : <Entries />}
    </Page>
  );
}

/** The text and the domain are in the address, so that a list can be sent to somebody. */
function SearchForm({ isSearch }: { readonly isSearch: boolean }) {
  const { query, route } = useLocation();
  const typed = useSignal(query.text ?? "");
  const input = useRef<HTMLInputElement>(null);
  const name = isSearch ? "What failed" : "Name or title";
  useKeys([{ keys: "/", name: "Search runbooks", run: () => input.current?.focus() }]);
  const go = (change: Readonly<Record<string, string>>) => {
    const fields = { view: query.view ?? "", text: query.text ?? "", domain: query.domain ?? "", ...change };
    const search = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
    route(search.size === 0 ? PATH : `${PATH}?${search}`);
  };
  return (
    <search>
      <form
        class="runbooks-filter"
        onSubmit={(event) => {
          event.preventDefault();
          go({ text: typed.value.trim() });
        }}
      >
        <Field label={name}>
          <input
            ref={input}
            type="search"
            maxLength={isSearch ? 4_000 : 200}
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </Field>
        <DomainSelect value={query.domain ?? ""} onChange={(domain) => go({ domain, text: typed.value.trim() })} />
        <Button type="submit">{isSearch ? "Search" : "Filter"}</Button>
      </form>
    </search>
  );
}

function Entries() {
  useRowKeys(".row-title");
  const { query } = useLocation();
  const filter = {
    ...(query.text ? { text: query.text } : {}),
    ...(query.domain ? { domain: query.domain } : {}),
  };
  const pages = usePages<List, RunbookEntry>(
    `runbooks ${JSON.stringify(filter)}`,
    (cursor, options) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
      return api.GET("/v1/runbooks", { params: { query }, ...options });
    },
    ({ runbooks }) => runbooks,
  );
  return (
    <PageList
      pages={pages}
      name="the runbooks"
      empty={<NoRunbooks text={query.text ?? ""} isFiltered={Object.keys(filter).length > 0} />}
    >
      {(runbooks) => (
        <ul class="plain-rows">
          {runbooks.map((runbook) => (
            <Entry key={runbook.id} runbook={runbook} />
          ))}
        </ul>
      )}
    </PageList>
  );
}

const ORIGINS = { api: "stored here", folder: "from a folder", built_in: "built in" } as const;

function Entry({ runbook }: { readonly runbook: RunbookEntry }) {
  const { source, title, origin, tags, updated_at, updated_by } = runbook;
  return (
    <li>
      <a class="row-title" href={runbookHref(splitName(source))}>
        {displayText(title)}
      </a>
      <p class="facts">
        <code>{displayText(source)}</code>
        <Badge tone={origin === "built_in" ? "neutral" : "info"}>{ORIGINS[origin]}</Badge>
        {tags.map((tag) => (
          <Badge key={tag}>{displayText(tag)}</Badge>
        ))}
        <span>
          changed <Time at={updated_at} />
          {updated_by !== null && ` by ${displayText(updated_by)}`}
        </span>
      </p>
    </li>
  );
}

function NoRunbooks({ text, isFiltered }: { readonly text: string; readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No runbook has this in its name or title.">
        {text !== "" && (
          <p>
            <a href={`${PATH}?${new URLSearchParams({ view: "search", text })}`}>Search in their texts</a>
          </p>
        )}
        <a href={PATH}>Show all runbooks</a>
      </EmptyState>
    );
  return (
    <EmptyState title="There are no runbooks yet.">
      <p>A runbook says how to recognise a failure, how to confirm it and how to end it. Answers quote it.</p>
      {can("ingest") && <a href={`${PATH}/new`}>Write the first one</a>}
    </EmptyState>
  );
}
