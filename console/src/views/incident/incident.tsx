// The view Incident: the answer above, and what people did and can do below.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { useGet } from "../../api/use-request.ts";
import { Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Answer, isRunning } from "./answer/answer.tsx";
import { FactsLine, headingOf } from "./answer/facts-line.tsx";
import { MuteLine } from "./record/mute-dialog.tsx";
import { IncidentRecord } from "./record/record.tsx";

/** Seconds between two looks: somebody waits for a running investigation. */
const RUNNING_SECONDS = 2;
const SECONDS = 15;

export function Incident() {
  const id = useRoute().params.id ?? "";
  const isAwaited = useSignal(false);
  const request = useGet(
    "/v1/incidents/{id}",
    { path: { id } },
    { seconds: isAwaited.value ? RUNNING_SECONDS : SECONDS },
  );
  const state = request.state.value;
  const incident = state.status === "ready" ? state.data : null;
  useEffect(() => {
    isAwaited.value = incident !== null && isRunning(incident);
  }, [incident]);
  return (
    <Page title={incident === null ? "Incident" : headingOf(incident.title)}>
      <Loaded request={request} name="the incident" lines={14}>
        {(incident) => (
          <>
            <FactsLine incident={incident} />
            <MuteLine incident={incident} reload={request.reload} />
            <Answer incident={incident} reload={request.reload} />
            <IncidentRecord incident={incident} reload={request.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
