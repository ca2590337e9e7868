// Makes a token. Its secret is shown once.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { Field } from "../../components/field.tsx";
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
  if (made.value !== null) return <Made {...made.value} onClose={onClose} />;
  return (
    <Dialog title="Make a token" onClose={onClose}>
      <TokenForm
        tokens={tokens}
        onClose={onClose}
        onMade={(token) => {
          made.value = token;
          onMade();
        }}
      />
    </Dialog>
  );
}

interface TokenFormProps {
  readonly tokens: readonly Token[];
  readonly onMade: (token: { readonly name: string; readonly token: string }) => void;
  readonly onClose: () => void;
}

function TokenForm({ tokens, onMade, onClose }: TokenFormProps) {
  const name = useSignal("");
  const scopes = useSignal<ReadonlySet<Scope>>(new Set<Scope>());
  const days = useSignal("90");
  const domains = useSignal("");
  const replaces = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const make = async (event: Event) => {
    event.preventDefault();
    failure.value = null;
    problem.value = scopes.value.size === 0 ? "Choose at least one." : null;
    if (problem.value !== null) return;
    isBusy.value = true;
    const domainNames = wordsOf(domains.value);
    const result = await settle(
      api.POST("/v1/admin/tokens", {
        body: {
          name: name.value,
          scopes: [...scopes.value],
          ...(days.value === "" ? {} : { expires_in_days: Number(days.value) }),
          ...(domainNames.length === 0 ? {} : { domains: domainNames }),
          ...(replaces.value === "" ? {} : { replaces: replaces.value }),
        },
      }),
    );
    isBusy.value = false;
    if (result.ok) onMade({ name: result.data.name, token: result.data.token });
    else failure.value = result.failure;
  };
  return (
    <form onSubmit={(event) => void make(event)}>
      <Field label="Name" hint="The client or the person, such as grafana.">
        <input
          required
          maxLength={100}
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </Field>
      <Scopes chosen={scopes.value} problem={problem.value} onChange={(chosen) => (scopes.value = chosen)} />
      <ExpiryField days={days.value} onChange={(chosen) => (days.value = chosen)} />
      <DomainsField text={domains.value} onInput={(text) => (domains.value = text)} />
      {tokens.length > 0 && (
        <ReplacesField tokens={tokens} id={replaces.value} onChange={(id) => (replaces.value = id)} />
      )}
      {failure.value !== null && <FailedState failure={failure.value} />}
      <div class="settings-actions">
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          Make it
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

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

interface ExpiryFieldProps {
  /** Empty: no expiry of its own. */
  readonly days: string;
  readonly onChange: (days: string) => void;
}

function ExpiryField({ days, onChange }: ExpiryFieldProps) {
  return (
    <Field label="Expires" hint="A token never outlives the one that made it.">
      <select value={days} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="7">in 7 days</option>
        <option value="30">in 30 days</option>
        <option value="90">in 90 days</option>
        <option value="365">in a year</option>
        <option value="">{session.value?.expires_at ? "with your own token" : "never"}</option>
      </select>
    </Field>
  );
}

interface DomainsFieldProps {
  readonly text: string;
  readonly onInput: (text: string) => void;
}

function DomainsField({ text, onInput }: DomainsFieldProps) {
  const own = session.value?.domains;
  return (
    <Field
      label="Domains (optional)"
      hint={`For the token, other domains do not exist. Empty: ${own ? own.join(", ") : "all"}.`}
    >
      <input
        placeholder="kubernetes, checkout-team"
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Field>
  );
}

interface ReplacesFieldProps {
  readonly tokens: readonly Token[];
  /** Empty: it replaces none. */
  readonly id: string;
  readonly onChange: (id: string) => void;
}

function ReplacesField({ tokens, id, onChange }: ReplacesFieldProps) {
  return (
    <Field
      label="Replaces (optional)"
      hint="It continues the alerts and sessions of that token. Revoke the old one later."
    >
      <select value={id} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">No token</option>
        {tokens.map((token) => (
          <option key={token.id} value={token.id}>
            {displayText(token.name)}
          </option>
        ))}
      </select>
    </Field>
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
      <div class="settings-stack">
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
