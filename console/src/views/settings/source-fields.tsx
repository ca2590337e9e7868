// The fields of a source of evidence.

import { SelectField, TextField } from "../../components/field.tsx";
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
  readonly change: (changed: Partial<SourceText>) => void;
}

const KIND_NAMES = Object.fromEntries(KINDS.map(({ kind, name }) => [kind, name]));

/** Where the source is, which reports ask it, and what its requests carry. */
export function SourceFields({ text, change }: SourceFieldsProps) {
  const kind = KINDS.find(({ kind }) => kind === text.kind);
  return (
    <>
      <SelectField
        label="Kind"
        value={text.kind}
        names={KIND_NAMES}
        set={(kind) => change({ kind: kind as Source["kind"] })}
      />
      <TextField
        label="Address"
        hint="Queries go to this address only. Never write a password into it."
        required
        placeholder={kind?.placeholder}
        value={text.url}
        set={(url) => change({ url })}
      />
      <TextField
        label="Credential (optional)"
        hint={`The name of a secret of the Worker, never its value. The secret holds ${kind?.secret}.`}
        placeholder="EVIDENCE_PROD_METRICS"
        value={text.credential}
        set={(credential) => change({ credential })}
      />
      <TextField
        label="Labels (optional)"
        hint="Only alerts with these labels: one a line, such as cluster=eu|us."
        rows={2}
        value={text.labels}
        set={(labels) => change({ labels })}
      />
      <TextField
        label="Domains (optional)"
        hint="Only reports of these domains. Empty: all."
        placeholder="kubernetes, postgres"
        value={text.domains}
        set={(domains) => change({ domains })}
      />
      <TextField
        label="Headers (optional)"
        hint="Without secrets: one a line, such as X-Scope-OrgID=prod."
        rows={2}
        value={text.headers}
        set={(headers) => change({ headers })}
      />
      <TextField
        label="Address for people (optional)"
        hint="Links of results lead there, such as to Grafana."
        placeholder="https://grafana.example.com"
        value={text.open_url}
        set={(open_url) => change({ open_url })}
      />
    </>
  );
}
