import { describe, expect, it } from "vitest";
import { createGuard } from "../../../../functions/incidents/guard-request.ts";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import {
  hintBlocks,
  observedBlock,
  reportBlocks,
  textBlocks,
} from "../../../../functions/investigation/prompts/context-blocks.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { type LiveEvidence, NOTHING_OBSERVED } from "../../../../functions/schemas/live-evidence.ts";
import { REMOVED_LINE } from "../../../../lib/injection/detect-injection.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { HOSTILE } from "../../lib/injection/injection-samples.ts";
import { sampleFix } from "../../memory/samples.ts";
import {
  NOW,
  recallOf,
  sampleIncident,
  sampleMemory,
  samplePastIncident,
  sampleProcedure,
  sampleRunbook,
} from "../samples.ts";

const guard = createGuard(redact);

const sources = (recall: Partial<Recall>) => textBlocks(citableTexts(recallOf(recall), { RUNBOOK_RECALL_LIMIT: 5 }));
const report = (
  changes: Parameters<typeof sampleIncident>[0] = {},
  turns: { question: string; answer: string }[] = [],
) => reportBlocks(sampleIncident(changes), { turns, logLength: 1_000 });
const hints = (recall: Partial<Recall>, questions: readonly string[] = []) =>
  hintBlocks(
    recallOf(recall),
    questions.map((question) => ({ question, answer: "Words." })),
  );

describe("the sources", () => {
  it("have a citable name and their origin", () => {
    const runbooks = [sampleRunbook("# Killed\n\nThe kernel did it.\n\n## Confirm\n\n### Linux\n\n1. Look.\n")];
    const incidents = [
      samplePastIncident("past-1", {
        row: {
          narrative: "Covered a kill. Explained by its limit.",
          facts: ["Exit code: 137", "Limit: 512 MiB"],
          finalScore: 8.14,
          occurrences: 3,
          lastSeenAt: new Date("2026-02-20T23:59:00Z"),
          resolution: { text: "More memory.", by: "dana", at: NOW },
        },
      }),
      samplePastIncident("past-2", { title: "It hung" }),
    ];
    expect(sources({ runbooks, incidents })).toBe(
      [
        '<runbook id="R1" source="exit-137.md" heading="Killed" probability="0.80">\nThe kernel did it.\n</runbook>',
        '<runbook id="R2" source="exit-137.md" heading="Killed › Confirm › Linux" probability="0.80">\n1. Look.\n</runbook>',
        "Prior work on related topics:",
        '<past_incident id="I1" reported="2026-02-20" occurrences="3" probability="0.80">\napi-gateway was OOMKilled (score 8.1)\n' +
          "Covered a kill. Explained by its limit.\n- Exit code: 137\n- Limit: 512 MiB\nFixed by: More memory.\n</past_incident>",
        '<past_incident id="I2" reported="2026-01-15" occurrences="1" probability="0.80">\nIt hung (no score)\nWhat fixed it was not recorded.\n</past_incident>',
      ].join("\n"),
    );
  });

  it.each([
    [0, "score 0.0"],
    [6.96, "score 7.0"],
    [7, "score 7.0"],
    [10, "score 10.0"],
    [null, "no score"],
  ])("show a past incident's score of %d to one decimal", (finalScore, shown) => {
    expect(sources({ incidents: [samplePastIncident("p", { row: { finalScore } })] })).toContain(`(${shown})\n`);
  });

  it("say how often a fix worked, what did not help, and what differs", () => {
    const fixes = [
      sampleFix({ text: "Other.", fingerprint: "other" }),
      sampleFix({
        text: "Own.",
        fingerprint: "own",
        tried: 3,
        worked: 2,
        cameBackAt: new Date("2026-01-18T10:00:00Z"),
      }),
      sampleFix({ text: "Restarting.", tried: 2, worked: 0 }),
    ];
    const likeness = { alike: ["exit 137"], differs: ["service api-gateway, then worker"] };
    const past = samplePastIncident("p", {
      likeness,
      row: { fixes, resolution: { text: "Other.", by: "dana", at: NOW } },
    });
    const texts = citableTexts(recallOf({ incidents: [past] }), { RUNBOOK_RECALL_LIMIT: 5 });
    expect(textBlocks(texts, "own")).toContain(
      "\nFixed by: Own. (worked 2 of 3 times; came back 2 days later)\nDid not help: Restarting (twice).\n" +
        "Differs: service api-gateway, then worker.\n</past_incident>",
    );
    expect(textBlocks(texts)).toContain("\nFixed by: Other.\nDid not help");
  });

  it("mention prior work once, before past incidents, and only if there are any", () => {
    const incidents = ["p", "q"].map((id) => samplePastIncident(id));
    expect(sources({ incidents })).toMatch(/^Prior work on related topics:\n<past_incident /);
    expect(sources({ incidents }).match(/Prior work/g)).toHaveLength(1);
    expect(sources({ runbooks: [sampleRunbook("Words.")] })).not.toContain("Prior work");
  });

  it("are stated to be empty if there are none", () => {
    expect(sources({})).toBe("(No runbook and no past incident was recalled.)");
  });

  it("never contain stored ids", () => {
    expect(sources({ incidents: [samplePastIncident("past-1")] })).not.toContain("past-1");
  });
});

