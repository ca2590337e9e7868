// Makes a token. Its secret is shown once.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/choice.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useForm } from "../../components/use-form.ts";
import { can, type Scope, session } from "../../session/session.ts";
import { wordsOf } from "./form-text.ts";

const SCOPES: readonly { readonly scope: Scope; readonly allows: string }[] = [
  { scope: "report", allows: "send alerts, incidents and changes; it reads nothing" },
  { scope: "triage", allows: "the same, and ask for answers, which quote what memory holds" },
  { scope: "read", allows: "read incidents, changes and memory, and search" },
  { scope: "feedback", allows: "rate answers and record fixes" },
  { scope: "ingest", allows: "load runbooks and documents, and try sources of evidence" },
  { scope: "admin", allows: "delete records, define sources, run jobs, make and revoke tokens" },
];
const EXPIRIES = { in7: "in 7 days", in30: "in 30 days", in90: "in 90 days", in365: "in a year" };

interface NewTokenProps {
  /** Those that it may replace. */
  readonly tokens: readonly Body<"/v1/admin/tokens">["tokens"][number][];
  readonly onMade: () => void;
  readonly onClose: () => void;
}

export function NewToken({ tokens, onMade, onClose }: NewTokenProps) {
  const made = useSignal<{ readonly name: string; readonly token: string } | null>(null);
  const { values, field } = useForm({ name: "", expires: "in90", domains: "", replaces: "" });
  const scopes = useSignal<readonly Scope[]>([]);
  const problem = useSignal<string | null>(null);
  if (made.value !== null) return <Made {...made.value} onClose={onClose} />;
  const make = async () => {
    problem.value = scopes.value.length === 0 ? "Choose at least one." : null;
    if (problem.value !== null) return "invalid";
    const domains = wordsOf(values.domains);
    const body = {
      name: values.name,
      scopes: [...scopes.value],
      ...(values.expires !== "" && { expires_in_days: Number(values.expires.slice(2)) }),
      ...(domains.length > 0 && { domains }),
      ...(values.replaces !== "" && { replaces: values.replaces }),
    };
    const result = await settle(api.POST("/v1/admin/tokens", { body }));
    if (!result.ok) return result.failure;
    made.value = { name: result.data.name, token: result.data.token };
    onMade();
    return "invalid";
  };
  const own = session.value?.domains;
  return (
    <FormDialog title="Make a token" action="Make it" close={onClose} submit={make}>
      <TextField
        label="Name"
        hint="The client or the person, such as grafana."
        required
        maxLength={100}
        {...field("name")}
      />
      <fieldset class="choices">
        <legend>Scopes</legend>
        <p class="field-hint">No scope implies another.</p>
        {/* A token can grant only scopes that it has. */}
        {SCOPES.filter(({ scope }) => can(scope)).map(({ scope, allows }) => (
          <Check
            key={scope}
            checked={scopes.value.includes(scope)}
            set={(checked) =>
              (scopes.value = checked ? [...scopes.value, scope] : scopes.value.filter((each) => each !== scope))
            }
          >
            <strong>{scope}</strong> <span class="note">{allows}</span>
          </Check>
        ))}
        {problem.value !== null && (
          <p class="field-error" role="alert">
            {problem.value}
          </p>
        )}
      </fieldset>
      <SelectField
        label="Expires"
        hint="A token never outlives the one that made it."
        names={{ ...EXPIRIES, "": session.value?.expires_at ? "with your own token" : "never" }}
        {...field("expires")}
      />
      <TextField
        label="Domains (optional)"
        hint={`For the token, other domains do not exist. Empty: ${own ? own.join(", ") : "all"}.`}
        placeholder="kubernetes, checkout-team"
        {...field("domains")}
      />
      {tokens.length > 0 && (
        <SelectField
          label="Replaces (optional)"
          hint="It continues the alerts and sessions of that token. Revoke the old one later."
          names={{ "": "No token", ...Object.fromEntries(tokens.map(({ id, name }) => [id, name])) }}
          {...field("replaces")}
        />
      )}
    </FormDialog>
  );
}

interface MadeProps {
  readonly name: string;
  readonly token: string;
  readonly onClose: () => void;
}

/** Not closed by Escape: the secret cannot be read again. */
function Made({ name, token, onClose }: MadeProps) {
  return (
    <Dialog title={`The token ${displayText(name)}`} onClose={onClose} canClose={false}>
      <div class="stack">
        <p>Copy it now. It is shown only this once, and only its digest is stored.</p>
        <CodeBlock text={token} name="token" />
        <p>
          Its client sends it as <code>Authorization: Bearer …</code>.
        </p>
        <div>
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
