// The fields of a source of evidence.

import { Field } from "../../components/field.tsx";
import type { Source } from "./entries.ts";
import type { SourceText } from "./source-text.ts";

interface Kind {
  readonly kind: Source["kind"];
  readonly name: string;
  readonly placeholder: string;
  /** Forms of its credential. */
  readonly secret: string;
}

const HTTP_SECRET = "a bearer token, user:password, or lines Header: value";
const KINDS: readonly Kind[] = [
  {
    kind: "prometheus",
    name: "Prometheus, or a server with its HTTP API",
    placeholder: "https://mimir.example.com/prometheus",
    secret: HTTP_SECRET,
  },
  { kind: "loki", name: "Loki", placeholder: "https://loki.example.com", secret: HTTP_SECRET },
  {
    kind: "postgres",
    name: "PostgreSQL",
    placeholder: "postgresql://db.example.com:5432/postgres?sslmode=require",
    secret: "user:password, a whole connection string, or a Hyperdrive binding",
  },
  {
    kind: "kubernetes",
    name: "Kubernetes API",
    placeholder: "https://kubernetes.example.com:6443",
    secret: "a bearer token of a service account, or lines Header: value",
  },
];

interface SourceFieldsProps {
  readonly text: SourceText;
  readonly onChange: (change: Partial<SourceText>) => void;
}

/** Where the source is and how it is reached. */
export function ConnectionFields({ text, onChange }: SourceFieldsProps) {
  const kind = KINDS.find(({ kind }) => kind === text.kind);
  return (
    <>
      <Field label="Kind">
        <select value={text.kind} onChange={(event) => onChange({ kind: event.currentTarget.value as Source["kind"] })}>
          {KINDS.map(({ kind, name }) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Address" hint="Queries go to this address only. Never write a password into it.">
        <input
          required
          inputMode="url"
          placeholder={kind?.placeholder}
          value={text.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
        />
      </Field>
      <Field
        label="Credential (optional)"
        hint={`The name of a secret of the Worker, never its value. The secret holds ${kind?.secret}.`}
      >
        <input
          placeholder="EVIDENCE_PROD_METRICS"
          autocomplete="off"
          value={text.credential}
          onInput={(event) => onChange({ credential: event.currentTarget.value })}
        />
      </Field>
    </>
  );
}

/** Which reports ask the source. */
export function ReportFields({ text, onChange }: SourceFieldsProps) {
  return (
    <>
      <Field label="Labels (optional)" hint="Only alerts with these labels: one a line, such as cluster=eu|us.">
        <textarea rows={2} value={text.labels} onInput={(event) => onChange({ labels: event.currentTarget.value })} />
      </Field>
      <Field label="Domains (optional)" hint="Only reports of these domains. Empty: all.">
        <input
          placeholder="kubernetes, postgres"
          value={text.domains}
          onInput={(event) => onChange({ domains: event.currentTarget.value })}
        />
      </Field>
    </>
  );
}

/** What its requests carry and where its links lead. */
export function HttpFields({ text, onChange }: SourceFieldsProps) {
  return (
    <>
      <Field label="Headers (optional)" hint="Without secrets: one a line, such as X-Scope-OrgID=prod.">
        <textarea rows={2} value={text.headers} onInput={(event) => onChange({ headers: event.currentTarget.value })} />
      </Field>
      <Field label="Address for people (optional)" hint="Links of results lead there, such as to Grafana.">
        <input
          inputMode="url"
          placeholder="https://grafana.example.com"
          value={text.open_url}
          onInput={(event) => onChange({ open_url: event.currentTarget.value })}
        />
      </Field>
    </>
  );
}
