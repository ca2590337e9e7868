// What a model must not get into an answer: changes without a cause, commands of its own, and checks of other causes.

import { describe, expect, it } from "vitest";
import { createVerifier } from "../../../../functions/investigation/answer/verifier.ts";
import { verifyDraft } from "../../../../functions/investigation/answer/verify-draft.ts";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import type { Draft } from "../../../../functions/investigation/prompts/synthesise.ts";
import type { RunCheck } from "../../../../functions/investigation/recall/recall-result.ts";
import { recallOf, sampleDraft, sampleIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";
import { expectKeptHoweverCut, joined, someCuts, stream } from "./streamed.ts";
import { KEPT, verify } from "./verify-draft-samples.ts";

const FOREIGN = "docker volume prune -af";
const step = (text: string, command: string | null = null) => ({ citations: ["R1"], text, command });
const textsOf = (steps: readonly { readonly text: string }[]) => steps.map(({ text }) => text);

describe("without a cause, a step that changes something", () => {
  const changes = [step("Restart the container."), step("Run `docker rm -f api`."), step("Look.", "docker ps")];

  it("is dropped from the checks of the candidates", () => {
    const { answer } = verify({ outcome: "possible", hypotheses: [KEPT], confirm: changes });
    expect(textsOf([...answer.confirm, ...answer.possible_causes.flatMap(({ confirm }) => confirm)])).toEqual([
      "Look.",
    ]);
  });

  it("is dropped from what to look at next, and not streamed", async () => {
    const { answer } = verify({ outcome: "unknown", confirm: changes, look_next: changes });
    expect([textsOf(answer.confirm), textsOf(answer.look_next)]).toEqual([["Look."], ["Look."]]);
    const draft = sampleDraft({ outcome: "unknown", look_next: changes });
    const sent = await stream(draft, JSON.stringify(draft), someCuts(JSON.stringify(draft)));
    expect(JSON.stringify(sent)).not.toMatch(/Restart|docker rm/);
  });
});

describe("a command that stands in no source", () => {
  it.each([
    [`Run \`${FOREIGN}\`.`, false],
    ["Run `docker update --memory 2g api-gateway`.", true],
    ["Look at `docker ps`.", true],
  ])("in a sentence makes its step unsupported: %j", (text, isSourced) => {
    const prevention = [{ citations: ["R1"], text }];
    const mitigate = [{ ...step(text), effect: "read_only" as const, rollback: null }];
    const { answer } = verify({ confirm: [step(text)], mitigate, prevention });
    const steps = [...answer.confirm, ...answer.mitigate];
    expect(steps.map(({ from_source }) => from_source)).toEqual([isSourced, isSourced]);
    expect([...steps, ...answer.prevention].map(({ supported }) => supported)).toEqual(Array(3).fill(isSourced));
  });

  it("is kept out of the summary, and of the stream", async () => {
    const summary = { citations: ["R1"], text: `It was killed. Run \`${FOREIGN}\`.` };
    expect(verify({ summary }).answer.summary.text).toBe("It went over its limit.");
    const mitigate = [{ ...step(`Run \`${FOREIGN}\`.`), effect: "changes_state" as const, rollback: null }];
    const draft = sampleDraft({ summary, mitigate });
    const sent = await stream(draft, JSON.stringify(draft), someCuts(JSON.stringify(draft)));
    expect(JSON.stringify(sent)).not.toContain("prune");
  });

  it.each([
    [FOREIGN, `Not from a source: ${FOREIGN}`],
    [`Run \`${FOREIGN}\`.`, `Not from a source: Run \`${FOREIGN}\`.`],
    ["docker update --memory 512m api-gateway", "docker update --memory 512m api-gateway"],
    ["Set the former limit.", "Set the former limit."],
  ])("is marked as the undo of a step: %j", async (rollback, undo) => {
    const [first] = sampleDraft().mitigate;
    const draft = sampleDraft({ mitigate: first ? [{ ...first, rollback }] : [] });
    expect(verify(draft).answer.mitigate[0]).toMatchObject({ from_source: true, undo });
    await expectKeptHoweverCut(draft, { cuts: someCuts });
    const json = JSON.stringify(draft);
    expect(joined(await stream(draft, json, someCuts(json))).get("mitigate.0.undo")).toBe(undo);
  });
});

describe("a confirmed check", () => {
  const VOLUME = sampleRunbook("# Volume\n\nThe quota of the storage is used up, or the node keeps the volume.\n", {
    source: "volume.md",
    probability: 0.9,
  });
  const PASSWORD = sampleRunbook("# Password\n\nThe password was rotated.\n", {
    source: "password.md",
    probability: 0.35,
  });

  /** @param cause null for a check of the whole runbook */
  function draftWith(cause: string | null, hypothesis: Pick<Draft["hypotheses"][number], "cause" | "citations">) {
    const check: RunCheck = {
      definition: {
        ...{ name: "used", language: "promql", query: "up{}", match: null, cause, section: "volume.md#0" },
        ...{ confirms: null, refutes: null, otherwise: null },
      },
      result: {
        ...{
          id: "check:volume.md#used",
          name: "used",
          language: "promql",
          verdict: "confirmed",
          statement: "it is so",
        },
        ...{ rule: null, value: null, query: "up{}", runbook: "volume.md", citations: ["volume.md#0"] },
        ...{ cause: cause && `${cause}. The quota of the storage is used up.`, source: "metrics", link: null },
        ...{ checked_at: "2026-03-01T03:00:00.000Z", server: null, as_of: null },
      },
    };
    const recall = { ...recallOf({ runbooks: [VOLUME, PASSWORD] }), checks: [check] };
    const texts = citableTexts(recall, { RUNBOOK_RECALL_LIMIT: 5 });
    const verifier = createVerifier(sampleIncident({ title: "it hangs" }), texts, THRESHOLDS);
    const hypotheses = [{ ...KEPT, ...hypothesis }];
    const { outcome, answer, limit } = verifyDraft(sampleDraft({ evidence: [], hypotheses }), verifier);
    return { outcome, limit, citations: answer.hypotheses[0]?.citations };
  }

  it("supports the cause that it is about, in other words too", () => {
    const cause = "The storage of the namespace has reached its quota.";
    expect(draftWith("Quota", { cause, citations: ["C1"] })).toMatchObject({ outcome: "cause", limit: 1 });
  });

  it("supports no other cause, whatever the model cites, and does not raise its confidence", () => {
    const other = { cause: "Somebody rotated the password.", citations: ["R2", "C1"] };
    const expected = { outcome: "possible", limit: 0.5, citations: ["password.md#0"] };
    expect(draftWith("Quota", other)).toEqual(expected);
    expect(draftWith(null, other)).toEqual(expected);
    const sibling = { cause: "The node keeps the volume.", citations: ["R1", "C1"] };
    expect(draftWith("Quota", sibling)).toMatchObject({ outcome: "possible", citations: ["volume.md#0"] });
  });

  it("of a whole runbook supports the causes of that runbook", () => {
    const cause = { cause: "The node keeps the volume.", citations: ["R1", "C1"] };
    expect(draftWith(null, cause)).toMatchObject({ outcome: "cause" });
  });
});
