// A training of word vectors that is stopped goes on after its last epoch.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "../../../bench/train-embedder.ts");
/** A batch has 512 pairs. */
const SECTIONS = 600;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-train-"));
  await mkdir(join(folder, "corpus"));
  const sections = Array.from({ length: SECTIONS }, (_, i) => {
    const words = Array.from({ length: 12 }, (_word, k) => `word${(i * 7 + k * k) % 90}`);
    return { headings: [words.slice(0, 3).join(" ")], text: `${words.join(" ")}. It needs ${words[5]}.`, code: "" };
  });
  const lines = sections.map((section) => JSON.stringify(section)).join("\n");
  await writeFile(join(folder, "corpus/words.jsonl.gz"), gzipSync(lines));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @param stopAfter stops it like Ctrl-C once it has printed this */
async function train(name: string, stopAfter?: string): Promise<{ readonly output: string; readonly out: string }> {
  const out = join(folder, name);
  const child = spawn(process.execPath, [COMMAND, join(folder, "corpus"), "--out", out]);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
      if (stopAfter !== undefined && output.includes(stopAfter)) child.kill("SIGINT");
    });
  await once(child, "close");
  return { output, out };
}

it("a stopped training goes on, and writes the file of one that was not stopped", async () => {
  const stopped = await train("stopped.bin", "Epoch 2 of 6");
  expect(stopped.output).not.toContain("Wrote");
  const resumed = await train("stopped.bin");
  expect(resumed.output).toMatch(/Goes on after epoch [1-5]\./);
  const whole = await train("whole.bin");
  expect(whole.output).not.toContain("Goes on");
  expect((await readFile(resumed.out)).equals(await readFile(whole.out))).toBe(true);
});
