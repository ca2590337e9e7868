// The view Mutes: what is expected, by whom, until when, and how many incidents that keeps quiet.

import { muteScope } from "../../../../functions/answer-view/handover-text.ts";
import { mutedCount } from "../../../../functions/answer-view/mute-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import { useGet } from "../../api/use-request.ts";
import { Page } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { consolePath } from "../../format/console-path.ts";
import { MuteText } from "../incident/record/mute-dialog.tsx";

export function Mutes() {
  const request = useGet("/v1/mutes");
  return (
    <Page title="Mutes">
      <p class="note">
        Repeats of a muted failure are stored and answered, but not announced. At the end, those that are open are
        announced.
      </p>
      <PageList
        pages={onePage(request, ({ mutes }) => mutes)}
        name="the mutes"
        empty="Nothing is muted."
        hint="An expected failure is muted from its incident."
        row={(mute) => (
          <li key={mute.id} class="row">
            {mute.incident_id === null ? (
              <strong>{displayText(muteScope(mute))}</strong>
            ) : (
              <a class="row-title" href={consolePath(`/incidents/${mute.incident_id}`)}>
                {displayText(muteScope(mute))}
              </a>
            )}
            <MuteText mute={mute} reload={request.reload} />
            <p class="facts">{mutedCount(mute.muted)}</p>
          </li>
        )}
      />
    </Page>
  );
}
