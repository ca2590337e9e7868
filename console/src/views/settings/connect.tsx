// Connects a system that sends alerts, or an agent: its address, a token of its own, and whether anything arrived.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { usePolled } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { FailedState } from "../../components/failed-state.tsx";
import { Field } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { Prose } from "../incident/answer/prose.tsx";
import { type ConnectedSystem, NO_TOKEN, SYSTEMS } from "./connect-systems.ts";

const POLL_SECONDS = 5;

export function Connect() {
  const { query, route } = useLocation();
  const system = SYSTEMS.find(({ id }) => id === query.system) ?? SYSTEMS[0];
  if (system === undefined) return null;
  return (
    <Section title="Connect" note="The address and a token of its own, ready to paste.">
      <Field label="System">
        <select
          value={system.id}
          onChange={({ currentTarget }) => route(consolePath(`/settings/connect?system=${currentTarget.value}`), true)}
        >
          {SYSTEMS.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Steps key={system.id} system={system} />
    </Section>
  );
}

function Steps({ system }: { readonly system: ConnectedSystem }) {
  const { id, name, place, scopes, test } = system;
  const made = useSignal<{ readonly id: string; readonly token: string } | null>(null);
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const address = system.address(location.origin);
  // A token can grant only scopes that the session has.
  const canMake = scopes?.every(can) ?? false;
  const make = async () => {
    if (scopes === null) return;
    isBusy.value = true;
    const result = await settle(api.POST("/v1/admin/tokens", { body: { name: id, scopes: [...scopes] } }));
    isBusy.value = false;
    failure.value = result.ok ? null : result.failure;
    if (result.ok) made.value = { id: result.data.id, token: result.data.token };
  };
  return (
    <div class="card settings-stack">
      <h3>1. Address</h3>
      <CodeBlock text={address} name={`address for ${name}`} />
      {scopes !== null && (
        <>
          <h3>2. Token</h3>
          {made.value !== null ? (
            <p>It is filled in below, and shown only this once: only its digest is stored.</p>
          ) : canMake ? (
            <div>
              <Button kind="primary" isBusy={isBusy.value} onClick={() => void make()}>
                Make a token for {name}
              </Button>
            </div>
          ) : (
            <p>Your token may not grant {scopes.join(", ")}. Ask for a token with these scopes.</p>
          )}
          {failure.value !== null && <FailedState failure={failure.value} />}
        </>
      )}
      <h3>
        {scopes === null ? "2." : "3."} In {name}
      </h3>
      <p>
        <Prose text={place} />
      </p>
      <CodeBlock text={system.settings(address, made.value?.token ?? NO_TOKEN)} name={`settings of ${name}`} />
      <h3>{scopes === null ? "3." : "4."} Test it</h3>
      <p>
        <Prose text={test} />
      </p>
      {made.value === null ? (
        <p class="note">
          What arrives is among the <a href={consolePath("?status=all&sort=newest")}>newest incidents</a>.
        </p>
      ) : (
        <LastReceived tokenId={made.value.id} />
      )}
    </div>
  );
}

/** The first request with the token shows that the address and the token are right. */
function LastReceived({ tokenId }: { readonly tokenId: string }) {
  const request = usePolled(
    `last received ${tokenId}`,
    (options) => api.GET("/v1/admin/tokens", { params: { query: { limit: 100 } }, ...options }),
    POLL_SECONDS,
  );
  const state = request.state.value;
  const token = state.status === "ready" ? state.data.tokens.find(({ id }) => id === tokenId) : undefined;
  const at = token?.last_used_at ?? null;
  return (
    <p role="status">
      {at === null ? (
        "Nothing received yet. This page looks every 5 seconds."
      ) : (
        <>
          <Badge tone="good">Received</Badge> Last received <Time at={at} />.{" "}
          <a href={consolePath("?status=all&sort=newest")}>See the newest incidents</a>
        </>
      )}
    </p>
  );
}
