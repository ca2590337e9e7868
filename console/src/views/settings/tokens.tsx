// Tokens: who may use the API, with which scopes and domains.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Section } from "../../components/page.tsx";
import { PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { now } from "../../format/now.ts";
import { durationOf, exactTime } from "../../format/time.ts";
import type { Token, TokenPage } from "./entries.ts";
import { NewToken } from "./new-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { stateOf, validDescendants } from "./token-family.ts";

const SOON_MS = 14 * 86_400_000;

export function Tokens() {
  const isOpen = useSignal(false);
  const showsEnded = useSignal(false);
  const pages = usePages<TokenPage, Token>(
    "tokens",
    (cursor, options) =>
      api.GET("/v1/admin/tokens", {
        params: { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } },
        ...options,
      }),
    ({ tokens }) => tokens,
  );
  const reload = () => void pages.first.reload();
  const ended = pages.rows.filter((token) => stateOf(token, now.value) !== "valid").length;
  return (
    <Section
      title="Tokens"
      note="One for each client, with the scopes that it needs. The secret of a token is not stored."
      actions={
        <Button kind="primary" onClick={() => (isOpen.value = true)}>
          Make a token
        </Button>
      }
    >
      {ended > 0 && (
        <label class="settings-check">
          <input
            type="checkbox"
            checked={showsEnded.value}
            onChange={(event) => (showsEnded.value = event.currentTarget.checked)}
          />
          Show revoked and expired ones ({ended})
        </label>
      )}
      <PageList
        pages={pages}
        name="the tokens"
        empty={
          <EmptyState title="There are no tokens yet.">
            <p>Only the service token can use the API. Make one for each client.</p>
          </EmptyState>
        }
      >
        {(rows) => {
          const shown = rows.filter((token) => showsEnded.value || stateOf(token, now.value) === "valid");
          if (shown.length === 0) return <EmptyState title="No token is valid." />;
          return (
            <ul class="rows">
              {shown.map((token) => (
                <Row key={token.id} token={token} all={rows} onRevoked={reload} />
              ))}
            </ul>
          );
        }}
      </PageList>
      {isOpen.value && <NewToken tokens={pages.rows} onMade={reload} onClose={() => (isOpen.value = false)} />}
    </Section>
  );
}

interface RowProps {
  readonly token: Token;
  readonly all: readonly Token[];
  readonly onRevoked: () => void;
}

function Row({ token, all, onRevoked }: RowProps) {
  const { id, name, scopes, domains, created_at, created_by, expires_at, revoked_at, last_used_at } = token;
  const state = stateOf(token, now.value);
  return (
    <li class="row">
      <div class="row-head">
        <h3>{displayText(name)}</h3>
        {state !== "valid" && <Badge tone="bad">{state}</Badge>}
        {state === "valid" && (
          <RevokeToken token={token} endsToo={validDescendants(id, all, now.value)} onRevoked={onRevoked} />
        )}
      </div>
      <p class="line">
        {scopes.map((scope) => (
          <Badge key={scope} tone={scope === "admin" ? "warn" : "neutral"}>
            {scope}
          </Badge>
        ))}
        <span class="note">{domains === null ? "all domains" : `only ${domains.join(", ")}`}</span>
      </p>
      <p class="facts">
        <span>
          {last_used_at === null ? (
            "never used"
          ) : (
            <>
              used <Time at={last_used_at} />
            </>
          )}
        </span>
        {revoked_at === null ? (
          <Expiry at={expires_at} />
        ) : (
          <span>
            revoked <Time at={revoked_at} />
          </span>
        )}
        <span>
          made <Time at={created_at} /> with {makerOf(created_by, all)}
        </span>
      </p>
    </li>
  );
}

function makerOf(id: string, tokens: readonly Token[]): string {
  if (id === "service") return "the service token";
  return displayText(tokens.find((token) => token.id === id)?.name ?? `the token ${id}`);
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span>never expires</span>;
  const left = Date.parse(at) - now.value;
  if (left <= 0)
    return (
      <span>
        expired <Time at={at} />
      </span>
    );
  return (
    <span class={left < SOON_MS ? "settings-soon" : undefined} title={exactTime(at)}>
      expires in {durationOf(left)}
    </span>
  );
}
