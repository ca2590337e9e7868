// What the console sends for an answer that is not right, and for a failure that is expected.

import { describe, expect, it } from "vitest";
import {
  type CorrectionForm,
  changesOf,
  emptyForm,
  missingIn,
  type Part,
} from "../../../../console/src/views/incident/record/model/corrections.ts";
import { EMPTY_MUTE, muteOf, presentMute } from "../../../../console/src/views/incident/record/model/mutes.ts";

const INCIDENT = { domain: { name: "search", rule: "its words" }, severity: "high" } as const;
const NOW = Date.parse("2026-03-01T03:00:00Z");

const form = (changed: Partial<Omit<CorrectionForm, "parts">>, ...parts: readonly Part[]): CorrectionForm => ({
  ...emptyForm(INCIDENT),
  ...changed,
  parts: new Set(parts),
});

describe("corrections", () => {
  it("rate the answer down, each with what is wrong and right", () => {
    const filled = form({ runbook: "search/full.md", step: "Restart it", rightStep: " Drain it " }, "runbook", "step");
    expect(changesOf(filled, INCIDENT)).toEqual({
      feedback: {
        rating: "down",
        corrections: [
          { part: "runbook", right: "search/full.md" },
          { part: "step", was: "Restart it", right: "Drain it" },
        ],
      },
      edits: [],
    });
  });

  it("say what it was where no runbook is about it", () => {
    const failure = "the certificate of the queue had expired";
    expect(changesOf(form({ failure, runbook: "", comment: "Seen twice." }, "runbook"), INCIDENT).feedback).toEqual({
      rating: "down",
      comment: `No runbook is about it: ${failure}\nSeen twice.`,
      corrections: [{ part: "runbook" }],
    });
    expect(changesOf(form({ failure, runbook: "search/full.md" }, "runbook"), INCIDENT).feedback).not.toHaveProperty(
      "comment",
    );
  });

  it("of domain and severity change the incident, are listed, and do not rate the answer", () => {
    const { feedback, edits } = changesOf(form({ domain: "billing", severity: "low" }, "domain", "severity"), INCIDENT);
    expect(feedback).toEqual({
      corrections: [
        { part: "domain", was: "search", right: "billing" },
        { part: "severity", was: "high", right: "low" },
      ],
    });
    expect(edits).toEqual([{ domain: "billing" }, { severity: "low" }]);
  });

  it("are none for a comment alone", () => {
    const comment = "Seen twice.";
    expect(changesOf(form({ comment }), INCIDENT).feedback).toEqual({ rating: "down", comment });
  });

  it("need a part or a comment, and another value", () => {
    expect(missingIn(form({}), INCIDENT)).toMatch(/^Choose what is not right/);
    expect(missingIn(form({}, "runbook"), INCIDENT)).toMatch(/right runbook/);
    expect(missingIn(form({ runbook: "" }, "runbook"), INCIDENT)).toBeNull();
    expect(missingIn(form({}, "domain"), INCIDENT)).toMatch(/right domain/);
    expect(missingIn(form({}, "severity"), INCIDENT)).toMatch(/right severity/);
    expect(missingIn(form({ comment: "It was the disk." }), INCIDENT)).toBeNull();
    expect(changesOf(form({ comment: "It was the disk." }), INCIDENT).feedback).toMatchObject({ rating: "down" });
  });
});

describe("a mute", () => {
  it("needs a reason and an end in the future", () => {
    expect(muteOf(EMPTY_MUTE, NOW)).toMatch(/^Say why/);
    expect(muteOf({ reason: "planned", period: "time", until: "" }, NOW)).toMatch(/in the future/);
    expect(muteOf({ reason: "planned", period: "time", until: "2026-02-01T10:00" }, NOW)).toMatch(/in the future/);
    expect(muteOf({ reason: " planned ", period: "hours", until: "" }, NOW)).toEqual({
      reason: "planned",
      ends_at: "2026-03-01T07:00:00.000Z",
    });
  });

  it("is shown until it ends", () => {
    const mute = { id: "1", reason: "planned", owner: "dana", ends_at: "2026-03-01T04:00:00+00:00" };
    expect(presentMute(mute, NOW)).toBe(mute);
    expect(presentMute(mute, Date.parse(mute.ends_at))).toBeNull();
  });
});
