import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { readCorpus } from "../../../bench/support/json-lines.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const schema = z.strictObject({ id: z.number() });

async function corpusFolder(): Promise<string> {
  const folder = await scratchFolder("corpus");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("a corpus has the records of its files, in the order of their names and lines", async () => {
  const folder = await corpusFolder();
  writeFileSync(join(folder, "b.jsonl"), '{"id":3}\n');
  writeFileSync(join(folder, "a.jsonl"), '{"id":1}\n{"id":2}\n');
  writeFileSync(join(folder, "README.md"), "no record");
  expect(readCorpus(folder, schema)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

it.each([
  ['{"id":1}\n{"id":"2"}\n', /a\.jsonl:2 is no such record[\s\S]*id/],
  ['{"id":1}\n{"id":\n', /a\.jsonl:2 is no such record: SyntaxError/],
])("the error of a broken line names it: %j", async (text, message) => {
  const folder = await corpusFolder();
  writeFileSync(join(folder, "a.jsonl"), text);
  expect(() => readCorpus(folder, schema)).toThrow(message);
});
