// Connects a system that sends alerts, changes or questions: its address, a token of its own, a test, and when it last sent.

import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { api } from "../../api/client.ts";
import { type Failure, settle } from "../../api/failure.ts";
import { useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { SelectField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { FailedState } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { Prose } from "../incident/answer/prose.tsx";
import { type ConnectedSystem, NO_TOKEN, SYSTEMS, testAlert } from "./connect-systems.ts";

const POLL_SECONDS = 5;

export function Connect() {
  const { query, route } = useLocation();
  const system = SYSTEMS.find(({ id }) => id === query.system) ?? SYSTEMS[0];
  if (system === undefined) return null;
  return (
    <Section title="Connect" note="The address and a token of its own, ready to paste.">
      <SelectField
        label="System"
        value={system.id}
        names={Object.fromEntries(SYSTEMS.map(({ id, name }) => [id, name]))}
        set={(id) => route(consolePath(`/settings/connect?system=${id}`), true)}
      />
      <Steps key={system.id} system={system} />
    </Section>
  );
}

function Steps({ system }: { readonly system: ConnectedSystem }) {
  const { id, name, place, scopes, test } = system;
  const made = useSignal<{ readonly token: string } | null>(null);
  const failure = useSignal<Failure | null>(null);
  const address = system.address(location.origin);
  // A token can grant only scopes that the session has.
  const canMake = scopes?.every(can) ?? false;
  const make = async () => {
    if (scopes === null) return;
    const result = await settle(api.POST("/v1/admin/tokens", { body: { name: id, scopes: [...scopes] } }));
    failure.value = result.ok ? null : result.failure;
    if (result.ok) made.value = { token: result.data.token };
  };
  return (
    <div class="card stack">
      <h3>1. Address</h3>
      <CodeBlock text={address} name={`address for ${name}`} />
      {scopes !== null && (
        <>
          <h3>2. Token</h3>
          {made.value !== null ? (
            <p>It is filled in below, and shown only this once: only its digest is stored.</p>
          ) : canMake ? (
            <div>
              <Button kind="primary" onClick={make}>
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
      {made.value !== null && system.sends === "alerts" && <TestButton token={made.value.token} />}
      <LastReceived system={system} />
    </div>
  );
}

/** Sends what is no incident, with the new token. */
function TestButton({ token }: { readonly token: string }) {
  const test = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const body = testAlert(Date.now());
    const result = await settle(api.POST("/v1/alerts/alertmanager", { headers, credentials: "omit", body }));
    if (result.ok) showToast("The test alert is accepted. It is no incident, and closes itself.");
    else showToast(`${result.failure.title}: ${result.failure.detail}`, { isFailure: true });
  };
  return (
    <div>
      <Button onClick={test}>Send a test alert with the new token</Button>
    </div>
  );
}

/** Of alerts, also with another token, and of questions: the newest one, or the last use of its token. Of changes: the newest. */
function LastReceived({ system: { id, scopes, sends } }: { readonly system: ConnectedSystem }) {
  const params = { query: { limit: 100 } };
  const request = useRequest<{ readonly at: string | null }>(
    `last received ${id}`,
    async ({ signal }) => {
      const [changes, tokens, incidents] = await Promise.all([
        sends === "changes" ? api.GET("/v1/changes", { params, signal }) : null,
        scopes === null ? null : api.GET("/v1/admin/tokens", { params, signal }),
        sends === "changes" || !can("read") ? null : api.GET("/v1/incidents", { params, signal }),
      ]);
      const failed = [changes, tokens, incidents].find((reply) => reply?.error !== undefined);
      if (failed) return { error: failed.error, response: failed.response };
      const isOwn = (token: { readonly name: string; readonly scopes: readonly string[] }) =>
        token.name === id && token.scopes.join() === scopes?.join();
      const times = [
        ...(changes?.data?.changes.map(({ at }) => at) ?? []),
        ...(tokens?.data?.tokens.filter(isOwn).map(({ last_used_at }) => last_used_at) ?? []),
        ...(incidents?.data?.incidents
          .filter(({ reported_by, alerts }) => reported_by === id || alerts.source === id)
          .map(({ last_activity_at }) => last_activity_at) ?? []),
      ].flatMap((time) => (time === null ? [] : Date.parse(time)));
      return {
        data: { at: times.length === 0 ? null : new Date(Math.max(...times)).toISOString() },
        response: new Response(),
      };
    },
    POLL_SECONDS,
  );
  const state = request.state.value;
  const at = state.status === "ready" ? state.data.at : null;
  return (
    <p role="status">
      {at === null ? (
        "Nothing received yet. This page looks every 5 seconds."
      ) : (
        <>
          <Badge tone="good">Received</Badge> Last received <Time at={at} />.{" "}
          {sends !== "changes" && <a href={consolePath("?status=all&sort=newest")}>See the newest incidents</a>}
        </>
      )}
    </p>
  );
}
