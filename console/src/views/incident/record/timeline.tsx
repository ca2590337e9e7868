// What happened to the incident, newest last.

import { timelineOf } from "../../../../../functions/answer-view/timeline-text.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Section } from "../../../components/page.tsx";
import { Time } from "../../../components/time.tsx";
import { can } from "../../../session/session.ts";
import { CommentForm } from "./comment-form.tsx";
import type { RecordProps } from "./model/incident.ts";
import { PostmortemButton } from "./postmortem-button.tsx";

export function Timeline({ incident, reload }: RecordProps) {
  return (
    <Section title="Timeline" actions={<PostmortemButton id={incident.id} />}>
      <ol class="record-timeline">
        {timelineOf(incident).map(({ at, text, quote, tone, times }, index) => (
          <li key={index} class={`record-event record-event-${tone}`}>
            <p>
              {displayText(text)}
              {times > 1 && ` (${times} times)`}{" "}
              <span class="record-when">
                <Time at={at} />
              </span>
            </p>
            {quote !== null && <blockquote>{displayText(quote)}</blockquote>}
          </li>
        ))}
      </ol>
      {can("feedback") && <CommentForm key={incident.id} incident={incident} reload={reload} />}
    </Section>
  );
}
