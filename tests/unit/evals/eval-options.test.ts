import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { evalCommand } from "../../evals/eval-options.ts";

/** What commander says of these words; the options where it takes them. */
function read(...words: readonly string[]) {
  const said: string[] = [];
  const command = evalCommand()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void said.push(text) });
  try {
    return command.parse([...words], { from: "user" }).opts();
  } catch (error) {
    if (error instanceof CommanderError) return said.join("");
    throw error;
  }
}

describe("npm run eval", () => {
  it.each([
    ["a category that there is not", ["--category", "speed"], /There are retrieval, memory, /],
    ["a gate on no metric", ["--fail-under", "Speed=0.9"], /It wants metric=floor/],
    ["a gate above 1", ["--fail-under", "KeywordScore=1.5"], /It wants metric=floor/],
    ["no whole number of repeats", ["--repeats", "0"], /It wants a whole number from 1 to 20/],
    ["an unknown option", ["--speed"], /unknown option/],
    ["a word too many", ["docker"], /too many arguments/],
  ])("refuses %s", (_, words, said) => {
    expect(read(...words)).toMatch(said);
  });

  it("takes each option that may be repeated more than once", () => {
    const words = ["--category", "memory", "--category", "injection", "--case", "a", "--case", "b"];
    expect(read(...words, "--fail-under", "KeywordScore=0.9", "--fail-under", "MemoryHit=1")).toMatchObject({
      category: ["memory", "injection"],
      case: ["a", "b"],
      failUnder: [
        { metric: "KeywordScore", floor: 0.9 },
        { metric: "MemoryHit", floor: 1 },
      ],
    });
  });
});
