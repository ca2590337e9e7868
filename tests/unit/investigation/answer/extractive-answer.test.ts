import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import type { SearchDocument } from "../../../../functions/search-index/search-document.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const RUNBOOK = `# Container killed with exit code 137

The kernel killed the container. Requests fail until it is back.

More in the introduction.

## Symptoms

- \`exit code 137\`.

## Confirm

1. Ask Docker.

   \`\`\`sh
   docker inspect <container>
   \`\`\`

## Mitigate

1. (changes state) Raise the limit.

   \`\`\`sh
   docker update --memory 1g <container>
   \`\`\`

   Undo: set the former limit.

2. (read-only) Watch it.

3. Call the owner.

## Root causes

- **Neighbour.** Another process took the memory.
- **Limit.** The limit is below the working set.
- **Leak.** The heap of api-gateway grows after each deploy.
- **Burst.** A batch job ran.

## Prevent

- Alert at 90 %.
`;

function compose(recall: Partial<Recall>, incident = sampleIncident()) {
  return createExtractiveAnswer(incident, recallOf(recall), { thresholds: THRESHOLDS });
}

describe("an answer from a runbook", () => {
  const finalAnswer = compose({ runbooks: [sampleRunbook(RUNBOOK)] });

  it("names a cause with the runbook's probability as its confidence", () => {
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.8]);
  });

  it("has nothing removed and no critique", () => {
    const { mode, removed, critique } = finalAnswer;
    expect({ mode, removed, critique }).toEqual({
      mode: "extractive",
      removed: { citations: 0, links: 0, statements: 0 },
      critique: null,
    });
  });

  it("has no evidence, hypotheses or look_next of its own", () => {
    const { evidence, hypotheses, look_next } = finalAnswer.answer;
    expect([evidence, hypotheses, look_next]).toEqual([[], [], []]);
  });

  it("summarises with the runbook's title and the first paragraph of the cited introduction", () => {
    expect(finalAnswer.answer.summary).toEqual({
      text: "Container killed with exit code 137. The kernel killed the container. Requests fail until it is back.",
      citations: ["exit-137.md#0"],
    });
  });

  it("cites the introduction in the summary for any order of the chunks", () => {
    const markdown = "## Confirm\n\n1. Look.\n\n# Killed\n\nIt is gone.\n\n## Root causes\n\n- A cause.\n";
    const { answer } = compose({ runbooks: [sampleRunbook(markdown)] });
    expect(answer.summary).toEqual({ text: "Killed. It is gone.", citations: ["exit-137.md#1"] });
  });

  it("quotes the confirming steps, whose commands are verified as read-only", () => {
    expect(finalAnswer.answer.confirm).toEqual([
      {
        text: "Ask Docker.",
        command: "docker inspect <container>",
        effect: "read_only",
        undo: null,
        from_source: true,
        citations: ["exit-137.md#2"],
        supported: true,
      },
    ]);
  });

  it.each([
    ["docker ps", "read_only"],
    ["some-tool --check", "unverified"],
    ["docker restart web", "changes_state"],
    ["(read-only) some-tool --check", "read_only"],
  ])("shows the effect of the confirming step %j as %s", (item, effect) => {
    const [, mark = "", command = ""] = /^(\(read-only\) )?(.*)$/.exec(item) ?? [];
    const markdown = `# T\n\n## Confirm\n\n1. ${mark}Look.\n\n   \`\`\`sh\n   ${command}\n   \`\`\`\n\n## Mitigate\n\n- Wait.\n`;
    const { answer } = compose({ runbooks: [sampleRunbook(markdown)] });
    expect(answer.confirm).toMatchObject([{ command, effect }]);
  });

  it.each([
    ["Remove it: `kubectl delete pod web-1`", "changes_state"],
    ["Look (read-only): `rm -i x`", "read_only"],
    ["Route it: `payctl route --to secondary`", "unverified"],
    ["Compare it with `max_connections`.", null],
  ])("shows the effect of a command in the sentence %j as %s, without a command", (sentence, effect) => {
    const { answer } = compose({
      runbooks: [sampleRunbook(`# T\n\n## Confirm\n\n1. ${sentence}\n\n## Mitigate\n\n- Wait.\n`)],
    });
    expect(answer.confirm).toMatchObject([{ command: null, effect }]);
  });

  it("takes what changes something for a mitigation if no section has mitigations", () => {
    const markdown = "# T\n\n## Troubleshooting\n\n1. Read the queue: `mailq`\n2. Restart the mail server.\n";
    const { answer } = compose({ runbooks: [sampleRunbook(markdown)] });
    expect(answer.confirm).toMatchObject([{ text: "Read the queue: `mailq`" }]);
    expect(answer.mitigate).toMatchObject([{ text: "Restart the mail server.", effect: "changes_state" }]);
  });

  it("quotes mitigation steps with the author's effect", () => {
    expect(finalAnswer.answer.mitigate).toEqual([
      {
        text: "Raise the limit.",
        command: "docker update --memory 1g <container>",
        effect: "changes_state",
        undo: "set the former limit.",
        from_source: true,
        citations: ["exit-137.md#3"],
        supported: true,
      },
      {
        text: "Watch it.",
        command: null,
        effect: null,
        undo: null,
        from_source: true,
        citations: ["exit-137.md#3"],
        supported: true,
      },
      {
        text: "Call the owner.",
        command: null,
        effect: null,
        undo: null,
        from_source: true,
        citations: ["exit-137.md#3"],
        supported: true,
      },
    ]);
  });

  it("quotes prevention under any matching heading", () => {
    expect(finalAnswer.answer.prevention).toEqual([
      { text: "Alert at 90 %.", citations: ["exit-137.md#5"], supported: true },
    ]);
    const { answer } = compose({ runbooks: [sampleRunbook("# T\n\n## Follow-up\n\nAdd an alert.\n")] });
    expect(answer.prevention).toEqual([{ text: "Add an alert.", citations: ["exit-137.md#0"], supported: true }]);
  });

  it("quotes at most three prevention items in the author's order", () => {
    const many = Array.from({ length: 5 }, (_, i) => `- Way ${i + 1}.`).join("\n");
    const { answer } = compose({ runbooks: [sampleRunbook(`# T\n\n## Prevent\n\n${many}`)] });
    expect(answer.prevention.map(({ text }) => text)).toEqual(["Way 1.", "Way 2.", "Way 3."]);
  });

  it("keeps the author's order of causes if the incident matches none", () => {
    const { answer } = compose({ runbooks: [sampleRunbook(RUNBOOK)] }, sampleIncident({ title: "it is gone" }));
    expect(answer.likely_causes.map(({ text }) => text.split(".")[0])).toEqual(["Neighbour", "Limit", "Leak", "Burst"]);
  });

  it.each([
    ["title", sampleIncident({ title: "heap grows after deploy" })],
    ["question", sampleIncident({ title: "gone", question: "is it the heap?" })],
    ["log", sampleIncident({ title: "gone", logs: "java heap space" })],
  ])("puts the cause first that shares most words with the incident's %s", (_part, incident) => {
    const { answer } = compose({ runbooks: [sampleRunbook(RUNBOOK)] }, incident);
    expect(answer.likely_causes.map(({ text }) => text.split(".")[0])).toEqual(["Leak", "Neighbour", "Limit", "Burst"]);
  });

  it("quotes at most ten steps of a part", () => {
    const many = (name: string) => Array.from({ length: 12 }, (_, i) => `${i + 1}. ${name} ${i + 1}.`).join("\n");
    const markdown = `# T\n\n## Confirm\n\n${many("Check")}\n\n## Mitigate\n\n${many("Step")}`;
    const { answer } = compose({ runbooks: [sampleRunbook(markdown)] });
    expect([answer.confirm.length, answer.mitigate.length]).toEqual([10, 10]);
    expect(answer.mitigate.at(-1)?.text).toBe("Step 10.");
  });

  it("quotes each step of a split section once, without partial sentences", () => {
    const long = Array.from({ length: 3 }, (_, i) => `${i + 1}. Do the thing number ${i + 1} now.`).join("\n\n");
    const runbook = sampleRunbook(`# T\n\n## Mitigate\n\n${long}`, { size: 16, overlap: 4 });
    expect(compose({ runbooks: [runbook] }).answer.mitigate.map(({ text }) => text)).toEqual([
      "Do the thing number 1 now.",
      "Do the thing number 2 now.",
      "Do the thing number 3 now.",
    ]);
  });

  it("quotes a step of two confirming sections once", () => {
    const markdown = "# T\n\n## Confirm\n\n1. Look at the log.\n\n## Diagnosis\n\n1. Look at the log.\n2. Ask Dana.\n";
    const { answer } = compose({ runbooks: [sampleRunbook(markdown)] });
    expect(answer.confirm.map(({ text, citations }) => [text, ...citations])).toEqual([
      ["Look at the log.", "exit-137.md#0"],
      ["Ask Dana.", "exit-137.md#1"],
    ]);
  });

  it.each<[string, Partial<SearchDocument>]>([
    ["the next chunk of the same section", {}],
    ["a chunk of another section", { headingPath: ["Diagnosis"] }],
    ["a chunk of a section below", { headingPath: ["Confirm", "Linux"] }],
    ["a chunk further on", { chunkIndex: 3 }],
    ["a chunk of another source", { source: "other.md" }],
  ])("quotes shared text of two chunks once: %s", (_which, changes) => {
    const runbook = sampleRunbook("# T\n\n## Confirm\n\n1. Look.\n2. Ask.\n");
    const [first] = runbook.sections;
    if (!first) throw new Error("The sample runbook has no sections.");
    const next = { ...first, id: "next", chunkIndex: 1, body: "2. Ask.\n\n3. Wait.", ...changes };
    const { answer } = compose({ runbooks: [{ ...runbook, sections: [first, next] }] });
    expect(answer.confirm.map(({ text }) => text)).toEqual(["Look.", "Ask.", "Wait."]);
  });

  it("cites only recalled texts, and one for every statement", () => {
    const recall = {
      runbooks: [sampleRunbook(RUNBOOK)],
      incidents: [samplePastIncident("past-1", { resolution: "More memory." })],
    };
    const { answer } = compose(recall);
    const recalled = [...(recall.runbooks[0]?.sections ?? []).map(({ id }) => id), "past-1"];
    const statements = [
      answer.summary,
      ...answer.likely_causes,
      ...answer.confirm,
      ...answer.mitigate,
      ...answer.worked_before,
      ...answer.prevention,
    ];
    expect(statements.length).toBeGreaterThan(1);
    for (const { citations } of statements) {
      expect(citations.length).toBeGreaterThan(0);
      expect(recalled).toEqual(expect.arrayContaining(citations));
    }
    for (const item of statements.slice(1)) expect(item).toHaveProperty("supported", true);
  });
});

