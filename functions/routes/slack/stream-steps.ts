// The steps of a triage in an assistant thread, streamed while it runs: the same message then becomes the answer.

import type { SlackStream, SlackStreamStep } from "../../adapters/slack.ts";
import { settle } from "../../dependencies.ts";
import type { EmitEvent } from "../../investigation/run/events.ts";
import type { Deliver } from "./deliver.ts";
import type { SlackContext } from "./slack-context.ts";

export interface StepStream {
  readonly start: () => void;
  /** Shows an event of the triage as a step. */
  readonly emit: EmitEvent;
  /** Ends the stream with the message, or posts the message if there is no stream. */
  readonly deliver: Deliver;
}

const SEARCH = { id: "search", title: "Search runbooks and past incidents" };
const ANSWER = { id: "answer", title: "Write the answer" };
const CHECK = { id: "check", title: "Hold the answer to its sources" };

/** A stream in a thread. Steps are sent in their order; a step that cannot be sent is left out. */
export function streamSteps(
  { services: { slack, log } }: SlackContext,
  place: Parameters<SlackStream["start"]>[0],
): StepStream {
  const { channel, thread } = place;
  let sent: Promise<string | null> = Promise.resolve(null);
  let running: Pick<SlackStreamStep, "id" | "title"> = SEARCH;
  const append = (steps: readonly SlackStreamStep[]) => {
    sent = sent.then(async (ts) => {
      if (ts !== null) await settle(slack.stream.append({ channel, ts }, steps));
      return ts;
    });
  };
  /** Ends the running step and begins the next one. */
  const next = (step: typeof running, details?: string) => {
    if (step.id === running.id) return;
    append([
      { ...running, status: "complete", ...(details === undefined ? {} : { details }) },
      { ...step, status: "in_progress" },
    ]);
    running = step;
  };
  return {
    start() {
      sent = settle(slack.stream.start(place, [{ ...SEARCH, status: "in_progress" }])).then((started) => {
        if (started.ok) return started.value;
        log("warn", "slack.not_streamed", { error: started.error.message });
        return null;
      });
    },
    emit({ event, data }) {
      if (event === "recall") next(ANSWER, foundText(data.recalled));
      else if (event === "critique") next(CHECK);
      else if (event === "reflection") next({ ...ANSWER, id: `answer-${data.draft}`, title: "Improve the answer" });
    },
    async deliver(message, audience) {
      const ts = await sent;
      const ended =
        ts === null
          ? null
          : // A failure is for the person who asked.
            await settle(
              slack.stream.stop(
                { channel, ts },
                [{ ...running, status: audience === "person" ? "error" : "complete" }],
                message,
              ),
            );
      // After a timeout, the message may be visible already.
      if (ended?.ok || ended?.error.failure === "timeout") return;
      await slack.post({ channel, ts: thread }, message);
    },
  };
}

function foundText({
  runbooks,
  incidents,
}: {
  readonly runbooks: readonly unknown[];
  readonly incidents: readonly unknown[];
}) {
  const count = (items: readonly unknown[], one: string) => `${items.length} ${one}${items.length === 1 ? "" : "s"}`;
  return `${count(runbooks, "runbook")}, ${count(incidents, "past incident")}`;
}
