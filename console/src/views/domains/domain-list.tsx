// All domains with their counts, and the box that shows where a text would go.

import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { DOMAINS, domainHref, runbooksHref } from "./domain-href.ts";
import { RouteBox } from "./route-box.tsx";
import type { DomainRecord, DomainList as List } from "./types.ts";

const LIMIT = 100;
const NEW = `${DOMAINS}?part=new`;

export function DomainList() {
  const { route } = useLocation();
  useRowKeys(".row-title");
  const request = useRequest<List>("domains", (options) =>
    api.GET("/v1/domains", { params: { query: { limit: LIMIT } }, ...options }),
  );
  useKeys(can("ingest") ? [{ keys: "n", name: "New domain", run: () => route(NEW) }] : []);
  const actions = can("ingest") && (
    <a class="button button-primary" href={NEW}>
      New domain
    </a>
  );
  return (
    <Page title="Domains" {...(actions === false ? {} : { actions })}>
      <p class="note">A domain is a technology or a team. Labels and words of a report choose it.</p>
      {can("read") && <RouteBox />}
      <Section title="All domains">
        <Loaded request={request} name="the domains" lines={10}>
          {({ domains }) =>
            domains.length === 0 ? (
              <EmptyState title="There are no domains yet.">
                <p>A runbook with a new domain creates one.</p>
              </EmptyState>
            ) : (
              <ul class="plain-rows">
                {domains.map((domain) => (
                  <Entry key={domain.name} domain={domain} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}

function Entry({ domain: { name, definition, runbooks, documents, incidents } }: { readonly domain: DomainRecord }) {
  return (
    <li>
      <a class="row-title" href={domainHref(name)}>
        {displayText(name)}
      </a>
      {definition.description !== "" && <p>{displayText(definition.description)}</p>}
      <p class="facts">
        <a href={runbooksHref(name)}>{count(runbooks, "runbook")}</a>
        <span>{count(documents, "document")}</span>
        <span>{count(incidents, "incident")}</span>
        <span>{count(definition.labels.length, "label rule")}</span>
        <span>{count(wordsIn(definition), "word")}</span>
      </p>
    </li>
  );
}

function wordsIn({ hints }: DomainRecord["definition"]): number {
  return hints.reduce((sum, { words, pattern }) => sum + (words?.length ?? 0) + Number(pattern !== undefined), 0);
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
