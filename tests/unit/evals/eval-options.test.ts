import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { evalCommand } from "../../../evals/eval-options.ts";

/** The parsed options, or the error message of commander. */
function read(...args: readonly string[]) {
  const messages: string[] = [];
  const command = evalCommand()
    .exitOverride()
    .configureOutput({ writeErr: (text) => void messages.push(text) });
  try {
    return command.parse([...args], { from: "user" }).opts();
  } catch (error) {
    if (error instanceof CommanderError) return messages.join("");
    throw error;
  }
}

describe("dejavu eval", () => {
  it.each([
    ["an unknown category", ["--category", "speed"], /Use one of retrieval, memory, /],
    ["a floor for an unknown metric", ["--fail-under", "Speed=0.9"], /Use <metric>=<0 to 1>/],
    ["a floor above 1", ["--fail-under", "KeywordScore=1.5"], /Use <metric>=<0 to 1>/],
    ["repeats outside 1 to 20", ["--repeats", "0"], /Use a whole number from 1 to 20/],
    ["an unknown option", ["--speed"], /unknown option/],
    ["an extra argument", ["docker"], /too many arguments/],
  ])("rejects %s", (_, args, message) => {
    expect(read(...args)).toMatch(message);
  });

  it("collects the values of repeated options", () => {
    const args = ["--category", "memory", "--category", "injection", "--case", "a", "--case", "b"];
    expect(read(...args, "--fail-under", "KeywordScore=0.9", "--fail-under", "MemoryHit=1")).toMatchObject({
      category: ["memory", "injection"],
      case: ["a", "b"],
      failUnder: [
        { metric: "KeywordScore", floor: 0.9 },
        { metric: "MemoryHit", floor: 1 },
      ],
    });
  });
});
