// A new runbook: a template or a draft of another view, a domain and a name.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { Field, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { bound } from "../../components/use-form.ts";
import { can } from "../../session/session.ts";
import { keepDraft, readDraft, takeOfferedDraft } from "./draft-store.ts";
import { RunbookEditor } from "./runbook-editor.tsx";
import { runbookHref, sourceOf } from "./runbook-name.ts";
import { useSettled } from "./use-settled.ts";

const DRAFT_KEY = "new";
const PROPOSE_AFTER_MS = 500;

const TEMPLATE = `# What failed, in a few words

What this failure is, in one or two sentences.

## Symptoms

- What an alert or a log says: paste the exact error line.

## Root causes

1. **The most frequent cause.** What shows it, and what ends it.

## Confirm

1. Look at the state.

   \`\`\`sh
   kubectl get pods
   \`\`\`

## Mitigate

1. What ends the failure.

## Prevent

- What keeps it from coming back.
`;

export function NewRunbook() {
  const { query, route } = useLocation();
  const offered = useRef(useOnce(takeOfferedDraft));
  const draft = offered.current;
  const domain = useSignal(draft?.domain || query.domain || "");
  const source = useSignal(draft?.source ?? "");
  const title = useSignal(titleOf(draft?.markdown ?? readDraft(DRAFT_KEY)?.markdown ?? ""));
  const proposal = useProposedDomain(domain, title.value);
  const names = useDomainNames();
  const path = source.value.trim() || sourceOf(title.value);
  const name = { domain: domain.value.trim(), source: path };
  const missing =
    name.domain === "" ? "Choose a domain" : path === "" ? "Give the text a title, or the runbook a name" : null;
  return (
    <Page title="New runbook">
      <RunbookEditor
        name={name}
        draftKey={DRAFT_KEY}
        stored={{ markdown: TEMPLATE, etag: null }}
        missing={missing}
        onText={(markdown) => (title.value = titleOf(markdown))}
        onSaved={() => route(runbookHref(name))}
      >
        <div class="stack runbooks-names">
          <Field label="Domain" hint={proposal ?? "The technology or the team. A new name creates it."}>
            <input
              list="runbooks-domains"
              required
              pattern="[a-z0-9][a-z0-9_\-]{0,62}"
              title="Lower-case letters, digits, hyphens and underscores"
              value={domain.value}
              onInput={(event) => (domain.value = event.currentTarget.value)}
            />
          </Field>
          <datalist id="runbooks-domains">
            {names.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
          <TextField
            label="Name"
            hint="Alerts can name it in runbook_url."
            maxLength={200}
            placeholder={sourceOf(title.value) || "ingress-answers-502.md"}
            {...bound(source)}
          />
        </div>
      </RunbookEditor>
    </Page>
  );
}

/** Fills an empty domain with the one that a report of this title would get, and says so; null without a proposal. */
function useProposedDomain(domain: Signal<string>, title: string): string | null {
  const proposed = useSignal("");
  const text = useSettled(title, PROPOSE_AFTER_MS);
  useEffect(() => {
    // What a person chose stays.
    if (text === "" || !can("read") || domain.peek() !== proposed.peek()) return;
    let isCurrent = true;
    void settle(api.POST("/v1/domains/route", { body: { text } })).then((result) => {
      if (!isCurrent || !result.ok || domain.peek() !== proposed.peek()) return;
      proposed.value = result.data.domain.decided_by === "none" ? "" : result.data.domain.name;
      domain.value = proposed.value;
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return proposed.value !== "" && domain.value === proposed.value
    ? "Proposed: a report of this title would go there."
    : null;
}

/** The draft of another view becomes the text that is being written. */
function useOnce<T extends { readonly markdown: string } | null>(take: () => T): T {
  const value = useRef<T | undefined>(undefined);
  if (value.current === undefined) {
    value.current = take();
    if (value.current !== null) keepDraft(DRAFT_KEY, { markdown: value.current.markdown, etag: null });
  }
  return value.current;
}

/** The first heading, unless it is that of the template. */
function titleOf(markdown: string): string {
  const title = /^# (.*)$/m.exec(markdown)?.[1]?.trim() ?? "";
  return TEMPLATE.startsWith(`# ${title}\n`) ? "" : title;
}
