// Sources of evidence: the running systems that checks ask, with their health.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { can } from "../../session/session.ts";
import { DeleteSource } from "./delete-source.tsx";
import type { Source, SourceList } from "./entries.ts";
import { SourceForm } from "./source-form.tsx";
import { TrySource } from "./try-source.tsx";

export function Sources() {
  const edited = useSignal<Source | "new" | null>(null);
  const request = useRequest<SourceList>("sources", (options) => api.GET("/v1/sources", { ...options }));
  const reload = () => void request.reload();
  return (
    <Section
      title="Sources of evidence"
      note="A triage asks them with read-only queries, and confirms or rules out causes with the results."
      actions={
        can("admin") && (
          <Button kind="primary" onClick={() => (edited.value = "new")}>
            Define a source
          </Button>
        )
      }
    >
      <Loaded request={request} name="the sources" lines={9}>
        {({ sources }) =>
          sources.length === 0 ? (
            <EmptyState title="There are no sources yet.">
              <p>Without one, an answer names the checks of its runbooks and does not run them.</p>
            </EmptyState>
          ) : (
            <ul class="rows">
              {sources.map((source) => (
                <Row key={source.name} source={source} onEdit={() => (edited.value = source)} onDeleted={reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited.value !== null && (
        <SourceForm
          source={edited.value === "new" ? null : edited.value}
          close={() => (edited.value = null)}
          onStored={reload}
        />
      )}
    </Section>
  );
}

interface RowProps {
  readonly source: Source;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

function Row({ source, onEdit, onDeleted }: RowProps) {
  const { name, kind, url, credential, credential_exists, defined_by, labels, domains, language } = source;
  const canEdit = can("admin") && defined_by === "api";
  const isSecretMissing = credential !== null && credential_exists === false;
  const serves = [
    ...Object.entries(labels).map(([label, values]) => `${label}=${values.join("|")}`),
    ...(domains.length > 0 ? [`domains ${domains.join(", ")}`] : []),
  ];
  return (
    <li class="row">
      <div class="row-head">
        <h3>{name}</h3>
        <Badge>{kind}</Badge>
        <Health source={source} />
      </div>
      <p class="facts">
        <code>{displayText(url)}</code>
        <span>{serves.length === 0 ? "asked for every alert" : `asked for ${serves.map(displayText).join(", ")}`}</span>
        <span>
          {credential === null ? (
            "no credential"
          ) : (
            <>
              credential <code>{credential}</code>
            </>
          )}
        </span>
        {defined_by === "environment" && <span>defined by a setting of the Worker</span>}
      </p>
      {isSecretMissing && (
        <p class="stale">
          The Worker has no secret <code>{credential}</code>. Set it: <code>npx wrangler secret put {credential}</code>
        </p>
      )}
      {!isSecretMissing && source.health?.status === "failing" && source.health.detail !== null && (
        <p class="settings-failing">The source does not answer: {displayText(source.health.detail)}.</p>
      )}
      <details class="settings-try">
        <summary>Try a query in {languageName(language)}</summary>
        <TrySource name={name} language={language} />
      </details>
      {canEdit && (
        <div class="actions">
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <DeleteSource name={name} onDeleted={onDeleted} />
        </div>
      )}
    </li>
  );
}

function Health({ source: { health } }: { readonly source: Source }) {
  if (health === null) return null;
  if (health.status === "failing") return <Badge tone="bad">failing: {health.reason?.replaceAll("_", " ")}</Badge>;
  const version = health.version === null ? "" : ` ${displayText(health.version)},`;
  return (
    <Badge tone="good">
      ok,{version} {Math.round(health.latency_ms)} ms
    </Badge>
  );
}

export function languageName(language: Source["language"]): string {
  return { promql: "PromQL", logql: "LogQL", sql: "SQL", k8s: "the words of kubectl" }[language];
}
