// One runbook: read, edit, its history, and the alerts that it answered.

import { useLocation } from "preact-iso/router";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type Loading, useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { consolePath } from "../../format/console-path.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { can } from "../../session/session.ts";
import { forgetDraft, RunbookEditor } from "./runbook-editor.tsx";
import { RunbookFacts } from "./runbook-facts.tsx";
import {
  type RunbookDetail,
  type RunbookName,
  type RunbookPart,
  runbookHref,
  withoutFrontMatter,
} from "./runbook-name.ts";
import { RunbookUses } from "./runbook-uses.tsx";
import { RunbookVersions } from "./runbook-versions.tsx";

const PARTS: readonly { readonly part: RunbookPart; readonly name: string }[] = [
  { part: "read", name: "Read" },
  { part: "edit", name: "Edit" },
  { part: "history", name: "History" },
  { part: "uses", name: "What it answered" },
];

export function RunbookPage({ name }: { readonly name: RunbookName }) {
  const { query, route } = useLocation();
  const request = useGet("/v1/runbooks/{domain}/{source}", { path: name });
  const allowed = PARTS.filter(({ part }) => part !== "edit" || can("ingest"));
  const { part } = allowed.find((each) => each.part === query.part) ?? { part: "read" as const };
  useKeys(can("ingest") ? [{ keys: "e", name: "Edit the runbook", run: () => route(runbookHref(name, "edit")) }] : []);
  const state = request.state.value;
  const title = state.status === "ready" ? displayText(state.data.title) : name.source;
  return (
    <Page title={title} actions={part === "edit" && <DeleteButton name={name} />}>
      <p class="facts">
        <a href={consolePath(`/runbooks?domain=${encodeURIComponent(name.domain)}`)}>{displayText(name.domain)}</a>
        <code>{displayText(name.source)}</code>
        {state.status === "ready" && (
          <>
            <RunbookFacts runbook={state.data} />
            {[state.data.incident_type, ...state.data.tags].map(
              (tag) => tag !== null && tag !== name.domain && <Badge key={tag}>{displayText(tag)}</Badge>,
            )}
          </>
        )}
      </p>
      <Tabs
        label="Runbook"
        tabs={allowed.map((each) => ({
          href: runbookHref(name, each.part),
          name: each.name,
          isCurrent: each.part === part,
        }))}
      />
      <Part part={part} name={name} request={request} />
    </Page>
  );
}

interface PartProps {
  readonly part: RunbookPart;
  readonly name: RunbookName;
  readonly request: Loading<RunbookDetail>;
}

function Part({ part, name, request }: PartProps) {
  const { route } = useLocation();
  if (part === "uses") return <RunbookUses name={name} />;
  return (
    <Loaded request={request} name="the runbook" lines={14}>
      {(runbook) => {
        if (part === "history") return <RunbookVersions name={name} runbook={runbook} onRestored={request.reload} />;
        if (part === "read") return <Markdown text={withoutFrontMatter(runbook.markdown)} level={1} />;
        const saved = async () => {
          await request.reload();
          route(runbookHref(name));
        };
        return (
          <>
            {runbook.origin !== "api" && (
              <p class="note">
                This runbook comes from a folder. Your version takes precedence over it, also when the folder is loaded
                again.
              </p>
            )}
            <RunbookEditor
              key={runbook.etag}
              name={name}
              stored={{ markdown: runbook.markdown, etag: runbook.etag }}
              onSaved={saved}
              reload={request.reload}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function DeleteButton({ name }: { readonly name: RunbookName }) {
  const { route } = useLocation();
  return (
    <ConfirmedRemoval
      verb="Delete"
      name={name.source}
      size="normal"
      remove={() => api.DELETE("/v1/runbooks/{domain}/{source}", { params: { path: name } })}
      done="Deleted. New answers do not use it."
      onDone={() => {
        forgetDraft(name);
        route(consolePath("/runbooks"));
      }}
    >
      <p>
        Its history goes with it, and stored answers lose their quotes of it. A runbook from a folder returns when the
        folder is loaded again.
      </p>
    </ConfirmedRemoval>
  );
}
