import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutChecks } from "../../../../lib/markdown/check-blocks.ts";
import { chunkMarkdown } from "../../../../lib/markdown/chunk-markdown.ts";
import { bytesOf } from "../../../../lib/text/text-weight.ts";

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(" ");

const block = fc.oneof(
  fc.integer({ min: 1, max: 30 }).map((count) => [`Paragraph ${words(count)}.`]),
  fc.integer({ min: 1, max: 30 }).map((count) => [`- Item ${words(count)}.`]),
  fc.constant(["```sh", "uptime --pretty", "```"]),
);
/** Longer than the text of most chunks. */
const check = fc.constantFrom(
  ["```promql {check=a}", `sum(${"x".repeat(300)})`, "```", "- confirms: any > 1: it is full", "- else: look again"],
  ["~~~sql {check=b}", "select 1", "", "as value", "~~~", "", "* refutes: all < 1: it is empty"],
);

describe("a check in a section", () => {
  it("does not change how the text around it is split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(block, fc.option(check)), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 32, max: 80 }),
        fc.integer({ min: 0, max: 30 }),
        (parts, size, overlap) => {
          const bodies = (withChecks: boolean) => {
            const lines = parts.flatMap(([text, added]) => [
              ...text,
              "",
              ...(withChecks && added ? [...added, ""] : []),
            ]);
            return chunkMarkdown(`# T\n\n## Confirm\n\n${lines.join("\n")}`, "", { size, overlap }).map(
              ({ body }) => body,
            );
          };
          expect(bodies(true).map(withoutChecks)).toEqual(bodies(false));
        },
      ),
    );
  });

  it("stays in the item above it, and items below it in the list are split as before", () => {
    const lines = ["1. Look:", "   ```promql {check=a}", "   up", "   ```", "   - confirms: any > 1: x", "2. Next."];
    const text = `# T\n\n## Confirm\n\n${lines.join("\n")}`;
    expect(chunkMarkdown(text, "", { size: 2, overlap: 0 }).map(({ body }) => body)).toEqual([
      lines.slice(0, 5).join("\n"),
      "2. Next.",
    ]);
  });

  it("stays whole and within the byte limit of a chunk, however many there are", () => {
    const query = `x{a="${"y".repeat(4_000)}"}`;
    const checks = Array.from({ length: 12 }, (_, i) =>
      ["```promql {check=c}".replace("=c", `=c${i}`), query, "```", "- confirms: any > 1: x"].join("\n"),
    );
    const chunks = chunkMarkdown(`# T\n\n## Confirm\n\n- Look.\n\n${checks.join("\n\n")}`, "", {
      size: 400,
      overlap: 50,
    });
    const text = chunks.map(({ body }) => body).join("\n");
    expect(checks.filter((each) => !text.includes(each))).toEqual([]);
    for (const { body } of chunks) expect(bytesOf(body)).toBeLessThanOrEqual(14_000);
  });
});
