// The view Runbooks: all runbooks by name, with a filter in the address, and the search as a triage makes it.

import { Fragment } from "preact";
import { useLocation, useRoute } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge } from "../../components/badge.tsx";
import { namesOf, SelectField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { PageList } from "../../components/page-list.tsx";
import { filterHref, SearchForm } from "../../components/search-form.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { NewRunbook } from "./new-runbook.tsx";
import { RunbookFacts } from "./runbook-facts.tsx";
import { ORIGINS, runbookHref, splitName } from "./runbook-name.ts";
import { RunbookPage } from "./runbook-page.tsx";
import { RunbookSearch } from "./runbook-search.tsx";
import "./runbooks.css";

const PATH = consolePath("/runbooks");
const PAGE_SIZE = 50;

export function Runbooks() {
  const { rest = "" } = useRoute().params;
  if (rest === "new" && can("ingest")) return <NewRunbook />;
  if (!rest.includes("/")) return <RunbookList />;
  return <RunbookPage key={rest} name={splitName(rest)} />;
}

function RunbookList() {
  const location = useLocation();
  const { query, route } = location;
  const isSearch = query.view === "search";
  const names = useDomainNames(query.domain);
  useKeys(can("ingest") ? [{ keys: "n", name: "New runbook", run: () => route(`${PATH}/new`) }] : []);
  return (
    <Page
      title="Runbooks"
      actions={
        can("ingest") && (
          <a class="button button-primary" href={`${PATH}/new`}>
            New runbook
          </a>
        )
      }
    >
      <Tabs
        label="Runbooks"
        tabs={[
          { href: PATH, name: "All runbooks", isCurrent: !isSearch },
          { href: `${PATH}?view=search`, name: "Search as a triage does", isCurrent: isSearch },
        ]}
      />
      <SearchForm
        key={String(isSearch)}
        label={isSearch ? "What failed" : "Name or title"}
        action={isSearch ? "Search" : "Filter"}
        maxLength={isSearch ? 4_000 : 200}
      >
        <SelectField
          label="Domain"
          isLabelHidden
          value={query.domain ?? ""}
          names={namesOf(names, "All domains")}
          set={(domain) => route(filterHref(location, { domain }))}
        />
      </SearchForm>
      {isSearch ? <RunbookSearch text={query.text ?? ""} domain={query.domain} /> : <Entries />}
    </Page>
  );
}

function Entries() {
  useRowKeys(".row-title");
  const { text, domain } = useLocation().query;
  const query = { text: text || undefined, domain: domain || undefined, limit: PAGE_SIZE };
  const pages = usePages("/v1/runbooks", "runbooks", { query });
  return (
    <PageList
      pages={pages}
      name="the runbooks"
      {...(text || domain
        ? {
            empty: "No runbook has this in its name or title.",
            hint: text && (
              <a href={`${PATH}?${new URLSearchParams({ view: "search", text })}`}>Search in their texts</a>
            ),
          }
        : {
            empty: "There are no runbooks yet.",
            hint: "A runbook says how to recognise a failure, how to confirm it and how to end it. Answers quote it.",
          })}
      row={(runbook, i) => (
        <Fragment key={runbook.id}>
          {runbook.domain !== pages.rows[i - 1]?.domain && (
            <li class="row">
              <h2>{displayText(runbook.domain)}</h2>
            </li>
          )}
          <li class="row">
            <a class="row-title" href={runbookHref(splitName(runbook.source))}>
              {displayText(runbook.title)}
            </a>
            <p class="facts">
              <code>{displayText(runbook.source)}</code>
              <Badge tone={runbook.origin === "built_in" ? "neutral" : "info"}>{ORIGINS[runbook.origin]}</Badge>
              <RunbookFacts runbook={runbook} />
            </p>
          </li>
        </Fragment>
      )}
    />
  );
}