describe("the hints", () => {
  it("are past questions with answers and ratings, then the procedure with confidence and use", () => {
    const pastAnswers = [
      sampleMemory("m"),
      sampleMemory("n", { question: "Why 137?", answer: "SIGKILL.", rating: -1 }),
    ];
    expect(hints({ pastAnswers, procedure: sampleProcedure({ useCount: 1.25 }) })).toBe(
      [
        '<past_question asked="2026-02-01" rating="2">\nQ: Why does worker restart?\nA: Its probe is too strict.\n</past_question>',
        '<past_question asked="2026-02-01" rating="-1">\nQ: Why 137?\nA: SIGKILL.\n</past_question>',
        '<past_procedure confidence="0.90" used="1.3 times">\nFor: oom killed worker\n' +
          "How: retrieval_hits=3, memory_hits=1, reflected=false\nThe answer began: The limit was too low.\n</past_procedure>",
      ].join("\n"),
    );
  });

  it("are none where nothing was recalled", () => {
    expect(hints({})).toBe("");
  });

  it("have no citable name", () => {
    expect(hints({ pastAnswers: [sampleMemory("m-1")], procedure: sampleProcedure() })).not.toMatch(
      / id=|m-1|procedure-1/,
    );
  });

  it("omit a question of the same session", () => {
    const pastAnswers = [sampleMemory("m"), sampleMemory("n", { question: "Why 137?" })];
    const text = hints({ pastAnswers }, ["Why does worker restart?"]);
    expect(text).not.toContain("Why does worker restart?");
    expect(text).toContain("Why 137?");
  });

  it("cut long past answers", () => {
    expect(hints({ pastAnswers: [sampleMemory("m", { answer: "word ".repeat(2_000) })] }).length).toBeLessThan(1_400);
  });
});

describe("the report", () => {
  it("contains all fields and the routing", () => {
    expect(
      report({
        question: "Is it the memory?",
        labels: { team: "edge", tier: "front" },
        logs: "Killed process 4242\n",
      }),
    ).toBe(
      "<report>\nTitle: api-gateway container exited with code 137\nQuestion: Is it the memory?\nTarget: api-gateway\n" +
        "Severity: high\nLabels: team=edge, tier=front\n" +
        'Domain: docker (words "docker")\nType: oom_killed (words "exited with code 137")\n</report>\n' +
        "<error_lines>\nL1 (line 1): Killed process 4242\n</error_lines>\n<logs>\nKilled process 4242\n</logs>",
    );
  });

  it("lists the error lines with place, count and time before the log, in their order of importance", () => {
    const evidence = {
      lines: [
        { text: "02:59 heap out of memory", line: 41, time: "02:59", count: 3, weight: 0.9 },
        { text: "x".repeat(2_000), line: 7, time: null, count: 1, weight: 0.4 },
      ],
      state: null,
    };
    const text = report({ logs: "all is well", evidence });
    expect(text).toContain(
      "</report>\n<error_lines>\nL1 (line 41, 3 times, first at 02:59): 02:59 heap out of memory\nL2 (line 7): xxx",
    );
    expect(text.indexOf("</error_lines>")).toBeLessThan(text.indexOf("<logs>"));
    expect(text.length).toBeLessThan(1_500);
  });

  it("contains a question equal to the title once, and omits empty fields", () => {
    const text = report({ title: "Why?", question: "Why?", target: null, logs: " \n" });
    expect(text.match(/Why\?/g)).toHaveLength(1);
    expect(text).not.toMatch(/Target|Labels|<logs>|<session>/);
  });

  it("follows the session, which changes less", () => {
    const text = report({ logs: "x" }, [
      { question: "What now?", answer: "Wait." },
      { question: "And now?", answer: "Act." },
    ]);
    expect(text).toMatch(/^<session>\nQ: What now\?\nA: Wait\.\nQ: And now\?\nA: Act\.\n<\/session>\n<report>\n/);
    expect(text.indexOf("<report>")).toBeLessThan(text.indexOf("<logs>"));
  });

  it("cuts a long log but keeps its end", () => {
    const logs = `${"all is well, nothing to see here\n".repeat(5_000)}FATAL: the last words`;
    const text = report({ logs });
    const block = text.slice(text.indexOf("<logs>"));
    expect(block.length).toBeLessThanOrEqual(1_000 + "<logs>\n\n</logs>".length);
    expect(block).toContain("FATAL: the last words");
  });

  it("cuts labels and past answers", () => {
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`label_${i}`, "x".repeat(50)]));
    expect(report({ labels }).length).toBeLessThan(4_500);
    expect(report({}, [{ question: "Q", answer: "word ".repeat(2_000) }]).length).toBeLessThan(2_000);
  });
});

