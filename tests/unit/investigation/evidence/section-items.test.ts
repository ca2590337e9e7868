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

  it("that order something are steps where no section has a role", () => {
    const text = `# Stuck\n\n## Background\n\n${look}\n\n## Delete the pod\n\n${change}`;
    expect(stepsOf(text, "mitigate")).toEqual([["Delete the pod", "kubectl delete pod a"]]);
  });
});
