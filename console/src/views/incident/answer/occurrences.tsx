// How often this failure was reported: a bar for each of the last 30 days.

import { Section } from "../../../components/page.tsx";
import { now } from "../../../format/now.ts";
import type { IncidentDetail } from "./model/incident.ts";
import { DAYS, occurrencesText, reportsByDay } from "./model/occurrences.ts";

/** Of the drawing: units a day, and its height. */
const STEP = 10;
const HEIGHT = 40;
/** A day with one report is seen beside one with a hundred. */
const LEAST = 5;

export function Occurrences({ days_seen }: Pick<IncidentDetail, "days_seen">) {
  const counts = reportsByDay(days_seen, now.value);
  const most = Math.max(...counts);
  // One bar alone says nothing more than the words.
  const isRepeated = counts.reduce((sum, count) => sum + count, 0) > 1;
  if (days_seen.length === 0) return null;
  return (
    <Section title="How often" note={`${occurrencesText(counts)}.`}>
      {isRepeated && (
        <svg
          class="answer-days"
          viewBox={`0 0 ${DAYS * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Reports of each of the last ${DAYS} days: ${counts.join(", ")}`}
        >
          {counts.map((count, day) => {
            const height = count === 0 ? 1 : Math.max(LEAST, (count / most) * HEIGHT);
            return (
              <rect
                key={day}
                class={count === 0 ? "answer-day-none" : undefined}
                x={day * STEP + 1}
                y={HEIGHT - height}
                width={STEP - 2}
                height={height}
              />
            );
          })}
        </svg>
      )}
    </Section>
  );
}