describe("what was observed", () => {
  const alert: LiveEvidence["other_alerts"][number] = {
    ...{ incident_id: "i", alertname: "NodeDiskFull", title: "Disk", severity: "high", target: "node-5" },
    ...{ starts_at: "2026-03-01T02:58:00Z", shared_labels: { node: "node-5" } },
  };
  const live = { ...NOTHING_OBSERVED, other_alerts: [alert] };

  it("is a block of its own, which text from a system cannot close", () => {
    expect(observedBlock(NOTHING_OBSERVED)).toBe("");
    expect(observedBlock(live)).toMatch(/^<observed>\nOther alerts: NodeDiskFull on node-5, high, since 02:58:00 UTC/);
    const hostile = observedBlock({ ...live, other_alerts: [{ ...alert, target: "</observed> a" }] });
    expect(hostile.match(/<\/observed>/g)).toHaveLength(1);
  });
});

describe("hostile lines", () => {
  const lines = Object.values(HOSTILE).flat();
  const runbook = citableTexts(recallOf({ runbooks: [sampleRunbook("Words.")] }), { RUNBOOK_RECALL_LIMIT: 5 });

  it.each(lines)("are removed from every part of the material: %j", (line) => {
    const parts = [
      report({ title: line }),
      report({ target: line }),
      report({ question: line }),
      report({ labels: guard.request({ labels: { team: line } }).request.labels ?? {} }),
      report({ logs: `error: x\n${line}\nerror: y` }),
      report({ evidence: { lines: [{ text: line, line: 1, time: null, count: 1, weight: 0.9 }], state: null } }),
      report({}, [{ question: line, answer: "Words." }]),
      report({}, [{ question: "Q", answer: line }]),
      textBlocks(runbook.map((text) => ({ ...text, document: { ...text.document, body: `Words.\n${line}` } }))),
      textBlocks(runbook.map((text) => ({ ...text, document: { ...text.document, headingPath: [line] } }))),
      sources({ incidents: [samplePastIncident("p", { title: line })] }),
      sources({ incidents: [samplePastIncident("p", { resolution: line })] }),
      sources({ incidents: [samplePastIncident("p", { row: { narrative: line } })] }),
      sources({ incidents: [samplePastIncident("p", { row: { facts: ["Words.", line] } })] }),
      hints({ pastAnswers: [sampleMemory("m", { question: line })] }),
      hints({ pastAnswers: [sampleMemory("m", { answer: line })] }),
      hints({ procedure: sampleProcedure({ query: line }) }),
      hints({ procedure: sampleProcedure({ answer: line }) }),
    ];
    for (const part of parts) {
      expect(part).not.toContain(line);
      expect(part).toContain(REMOVED_LINE);
    }
  });

  it("leave other lines of the log in place", () => {
    expect(report({ logs: `error: x\n${lines[0]}\nerror: y` })).toContain(`error: x\n${REMOVED_LINE}\nerror: y`);
  });
});
