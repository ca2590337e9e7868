// Tokens: who may use the API, with which scopes and domains.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import type { Body } from "../../api/types.ts";
import { usePages } from "../../api/use-pages.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Check } from "../../components/choice.tsx";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { Section } from "../../components/page.tsx";
import { PageList } from "../../components/page-list.tsx";
import { EmptyState } from "../../components/states.tsx";
import { When } from "../../components/time.tsx";
import { now } from "../../format/now.ts";
import { durationOf, exactTime } from "../../format/time.ts";
import { NewToken } from "./new-token.tsx";
import { stateOf, validDescendants } from "./token-family.ts";

const SOON_MS = 14 * 86_400_000;

export function Tokens() {
  const isOpen = useSignal(false);
  const showsEnded = useSignal(false);
  const pages = usePages("/v1/admin/tokens", "tokens", { query: { limit: 100 } });
  const reload = () => void pages.first.reload();
  const valid = pages.rows.filter((token) => stateOf(token, now.value) === "valid");
  const ended = pages.rows.length - valid.length;
  const shown = showsEnded.value ? pages.rows : valid;
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
        <Check checked={showsEnded.value} set={(checked) => (showsEnded.value = checked)}>
          Show revoked and expired ones ({ended})
        </Check>
      )}
      {ended > 0 && shown.length === 0 ? (
        <EmptyState title="No token is valid." />
      ) : (
        <PageList
          pages={{ ...pages, rows: shown }}
          name="the tokens"
          empty="There are no tokens yet."
          hint="Only the service token can use the API. Make one for each client."
          row={(token) => <Row key={token.id} token={token} all={pages.rows} onRevoked={reload} />}
        />
      )}
      {isOpen.value && <NewToken tokens={pages.rows} onMade={reload} onClose={() => (isOpen.value = false)} />}
    </Section>
  );
}

type Token = Body<"/v1/admin/tokens">["tokens"][number];

interface RowProps {
  readonly token: Token;
  readonly all: readonly Token[];
  readonly onRevoked: () => void;
}

function Row({ token, all, onRevoked }: RowProps) {
  const { name, scopes, domains, created_at, created_by, expires_at, revoked_at, last_used_at } = token;
  const state = stateOf(token, now.value);
  return (
    <li class="row">
      <div class="row-head">
        <h3>{displayText(name)}</h3>
        {state === "valid" ? (
          <RevokeToken token={token} all={all} onRevoked={onRevoked} />
        ) : (
          <Badge tone="bad">{state}</Badge>
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
        {last_used_at === null ? <span>never used</span> : <When what="used" at={last_used_at} />}
        {revoked_at === null ? <Expiry at={expires_at} /> : <When what="revoked" at={revoked_at} />}
        <When what="made" at={created_at}>
          {" "}
          with {makerOf(created_by, all)}
        </When>
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
  if (left <= 0) return <When what="expired" at={at} />;
  return (
    <span class={left < SOON_MS ? "warn" : undefined} title={exactTime(at)}>
      expires in {durationOf(left)}
    </span>
  );
}

function RevokeToken({ token: { id, name, last_used_at }, all, onRevoked }: RowProps) {
  const shown = displayText(name);
  const endsToo = validDescendants(id, all, now.value);
  return (
    <ConfirmedRemoval
      verb="Revoke"
      name={shown}
      remove={() => api.DELETE("/v1/admin/tokens/{id}", { params: { path: { id } } })}
      done={`The token ${shown} is revoked.`}
      onDone={onRevoked}
    >
      <p>
        Its client gets 401 from now on, everywhere within a minute. <When what="It was used last" at={last_used_at} />
      </p>
      {endsToo.length > 0 && (
        <>
          <p>These tokens were made with it and end, too:</p>
          <ul>
            {endsToo.map((token) => (
              <li key={token.id}>{displayText(token.name)}</li>
            ))}
          </ul>
        </>
      )}
      <p>Sessions of the console that were begun with it end. What its client stored stays.</p>
    </ConfirmedRemoval>
  );
}
