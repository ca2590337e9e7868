import { describe, expect, it } from "vitest";
import { answerSchema, EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";

describe("a stored answer", () => {
  it("from before commands were compared with sources has steps that are from a source", () => {
    const step = { text: "Look.", citations: [], command: "df -h", effect: null, undo: null };
    const { confirm } = answerSchema.parse({
      ...EMPTY_ANSWER,
      summary: { text: "Words.", citations: [] },
      confirm: [step],
    });
    expect(confirm).toEqual([{ ...step, supported: true, from_source: true }]);
  });
});
