// Sources of evidence: the running systems that checks ask, with their health.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { SelectField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { useForm } from "../../components/use-form.ts";
import { can } from "../../session/session.ts";
import { DefinitionForm, type FieldText } from "./definition-form.tsx";
import { labelsOf, labelsText, pairsOf, pairsText, wordsOf } from "./form-text.ts";
import { TrySource } from "./try-source.tsx";

export type Source = Body<"/v1/sources">["sources"][number];

export function Sources() {
  const edited = useSignal<Source | "new" | null>(null);
  const request = useGet("/v1/sources");
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
      <PageList
        pages={onePage(request, ({ sources }) => sources)}
        name="the sources"
        empty="There are no sources yet."
        hint="Without one, an answer names the checks of its runbooks and does not run them."
        row={(source) => (
          <Row key={source.name} source={source} onEdit={() => (edited.value = source)} onDeleted={reload} />
        )}
      />
      {edited.value !== null && (
        <SourceForm
          source={edited.value === "new" ? null : edited.value}
          onStored={reload}
          close={() => (edited.value = null)}
        />
      )}
    </Section>
  );
}

const LANGUAGES: Readonly<Record<Source["language"], string>> = {
  promql: "PromQL",
  logql: "LogQL",
  sql: "SQL",
  k8s: "the words of kubectl",
};

interface RowProps {
  readonly source: Source;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

function Row({ source, onEdit, onDeleted }: RowProps) {
  const { name, kind, url, credential, credential_exists, defined_by, labels, domains, language, health } = source;
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
        {health?.status === "failing" && <Badge tone="bad">failing: {health.reason?.replaceAll("_", " ")}</Badge>}
        {health !== null && health.status !== "failing" && (
          <Badge tone="good">
            ok,{health.version !== null && ` ${displayText(health.version)},`} {Math.round(health.latency_ms)} ms
          </Badge>
        )}
      </div>
      <p class="facts">
        <code>{displayText(url)}</code>
        <span>{serves.length === 0 ? "asked for every alert" : `asked for ${serves.map(displayText).join(", ")}`}</span>
        <span>{credential === null ? "no credential" : `credential ${credential}`}</span>
        {defined_by === "environment" && <span>defined by a setting of the Worker</span>}
      </p>
      {isSecretMissing && (
        <p class="stale">
          The Worker has no secret <code>{credential}</code>. Set it: <code>npx wrangler secret put {credential}</code>
        </p>
      )}
      {!isSecretMissing && health?.status === "failing" && health.detail !== null && (
        <p class="bad">The source does not answer: {displayText(health.detail)}.</p>
      )}
      <details class="settings-try">
        <summary>Try a query in {LANGUAGES[language]}</summary>
        <TrySource name={name} language={language} />
      </details>
      {can("admin") && defined_by === "api" && (
        <div class="line">
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <ConfirmedRemoval
            verb="Delete"
            name={name}
            remove={() => api.DELETE("/v1/sources/{name}", { params: { path: { name } } })}
            done={`The source ${name} is deleted.`}
            onDone={onDeleted}
          >
            <p>The next triage no longer asks it. Results in answers stay, and the secret stays in the Worker.</p>
          </ConfirmedRemoval>
        </div>
      )}
    </li>
  );
}

interface Kind {
  readonly name: string;
  readonly placeholder: string;
  /** Forms of its credential. */
  readonly secret: string;
}

const HTTP_SECRET = "a bearer token, user:password, or lines Header: value";
const KINDS: Readonly<Record<Source["kind"], Kind>> = {
  prometheus: {
    name: "Prometheus, or a server with its HTTP API",
    placeholder: "https://mimir.example.com/prometheus",
    secret: HTTP_SECRET,
  },
  loki: { name: "Loki", placeholder: "https://loki.example.com", secret: HTTP_SECRET },
  postgres: {
    name: "PostgreSQL",
    placeholder: "postgresql://db.example.com:5432/postgres?sslmode=require",
    secret: "user:password, a whole connection string, or a Hyperdrive binding",
  },
  kubernetes: {
    name: "Kubernetes API",
    placeholder: "https://kubernetes.example.com:6443",
    secret: "a bearer token of a service account, or lines Header: value",
  },
};
const KIND_NAMES = Object.fromEntries(Object.entries(KINDS).map(([kind, { name }]) => [kind, name]));

/** Where a source is, which reports ask it, and what its requests carry. */
const fieldsOf = ({ placeholder, secret }: Kind) =>
  ({
    url: {
      label: "Address",
      hint: "Queries go to this address only. Never write a password into it.",
      required: true,
      placeholder,
    },
    credential: {
      label: "Credential (optional)",
      hint: `The name of a secret of the Worker, never its value. The secret holds ${secret}.`,
      placeholder: "EVIDENCE_PROD_METRICS",
    },
    labels: {
      label: "Labels (optional)",
      hint: "Only alerts with these labels: one a line, such as cluster=eu|us.",
      rows: 2,
    },
    domains: {
      label: "Domains (optional)",
      hint: "Only reports of these domains. Empty: all.",
      placeholder: "kubernetes, postgres",
    },
    headers: {
      label: "Headers (optional)",
      hint: "Without secrets: one a line, such as X-Scope-OrgID=prod.",
      rows: 2,
    },
    open_url: {
      label: "Address for people (optional)",
      hint: "Links of results lead there, such as to Grafana.",
      placeholder: "https://grafana.example.com",
    },
  }) satisfies Record<string, FieldText>;

interface SourceFormProps {
  /** Null for a new one. */
  readonly source: Source | null;
  readonly onStored: () => void;
  readonly close: () => unknown;
}

function SourceForm({ source, onStored, close }: SourceFormProps) {
  const { values, field } = useForm({
    name: source?.name ?? "",
    kind: source?.kind ?? "prometheus",
    url: source?.url ?? "",
    credential: source?.credential ?? "",
    labels: labelsText(source?.labels ?? {}),
    domains: source?.domains.join(", ") ?? "",
    headers: pairsText(source?.headers ?? {}),
    open_url: source?.open_url ?? "",
  });
  const name = values.name.trim();
  const body = {
    kind: values.kind,
    url: values.url.trim(),
    credential: values.credential.trim() || null,
    labels: labelsOf(values.labels),
    domains: wordsOf(values.domains),
    headers: pairsOf(values.headers),
    open_url: values.open_url.trim() || null,
  };
  return (
    <DefinitionForm
      title={source === null ? "Define a source" : `Edit ${name}`}
      exampleName={source === null ? "prod-metrics" : null}
      fields={fieldsOf(KINDS[values.kind])}
      field={field}
      store={() => settle(api.PUT("/v1/sources/{name}", { params: { path: { name } }, body }))}
      done={`The source ${name} is stored. The next triage asks it.`}
      onStored={onStored}
      close={close}
    >
      <SelectField label="Kind" names={KIND_NAMES} {...field("kind")} />
    </DefinitionForm>
  );
}
