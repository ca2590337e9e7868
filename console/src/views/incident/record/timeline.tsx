// What happened to the incident, newest last; a comment; and the draft of a postmortem.

import { timelineOf } from "../../../../../functions/answer-view/timeline-text.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { Button } from "../../../components/button.tsx";
import { LineForm } from "../../../components/line-form.tsx";
import { Section } from "../../../components/page.tsx";
import { Time } from "../../../components/time.tsx";
import { showToast } from "../../../components/toast.tsx";
import { can } from "../../../session/session.ts";
import type { IncidentProps } from "../answer/model/incident.ts";
import { send } from "./send.ts";

export function Timeline({ incident, reload }: IncidentProps) {
  const params = { path: { id: incident.id } };
  const comment = (text: string) =>
    send(api.POST("/v1/incidents/{id}/comments", { params, body: { text } }), {
      done: "Added to the timeline.",
      reload,
    });
  const download = async () => {
    const result = await settle(api.GET("/v1/incidents/{id}/postmortem", { params }));
    if (result.ok) saveAs(`postmortem-${incident.id.slice(0, 8)}.md`, result.data.markdown);
    else showToast(`No draft: ${result.failure.detail}`, { isFailure: true });
  };
  return (
    <Section
      title="Timeline"
      actions={
        <Button title="Download a draft in Markdown" onClick={download}>
          Postmortem
        </Button>
      }
    >
      <ol class="rows-plain">
        {timelineOf(incident).map(({ at, text, quote, tone, times }, index) => (
          <li key={index} class={`record-event tone-${tone}`}>
            <p>
              {displayText(text)}
              {times > 1 && ` (${times} times)`}{" "}
              <span class="note">
                <Time at={at} />
              </span>
            </p>
            {quote !== null && <blockquote>{displayText(quote)}</blockquote>}
          </li>
        ))}
      </ol>
      {can("feedback") && (
        <LineForm
          key={incident.id}
          label="Comment"
          action="Comment"
          placeholder="Such as: provider outage"
          submit={comment}
        />
      )}
    </Section>
  );
}

/** Some browsers read the text after the click. */
const READABLE_MS = 10_000;

function saveAs(name: string, markdown: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([markdown], { type: "text/markdown" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READABLE_MS);
}
