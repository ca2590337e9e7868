import { describe, expect, it } from "vitest";
import { itemsOf } from "../../../../functions/investigation/evidence/section-items.ts";
import { textDocuments } from "../../../../functions/knowledge/text-documents.ts";
import type { SectionRole } from "../../../../lib/markdown/section-role.ts";

function stepsOf(text: string, role: SectionRole): [string, string | null][] {
  const { documents } = textDocuments(
    { source: "skills/export", domain: "skills", kind: "runbook", text, tags: [], isMarkdown: true },
    {
      chunking: { size: 1_200, overlap: 100 },
      redact: (written) => ({ text: written, counts: {} }),
      now: new Date("2026-03-01T00:00:00Z"),
    },
  );
  return itemsOf({ sections: documents }, role).map(({ item }) => [item.text, item.command]);
}

describe("headings with code alone", () => {
  const [look, change] = ["```sh\nkubectl get pods\n```", "```sh\nkubectl delete pod a\n```"];

  it("that are numbered are steps, also where another one checks something", () => {
    const text = `# Stuck\n\n## Instructions\n\n### Step 1: Verify the pod\n\n${look}\n\n### Step 2: Drop it\n\n${change}`;
    expect(stepsOf(text, "confirm")).toEqual([["Verify the pod", "kubectl get pods"]]);
    expect(stepsOf(text, "mitigate")).toEqual([["Drop it", "kubectl delete pod a"]]);
  });

  it("may have numbers of several levels", () => {
    const text = `# Stuck\n\n## 3. Diagnosis\n\n### 3.1 Check the pod\n\n${look}`;
    expect(stepsOf(text, "confirm")).toEqual([["Check the pod", "kubectl get pods"]]);
  });

  it("that order something are steps where no section has a role", () => {
    const text = `# Stuck\n\n## Background\n\n${look}\n\n## Delete the pod\n\n${change}`;
    expect(stepsOf(text, "mitigate")).toEqual([["Delete the pod", "kubectl delete pod a"]]);
  });
});

const textsOf = (text: string, role: SectionRole) => stepsOf(text, role).map(([item]) => item);

describe("causes with headings of their own", () => {
  const text = [
    "# Queue stuck",
    "## Cause 1: The stream is gone",
    "Often after a rename.",
    "### Solution 1",
    "Add the subject.",
    "## Cause 2: The account is off",
    "### Solution 2",
    "Enable the account.",
  ].join("\n\n");

  it("are items with their names, also without a text, and their solutions are steps", () => {
    expect(textsOf(text, "causes")).toEqual(["The stream is gone. Often after a rename.", "The account is off."]);
    expect(textsOf(text, "mitigate")).toEqual(["Add the subject.", "Enable the account."]);
  });

  it("stand below a heading on causes, with instructions that are steps", () => {
    const below =
      "# 403\n\n## Where it comes from\n\n### The clock is wrong\n\nSkew in the log.\n\n- Restart chrony.\n\n### A user is suspended";
    expect(textsOf(below, "causes")).toEqual(["The clock is wrong. Skew in the log.", "A user is suspended."]);
    expect(textsOf(below, "mitigate")).toEqual(["Restart chrony."]);
  });
});

describe("the action of an alert", () => {
  it("is a check if it orders to look, and a mitigation if it changes something", () => {
    const text = "# Down\n\n- *Severity*: high\n- *Action*: Check the pods.";
    expect([stepsOf(text, "confirm"), stepsOf(text, "mitigate")]).toEqual([[["Check the pods.", null]], []]);
    expect(stepsOf(text.replace("Check", "Restart"), "mitigate")).toEqual([["Restart the pods.", null]]);
  });
});

describe("a sentence that leads to a command", () => {
  it("is a step, whatever its verb", () => {
    const text =
      "# Full\n\nOld files can be seen with:\n\n```\n$ df -i\n```\n\nThe disk looks like this:\n\n```\nfull\n```";
    expect(stepsOf(text, "confirm")).toEqual([["Old files can be seen with:", "df -i"]]);
    expect(stepsOf(text, "mitigate")).toEqual([]);
  });
});

describe("sections in the words of strangers", () => {
  it("have the role of a question without a failure of its own", () => {
    const text =
      "# Lag\n\n**Why it happens**\n\n- Too few workers.\n\n**What do I do?**\n\n- Find the queue.\n- Double the workers.";
    expect(textsOf(text, "causes")).toEqual(["Too few workers."]);
    expect(textsOf(text, "confirm")).toEqual(["Find the queue."]);
    expect(textsOf(text, "mitigate")).toEqual(["Double the workers."]);
  });

  it("have no role for a question with a failure: its answer holds causes and steps", () => {
    const text =
      "# FAQ\n\n## Why are pools full?\n\nThe data is uneven.\n\nTurn on the balancer.\n\n## What is clock skew?\n\nRestart chrony.";
    expect(textsOf(text, "causes")).toEqual([]);
    expect(textsOf(text, "mitigate")).toEqual(["Turn on the balancer.", "Restart chrony."]);
  });

  it("have a role in other languages", () => {
    expect(textsOf("# Platte voll\n\n## Mögliche Ursachen\n\n- Alte Logs.", "causes")).toEqual(["Alte Logs."]);
  });

  it("that forbid something are no steps, and each item says so", () => {
    const text = "# No leader\n\nSteps:\n\n1. Start the servers.\n\nDo not:\n\n- delete `raft.db` on a live server.";
    expect(textsOf(text, "mitigate")).toEqual(["Start the servers."]);
    expect(textsOf(text, "prevent")).toEqual(["Do not delete `raft.db` on a live server."]);
  });
});

it("a paragraph that says how to fix something mitigates, whatever its verb", () => {
  const text = "# Errors\n\n## manifest unknown\n\nThe tag is gone.\n\nTo resolve this issue, pin the digest.";
  expect(textsOf(text, "mitigate")).toEqual(["To resolve this issue, pin the digest."]);
});
