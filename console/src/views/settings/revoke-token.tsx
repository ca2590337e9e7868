// Revokes a token, after a dialog that says what ends with it.

import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { ConfirmedRemoval } from "../../components/confirmed-removal.tsx";
import { Time } from "../../components/time.tsx";
import type { Token } from "./entries.ts";

interface RevokeTokenProps {
  readonly token: Token;
  /** Valid tokens that were made with it. */
  readonly endsToo: readonly Token[];
  readonly onRevoked: () => void;
}

export function RevokeToken({ token: { id, name, last_used_at }, endsToo, onRevoked }: RevokeTokenProps) {
  const shown = displayText(name);
  return (
    <ConfirmedRemoval
      verb="Revoke"
      name={shown}
      remove={() => api.DELETE("/v1/admin/tokens/{id}", { params: { path: { id } } })}
      done={`The token ${shown} is revoked.`}
      onDone={onRevoked}
    >
      <p>
        Its client gets 401 from now on, everywhere within a minute.{" "}
        {last_used_at !== null && (
          <>
            It was used last <Time at={last_used_at} />.
          </>
        )}
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
