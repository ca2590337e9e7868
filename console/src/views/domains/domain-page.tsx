// One domain: its labels, words, types and first looks; and its editor.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { TextField } from "../../components/field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { bound } from "../../components/use-form.ts";
import { consolePath } from "../../format/console-path.ts";
import { counted } from "../../format/words.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { can } from "../../session/session.ts";
import { ORIGINS } from "../runbooks/runbook-name.ts";
import { DefinitionEditor, EMPTY_DEFINITION } from "./definition-editor.tsx";
import { type Definition, DOMAINS, type DomainRecord, domainHref, matchText, WEIGHTS } from "./domain.ts";

interface DomainPageProps {
  readonly name: string;
  readonly isEdited: boolean;
}

export function DomainPage({ name, isEdited }: DomainPageProps) {
  const { route } = useLocation();
  const request = useGet("/v1/domains/{name}", { path: { name } });
  useKeys(can("ingest") ? [{ keys: "e", name: "Edit the domain", run: () => route(domainHref(name, "edit")) }] : []);
  return (
    <Page
      title={name}
      actions={
        can("ingest") &&
        !isEdited && (
          <a class="button" href={domainHref(name, "edit")}>
            Edit
          </a>
        )
      }
    >
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
        maxLength={63}
        {...bound(name)}
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

export function DomainCounts({ domain }: { readonly domain: DomainRecord }) {
  return (
    <>
      <a href={consolePath(`/runbooks?domain=${encodeURIComponent(domain.name)}`)}>
        {counted(domain.runbooks, "runbook")}
      </a>
      <span>{counted(domain.documents, "document")}</span>
      <span>{counted(domain.incidents, "incident")}</span>
    </>
  );
}

function Read({ domain }: { readonly domain: DomainRecord }) {
  const { name, definition, origin } = domain;
  const {
    description,
    labels,
    hints,
    excluded_words: excluded,
    incident_types: types,
    first_looks: looks,
  } = definition;
  return (
    <>
      {description !== "" && <p>{displayText(description)}</p>}
      <p class="facts">
        <DomainCounts domain={domain} />
        {origin !== null && <Badge>{ORIGINS[origin]}</Badge>}
        {definition.only_when_decided && <Badge tone="warn">only for its own reports</Badge>}
      </p>
      <Section title="Labels that mean it">
        {labels.length === 0 ? (
          <p class="note">None. The label domain={name} always does.</p>
        ) : (
          <ul class="list domains-rules">
            {labels.map(({ match, weight }) => (
              <li key={matchText(match)} class="line">
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
          <ol class="bullets">
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

function Weight({ weight }: { readonly weight: keyof typeof WEIGHTS }) {
  return <Badge tone={weight === 3 ? "info" : "neutral"}>{WEIGHTS[weight]}</Badge>;
}

function Hints({ hints }: { readonly hints: Definition["hints"] }) {
  return (
    <ul class="list domains-rules">
      {hints.map((hint) => (
        <li key={JSON.stringify(hint)} class="line">
          {hint.words?.map((word) => (
            <code key={word}>{displayText(word)}</code>
          ))}
          {hint.pattern !== undefined && <code>/{displayText(hint.pattern)}/</code>} <Weight weight={hint.weight} />
        </li>
      ))}
    </ul>
  );
}
