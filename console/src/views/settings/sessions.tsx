// Sessions of the console, and their revocation.

import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { useGet } from "../../api/use-request.ts";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { session } from "../../session/session.ts";

const CREDENTIALS = { token: "Token", service: "Service token", slack: "Person in Slack" } as const;

export function Sessions() {
  const request = useGet("/v1/admin/sessions", { query: { limit: 100 } });
  const revoke = async (id: string, name: string) => {
    const result = await settle(api.DELETE("/v1/admin/sessions/{id}", { params: { path: { id } } }));
    if (!result.ok) return showToast(result.failure.detail, { isFailure: true });
    showToast(`The session of ${name} is revoked.`);
    await request.reload();
  };
  return (
    <Section title="Sessions" note="People who are signed in to the console. A session ends with its token.">
      <PageList
        pages={onePage(request, ({ sessions }) => sessions)}
        name="the sessions"
        empty="Nobody is signed in"
        hint="Programs use tokens, and have no sessions."
        row={({ id, name, credential, scopes, domains, last_used_at }) => (
          <li key={id} class="row">
            <div class="row-head">
              <h3>{name}</h3>
              {session.value?.session_id === id ? (
                <span class="note">this session</span>
              ) : (
                <Button kind="danger" size="small" onClick={() => revoke(id, name)} aria-label={`Revoke ${name}`}>
                  Revoke
                </Button>
              )}
            </div>
            <p class="note">
              {CREDENTIALS[credential]}, used <Time at={last_used_at} />. {scopes.join(", ")}
              {domains !== null && ` in ${domains.join(", ")}`}
            </p>
          </li>
        )}
      />
    </Section>
  );
}