describe("a runbook in another form", () => {
  it("is parsed by the meaning of its headings", () => {
    const foreign =
      "# KubeQuotaExceeded\n\n## Meaning\n\nThe quota is used up.\n\n## Diagnosis\n\nLook at the quota:\n\n```sh\n" +
      "kubectl describe quota\n```\n\n## Mitigation\n\nRaise it.\n";
    const { answer } = compose({ runbooks: [sampleRunbook(foreign, { source: "foreign.md" })] });
    expect(answer).toEqual({
      ...EMPTY_ANSWER,
      summary: { text: "KubeQuotaExceeded. The quota is used up.", citations: ["foreign.md#0"] },
      confirm: [
        {
          text: "Look at the quota:",
          command: "kubectl describe quota",
          effect: "read_only",
          undo: null,
          from_source: true,
          citations: ["foreign.md#1"],
          supported: true,
        },
      ],
      mitigate: [
        {
          text: "Raise it.",
          command: null,
          effect: "changes_state",
          undo: null,
          citations: ["foreign.md#2"],
          supported: true,
          from_source: true,
        },
      ],
    });
  });

  it("without headings has steps by what its sentences order, and a cause if one explains", () => {
    const body = [
      "It is due to a full queue.\n",
      "First, check the queue:\n\n```\nmailq\n```\n",
      "- If it is full, restart the\n  mail server.",
      "- A full queue delays messages.",
    ];
    const { answer } = compose({ runbooks: [sampleRunbook(body.join("\n"), { source: "note.md" })] });
    expect(answer.summary).toEqual({ text: 'This matches the runbook "note.md".', citations: ["note.md#0"] });
    expect(answer.likely_causes).toMatchObject([{ text: "It is due to a full queue." }]);
    expect(answer.confirm).toMatchObject([{ text: "First, check the queue:", command: "mailq" }]);
    expect(answer.mitigate).toMatchObject([
      { text: "If it is full, restart the mail server.", effect: "changes_state" },
    ]);
  });

  it.each([
    "## Impact\n\nMail waits due to a full queue.",
    "## Summary\n\nThe queue of the mail server is full.",
    "Old mail can be deleted with:\n\n```\nfind /var/spool/mail -delete\n```\n\nThis deletes all of it.",
  ])("has no cause that says what follows, what fails or what a command does: %j", (text) => {
    const { answer } = compose({ runbooks: [sampleRunbook(`# Queue is full\n\n${text}\n`)] });
    expect(answer.likely_causes).toEqual([]);
  });

  it.each(["This alert fires for a full queue.", 'When mail waits, a "QueueFull" alert is sent to the team.'])(
    "has no cause that says when an alert fires: %s",
    (text) => {
      const { answer } = compose({ runbooks: [sampleRunbook(`# Queue is full\n\n${text}\n`)] });
      expect(answer.likely_causes).toEqual([]);
    },
  );
});
