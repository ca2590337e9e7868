// The view Domains: all domains with their counts, and the box that shows where a text would go.

import { useLocation, useRoute } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { useGet } from "../../api/use-request.ts";
import { Page, Section } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { counted } from "../../format/words.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { useRowKeys } from "../../keyboard/use-row-keys.ts";
import { can } from "../../session/session.ts";
import { type Definition, DOMAINS, domainHref } from "./domain.ts";
import { DomainCounts, DomainPage, NewDomain } from "./domain-page.tsx";
import { RouteBox } from "./route-box.tsx";
import "./domains.css";

export function Domains() {
  const { rest = "" } = useRoute().params;
  const { part } = useLocation().query;
  if (rest !== "") return <DomainPage key={`${rest} ${part ?? ""}`} name={rest} isEdited={part === "edit"} />;
  return part === "new" && can("ingest") ? <NewDomain /> : <DomainList />;
}

const LIMIT = 100;
const NEW = `${DOMAINS}?part=new`;

function DomainList() {
  const { route } = useLocation();
  useRowKeys(".row-title");
  const request = useGet("/v1/domains", { query: { limit: LIMIT } });
  useKeys(can("ingest") ? [{ keys: "n", name: "New domain", run: () => route(NEW) }] : []);
  return (
    <Page
      title="Domains"
      actions={
        can("ingest") && (
          <a class="button button-primary" href={NEW}>
            New domain
          </a>
        )
      }
    >
      <p class="note">A domain is a technology or a team. Labels and words of a report choose it.</p>
      {can("read") && <RouteBox />}
      <Section title="All domains">
        <PageList
          pages={onePage(request, ({ domains }) => domains)}
          name="the domains"
          empty="There are no domains yet."
          hint="A runbook with a new domain creates one."
          row={(domain) => (
            <li key={domain.name} class="row">
              <a class="row-title" href={domainHref(domain.name)}>
                {displayText(domain.name)}
              </a>
              {domain.definition.description !== "" && <p>{displayText(domain.definition.description)}</p>}
              <p class="facts">
                <DomainCounts domain={domain} />
                <span>{counted(domain.definition.labels.length, "label rule")}</span>
                <span>{counted(wordsIn(domain.definition), "word")}</span>
              </p>
            </li>
          )}
        />
      </Section>
    </Page>
  );
}

function wordsIn({ hints }: Definition): number {
  return hints.reduce((sum, { words, pattern }) => sum + (words?.length ?? 0) + Number(pattern !== undefined), 0);
}
