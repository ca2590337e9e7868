// A cited past incident: what happened, and what fixed it.

import type { IncidentHit } from "../../../../../functions/schemas/triage-result.ts";
import { Time } from "../../../components/time.tsx";
import { Prose } from "./prose.tsx";

export function PastIncidentText({ incident }: { readonly incident: IncidentHit }) {
  const { title, narrative, resolution, resolved_by, last_seen_at, reported_at, occurrences, alike, differs } =
    incident;
  return (
    <>
      <p>
        <strong>
          <Prose text={title} />
        </strong>
      </p>
      {narrative !== "" && (
        <p>
          <Prose text={narrative} />
        </p>
      )}
      <dl class="answer-facts">
        <Fact name="Fix">
          {resolution === null ? "none recorded" : <Prose text={resolution} />}
          {resolved_by !== null && resolved_by !== "" && ` (${resolved_by})`}
        </Fact>
        <Fact name="Seen">
          <Time at={last_seen_at ?? reported_at} />
          {occurrences > 1 && `, ${occurrences} times`}
        </Fact>
        {alike.length > 0 && <Fact name="Alike">{alike.join("; ")}</Fact>}
        {differs.length > 0 && <Fact name="Differs">{differs.join("; ")}</Fact>}
      </dl>
    </>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
