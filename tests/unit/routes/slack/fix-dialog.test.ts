import { describe, expect, it } from "vitest";
import { type FixDialogInput, fixDialog, readSubmission } from "../../../../functions/routes/slack/fix-dialog.ts";
import { submissionSchema } from "../../../../functions/routes/slack/payloads.ts";
import type { SuggestedFix } from "../../../../functions/routes/slack/suggested-fix.ts";
import { type OpenedDialog, submissionBody } from "../../../integration/support/servers/slack-server.ts";
import { ID, OTHER_ID } from "./samples.ts";
import { expectValidDialog } from "./slack-limits.ts";

const STEP: SuggestedFix = { text: "Raise the memory limit,\n  then restart.", origin: "step", fixId: null };
const PAST_FIX: SuggestedFix = { text: "rebooted", origin: "past_fix", fixId: OTHER_ID };
const responseUrl = "https://hooks.slack.com/actions/T1/2/3";
const thread = { channel: "C1", ts: "1772334000.000100" };

function opened(suggestion: SuggestedFix | null, title: FixDialogInput["title"] = "api-gateway exited") {
  const place = { triageId: OTHER_ID, incidentId: ID, channel: "C1", responseUrl, thread };
  return fixDialog({ title, suggestion, place });
}

/** What Slack sends when the person changed these inputs. */
function submitted(suggestion: SuggestedFix | null, inputs: Readonly<Record<string, string | boolean>>) {
  const view: OpenedDialog = JSON.parse(JSON.stringify(opened(suggestion)));
  const payload: unknown = JSON.parse(new URLSearchParams(submissionBody(view, inputs)).get("payload") ?? "");
  const parsed = submissionSchema.parse(payload).view;
  if (parsed.callback_id !== "fix") throw new Error("It is another dialog.");
  return readSubmission(parsed);
}

describe("the dialog that asks what fixed an incident", () => {
  it.each([null, STEP, PAST_FIX])("is within Slack's limits with the suggestion %j", (suggestion) => {
    expectValidDialog(opened(suggestion));
    expectValidDialog(opened(suggestion, null));
  });

  it("has the suggestion in the input, with a box that nobody has ticked", () => {
    const shown = JSON.stringify(opened(STEP));
    expect(shown).toContain('"initial_value":"Raise the memory limit');
    expect(shown).toContain("I did this step of the answer, as it is written");
    expect(shown).not.toContain("initial_options");
    expect(JSON.stringify(opened(null))).not.toContain("as_suggested");
  });
});

describe("a submission of the dialog", () => {
  it.each([STEP, PAST_FIX])("with an unedited suggestion and the box open is refused: %j", (suggestion) => {
    const refused = { state: "invalid", errors: { fix: expect.stringContaining("Change it to what you did") } };
    expect(submitted(suggestion, {})).toEqual(refused);
    expect(submitted(suggestion, { fix: ` ${suggestion.text.toUpperCase()}\n` })).toEqual(refused);
  });

  it.each([STEP, PAST_FIX])("with an unedited suggestion and the box ticked is that suggestion: %j", (suggestion) => {
    const { origin, fixId, text } = suggestion;
    const fix = { text, asSuggested: { origin, fixId }, didNotHelp: [], conditions: null };
    expect(submitted(suggestion, { as_suggested: true })).toEqual({ state: "valid", fix });
  });

  it.each([true, false])("with an edited suggestion is the person's own text, with the box ticked: %j", (isTicked) => {
    const fix = "Raised the memory limit to 2 GiB.";
    expect(submitted(PAST_FIX, { fix, as_suggested: isTicked })).toMatchObject({
      state: "valid",
      fix: { text: fix, asSuggested: null },
    });
  });

  it.each(["", "   ", "fixed it", "\0\0\0\0\0\0\0\0\0\0\0"])("with the text %j is refused", (fix) => {
    expect(submitted(STEP, { fix })).toEqual({
      state: "invalid",
      errors: { fix: expect.stringContaining("at least 10") },
    });
  });

  it("has each line as an action that did not help, and the conditions", () => {
    const inputs = {
      fix: "Raised the limit to 2 GiB.",
      did_not_help: " A restart. \r\n\n Scaling out.\n",
      conditions: " gateway before 4.2 ",
    };
    expect(submitted(STEP, inputs)).toMatchObject({
      fix: { didNotHelp: ["A restart.", "Scaling out."], conditions: "gateway before 4.2" },
    });
  });

  it("is refused with a message for each input that is too long", () => {
    const long = "x".repeat(4_001);
    expect(submitted(STEP, { fix: long, did_not_help: "a\n".repeat(11), conditions: long })).toEqual({
      state: "invalid",
      errors: { fix: expect.any(String), did_not_help: expect.stringContaining("10"), conditions: expect.any(String) },
    });
    expect(submitted(STEP, { fix: "Raised the limit.", did_not_help: long })).toMatchObject({
      errors: { did_not_help: expect.stringContaining("4000") },
    });
  });

  it.each(["", "{", "[]", '{"triageId":"1"}', JSON.stringify({ triageId: ID, incidentId: "x", responseUrl, thread })])(
    "with the private metadata %j is rejected",
    (private_metadata) => {
      const view: OpenedDialog = JSON.parse(JSON.stringify({ ...opened(STEP), private_metadata }));
      const payload: unknown = JSON.parse(new URLSearchParams(submissionBody(view)).get("payload") ?? "");
      expect(submissionSchema.safeParse(payload).success).toBe(false);
    },
  );
});
