// Makes a token. Its secret is shown once.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { can, type Scope, session } from "../../session/session.ts";
import type { Token } from "./entries.ts";
import { wordsOf } from "./form-text.ts";
import { SCOPES } from "./scopes.ts";

interface NewTokenProps {
  /** Those that it may replace. */
  readonly tokens: readonly Token[];
  readonly onMade: () => void;
  readonly onClose: () => void;
}

export function NewToken({ tokens, onMade, onClose }: NewTokenProps) {
  const made = useSignal<{ readonly name: string; readonly token: string } | null>(null);
  const name = useSignal("");
  const scopes = useSignal<ReadonlySet<Scope>>(new Set<Scope>());
  const days = useSignal("in90");
  const domains = useSignal("");
  const replaces = useSignal("");
  const problem = useSignal<string | null>(null);
  if (made.value !== null) return <Made {...made.value} onClose={onClose} />;
  const make = async () => {
    problem.value = scopes.value.size === 0 ? "Choose at least one." : null;
    if (problem.value !== null) return "invalid";
    const domainNames = wordsOf(domains.value);
    const result = await settle(
      api.POST("/v1/admin/tokens", {
        body: {
          name: name.value,
          scopes: [...scopes.value],
          ...(days.value === "" ? {} : { expires_in_days: Number(days.value.slice(2)) }),
          ...(domainNames.length === 0 ? {} : { domains: domainNames }),
          ...(replaces.value === "" ? {} : { replaces: replaces.value }),
        },
      }),
    );
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
        value={name.value}
        set={(text) => (name.value = text)}
      />
      <Scopes chosen={scopes.value} problem={problem.value} onChange={(chosen) => (scopes.value = chosen)} />
      <SelectField
        label="Expires"
        hint="A token never outlives the one that made it."
        value={days.value}
        names={{ ...EXPIRIES, "": session.value?.expires_at ? "with your own token" : "never" }}
        set={(chosen) => (days.value = chosen)}
      />
      <TextField
        label="Domains (optional)"
        hint={`For the token, other domains do not exist. Empty: ${own ? own.join(", ") : "all"}.`}
        placeholder="kubernetes, checkout-team"
        value={domains.value}
        set={(text) => (domains.value = text)}
      />
      {tokens.length > 0 && (
        <SelectField
          label="Replaces (optional)"
          hint="It continues the alerts and sessions of that token. Revoke the old one later."
          value={replaces.value}
          names={{ "": "No token", ...Object.fromEntries(tokens.map(({ id, name }) => [id, name])) }}
          set={(id) => (replaces.value = id)}
        />
      )}
    </FormDialog>
  );
}

const EXPIRIES = { in7: "in 7 days", in30: "in 30 days", in90: "in 90 days", in365: "in a year" };

interface ScopesProps {
  readonly chosen: ReadonlySet<Scope>;
  readonly problem: string | null;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

function Scopes({ chosen, problem, onChange }: ScopesProps) {
  const toggle = (scope: Scope) => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    onChange(next);
  };
  // A token can grant only scopes that it has.
  return (
    <fieldset class="settings-scopes">
      <legend>Scopes</legend>
      <p class="field-hint">No scope implies another.</p>
      {SCOPES.filter(({ scope }) => can(scope)).map(({ scope, allows }) => (
        <label key={scope} class="settings-check">
          <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
          <span>
            <strong>{scope}</strong> <span class="note">{allows}</span>
          </span>
        </label>
      ))}
      {problem !== null && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
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
