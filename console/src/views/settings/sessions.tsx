// Sessions of the console, and their revocation.

import { useSignal } from "@preact/signals";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useRequest } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { session as ownSession } from "../../session/session.ts";
import "./sessions.css";

const CREDENTIALS = { token: "Token", service: "Service token", slack: "Person in Slack" } as const;

interface ListedSession {
  readonly id: string;
  readonly name: string;
  readonly credential: keyof typeof CREDENTIALS;
  readonly scopes: readonly string[];
  readonly domains: readonly string[] | null;
  readonly last_used_at: string;
}

export function Sessions() {
  const request = useRequest("sessions", (options) =>
    api.GET("/v1/admin/sessions", { params: { query: { limit: 100 } }, ...options }),
  );
  return (
    <Section title="Sessions" note="People who are signed in to the console. A session ends with its token.">
      <Loaded request={request} name="the sessions" lines={3}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState title="Nobody is signed in">Programs use tokens, and have no sessions.</EmptyState>
          ) : (
            <ul class="sessions">
              {sessions.map((each) => (
                <SessionRow key={each.id} session={each} onRevoked={() => void request.reload()} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function SessionRow({ session, onRevoked }: { readonly session: ListedSession; readonly onRevoked: () => void }) {
  const { id, name, credential, scopes, domains, last_used_at } = session;
  const isOwn = ownSession.value?.session_id === id;
  const isBusy = useSignal(false);
  const revoke = async () => {
    isBusy.value = true;
    const result = await settle(api.DELETE("/v1/admin/sessions/{id}", { params: { path: { id } } }));
    isBusy.value = false;
    if (!result.ok) return showToast(result.failure.detail, { isFailure: true });
    showToast(`The session of ${name} is revoked.`);
    onRevoked();
  };
  return (
    <li class="sessions-row">
      <div>
        <p class="sessions-name">
          {name}
          {isOwn && <span class="note"> this session</span>}
        </p>
        <p class="note">
          {CREDENTIALS[credential]}, used <Time at={last_used_at} />. {scopes.join(", ")}
          {domains !== null && ` in ${domains.join(", ")}`}
        </p>
      </div>
      {!isOwn && (
        <Button kind="danger" size="small" isBusy={isBusy.value} onClick={revoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      )}
    </li>
  );
}
