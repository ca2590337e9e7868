// One domain: its labels, words, types and first looks; and its editor.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { TextField } from "../../components/field.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page, Section } from "../../components/page.tsx";
import { useKeys } from "../../keyboard/keys.ts";
import { can } from "../../session/session.ts";
import { DefinitionEditor, EMPTY_DEFINITION } from "./definition-editor.tsx";
import { DOMAINS, domainHref, runbooksHref } from "./domain-href.ts";
import { count } from "./domain-list.tsx";
import { matchText } from "./label-text.ts";
import type { Definition, DomainRecord, Hint } from "./types.ts";

interface DomainPageProps {
  readonly name: string;
  readonly isEdited: boolean;
}

export function DomainPage({ name, isEdited }: DomainPageProps) {
  const { route } = useLocation();
  const request = useRequest<DomainRecord>(name, (options) =>
    api.GET("/v1/domains/{name}", { params: { path: { name } }, ...options }),
  );
  useKeys(can("ingest") ? [{ keys: "e", name: "Edit the domain", run: () => route(domainHref(name, "edit")) }] : []);
  const actions = can("ingest") && !isEdited && (
    <a class="button" href={domainHref(name, "edit")}>
      Edit
    </a>
  );
  return (
    <Page title={name} {...(actions === false ? {} : { actions })}>
      <Loaded request={request} name="the domain" lines={12}>
        {(domain) =>
          isEdited && can("ingest") ? (
            <DefinitionEditor name={name} definition={domain.definition} onDone={() => route(domainHref(name))} />
          ) : (
            <Read domain={domain} />
          )
        }
      </Loaded>
    </Page>
  );
}

export function NewDomain() {
  const { route } = useLocation();
  const name = useSignal("");
  return (
    <Page title="New domain">
      <TextField
        label="Name"
        hint="Lower-case letters, digits, hyphens and underscores, such as payments."
        value={name.value}
        maxLength={63}
        set={(text) => (name.value = text)}
      />
      <DefinitionEditor
        name={name.value.trim()}
        definition={EMPTY_DEFINITION}
        isNew
        onDone={(isStored) => route(isStored ? domainHref(name.value.trim()) : DOMAINS)}
      />
    </Page>
  );
}

function Read({
  domain: { name, definition, runbooks, documents, incidents, origin },
}: {
  readonly domain: DomainRecord;
}) {
  const { description, labels, hints, excluded_words: excluded } = definition;
  return (
    <>
      {description !== "" && <p>{displayText(description)}</p>}
      <p class="facts">
        <a href={runbooksHref(name)}>{count(runbooks, "runbook")}</a>
        <span>{count(documents, "document")}</span>
        <span>{count(incidents, "incident")}</span>
        {origin !== null && <Badge>{ORIGINS[origin]}</Badge>}
        {definition.only_when_decided && <Badge tone="warn">only for its own reports</Badge>}
      </p>
      <Section title="Labels that mean it">
        {labels.length === 0 ? (
          <p class="note">None. The label domain={name} always does.</p>
        ) : (
          <ul class="domains-rules">
            {labels.map(({ match, weight }) => (
              <li key={matchText(match)}>
                <code>{displayText(matchText(match))}</code> <Weight weight={weight} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Words that hint at it">
        {hints.length === 0 ? <p class="note">Only its name.</p> : <Hints hints={hints} />}
        {excluded.length > 0 && <p class="note">Not for reports that name {displayText(excluded.join(", "))}.</p>}
      </Section>
      <TypesAndLooks definition={definition} />
    </>
  );
}

function TypesAndLooks({
  definition: { incident_types: types, first_looks: looks },
}: Pick<DomainRecord, "definition">) {
  return (
    <>
      {types.length > 0 && (
        <Section title="Incident types">
          {types.map((type) => (
            <div key={type.name}>
              <h3>{displayText(type.name)}</h3>
              <Hints hints={type.hints} />
            </div>
          ))}
        </Section>
      )}
      {looks.length > 0 && (
        <Section title="First looks" note="Shown when the cause is unknown.">
          <ol class="domains-looks">
            {looks.map(({ text, command }) => (
              <li key={text}>
                {displayText(text)}
                {command !== null && command !== undefined && <CodeBlock text={command} name="command" />}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

const ORIGINS = { api: "stored here", folder: "from a folder", built_in: "built in" } as const;
const WEIGHTS: Readonly<Record<number, string>> = { 1: "faint", 2: "usual here", 3: "decisive" };

function Weight({ weight }: { readonly weight: number }) {
  return <Badge tone={weight === 3 ? "info" : "neutral"}>{WEIGHTS[weight] ?? weight}</Badge>;
}

function Hints({ hints }: { readonly hints: Definition["hints"] }) {
  return (
    <ul class="domains-rules">
      {hints.map((hint) => (
        <li key={hintText(hint)}>
          {hint.words?.map((word) => (
            <code key={word}>{displayText(word)}</code>
          ))}
          {hint.pattern !== undefined && <code>/{displayText(hint.pattern)}/</code>} <Weight weight={hint.weight} />
        </li>
      ))}
    </ul>
  );
}

function hintText({ words = [], pattern = "" }: Hint): string {
  return `${words.join(",")} ${pattern}`;
}
