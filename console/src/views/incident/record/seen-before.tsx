// Past incidents of the same kind, with what fixed them.

import { useSignal } from "@preact/signals";
import { percentOf } from "../../../../../functions/answer-view/percent.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Section } from "../../../components/page.tsx";
import { Time } from "../../../components/time.tsx";
import { now } from "../../../format/now.ts";
import { proofLines } from "../../../format/words.ts";
import { can } from "../../../session/session.ts";
import type { IncidentProps } from "../answer/model/incident.ts";
import { Prose } from "../answer/prose.tsx";
import { Comparison } from "./comparison.tsx";
import { activeFixes, type Fix, type PastIncident, shownPastIncidents } from "./model/past-fixes.ts";
import { resolveAsBefore } from "./send.ts";

export function SeenBefore({ incident, reload }: IncidentProps) {
  const { triage } = incident;
  if (triage === null) return null;
  const past = shownPastIncidents(triage);
  // What is no incident records no fix.
  if (past.length === 0 && triage.outcome === "benign") return null;
  return (
    <div id="seen-before" class="record-anchor">
      <Section title="Seen before">
        {past.length === 0 ? (
          <p class="note">No past incident is like this one. The fix that you record is shown for the next one.</p>
        ) : (
          <ul class="list">
            {past.map((each) => (
              <PastCard key={each.id} past={each} incident={incident} reload={reload} />
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}

function PastCard({ past, incident, reload }: IncidentProps & { readonly past: PastIncident }) {
  const isCompared = useSignal(false);
  const fixes = activeFixes(past).map((fix) => incident.fixes.find(({ text }) => text === fix.text) ?? fix);
  const { title, probability, occurrences, last_seen_at, reported_at, targets, alike, differs } = past;
  const panel = `comparison-${past.id}`;
  return (
    <li class="card">
      <div class="row-head">
        <h3>{displayText(title)}</h3>
        <Badge tone={probability >= 0.8 ? "info" : "neutral"}>{percentOf(probability)} the same failure</Badge>
      </div>
      <p class="note">
        {occurrences > 1 ? `${occurrences} times before, last ` : ""}
        <Time at={last_seen_at ?? reported_at} />
        {targets.length > 0 && ` on ${displayText(targets.slice(0, 3).join(", "))}`}
        {targets.length > 3 && ` and ${targets.length - 3} more`}
      </p>
      {fixes.map((fix) => (
        <FixRow key={fix.id} fix={fix} incident={incident} reload={reload} />
      ))}
      {fixes.length === 0 && <p>No fix is recorded.</p>}
      <OtherActions fixes={past.fixes} />
      <Likeness alike={alike} differs={differs} />
      <div>
        <Button
          size="small"
          aria-expanded={isCompared.value}
          aria-controls={panel}
          onClick={() => (isCompared.value = !isCompared.value)}
        >
          {isCompared.value ? "Hide the comparison" : "Compare side by side"}
        </Button>
      </div>
      {isCompared.value && <Comparison id={panel} incidentId={incident.id} otherId={past.id} />}
    </li>
  );
}

function FixRow({ fix, incident, reload }: IncidentProps & { readonly fix: Fix }) {
  return (
    <div class="record-fix">
      <div>
        <p>
          <strong>
            <Prose text={fix.text} />
          </strong>
        </p>
        <p class="note">
          {displayText(
            [...proofLines(fix, now.value), ...(fix.conditions === null ? [] : [fix.conditions])].join("; "),
          )}
        </p>
      </div>
      {can("feedback") && incident.status !== "resolved" && (
        <Button
          size="small"
          aria-label={`Same as before: ${displayText(fix.text)}`}
          onClick={() => resolveAsBefore(incident, fix, reload)}
        >
          Same as before
        </Button>
      )}
    </div>
  );
}

function OtherActions({ fixes }: Pick<PastIncident, "fixes">) {
  const failed = fixes.filter(({ worked, tried }) => worked === 0 && tried > 0);
  const former = fixes.filter(({ retired, worked }) => retired !== null && worked > 0);
  if (failed.length + former.length === 0) return null;
  return (
    <ul class="list">
      {failed.map(({ id, text }) => (
        <li key={id}>
          <Badge tone="bad">did not help</Badge> {displayText(text)}
        </li>
      ))}
      {former.map(({ id, text }) => (
        <li key={id}>
          <Badge>replaced</Badge> <s>{displayText(text)}</s>
        </li>
      ))}
    </ul>
  );
}

function Likeness({ alike, differs }: Pick<PastIncident, "alike" | "differs">) {
  if (alike.length + differs.length === 0) return null;
  return (
    <Facts>
      {alike.length > 0 && <Fact name="Alike">{displayText(alike.join("; "))}</Fact>}
      {differs.length > 0 && <Fact name="Differs">{displayText(differs.join("; "))}</Fact>}
    </Facts>
  );
}
