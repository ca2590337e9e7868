import { describe, expect, it } from "vitest";
import { muteDialog, readMute } from "../../../../functions/routes/slack/handle-mute.ts";
import { submissionSchema } from "../../../../functions/routes/slack/payloads.ts";
import { type OpenedDialog, submissionBody } from "../../../integration/support/servers/slack-server.ts";
import { ID } from "./samples.ts";
import { expectValidDialog } from "./slack-limits.ts";

const NOW = new Date("2026-03-01T14:00:00Z");
const DAY_S = 86_400;
const seconds = NOW.getTime() / 1_000;
const dialog = muteDialog(
  { incidentId: ID, channel: "C1", responseUrl: "https://hooks.slack.com/actions/T1/2/3" },
  NOW,
);

function submitted(inputs: Readonly<Record<string, string | number>>) {
  const view: OpenedDialog = JSON.parse(JSON.stringify(dialog));
  const payload: unknown = JSON.parse(new URLSearchParams(submissionBody(view, inputs)).get("payload") ?? "");
  const parsed = submissionSchema.parse(payload).view;
  return parsed.callback_id === "mute" ? readMute(parsed, NOW) : null;
}

describe("the dialog that asks why a failure is expected", () => {
  it("is within Slack's limits, and suggests four hours", () => {
    expectValidDialog(dialog);
    expect(submitted({ reason: " planned migration\n" })).toEqual({
      state: "valid",
      reason: "planned migration",
      until: new Date("2026-03-01T18:00:00Z"),
    });
  });

  it.each<readonly [string, Record<string, string | number>, string]>([
    ["no reason", { reason: " " }, "reason"],
    ["a long reason", { reason: "x".repeat(501) }, "reason"],
    ["an end in the past", { reason: "x", until: seconds - 60 }, "until"],
    ["an end after 30 days", { reason: "x", until: seconds + 30 * DAY_S + 60 }, "until"],
  ])("refuses %s beside its input", (_name, inputs, input) => {
    expect(submitted(inputs)).toEqual({ state: "invalid", errors: { [input]: expect.any(String) } });
  });
});
