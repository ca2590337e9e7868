// `dejavu runbooks show`: the text of a runbook.

import { z } from "zod";
import { call, parseAnswer } from "../../service/client.ts";
import { type Invocation, printResult } from "../../service/invocation.ts";
import { printable } from "../../service/problem-error.ts";
import { runbookPath } from "../../service/runbook-source.ts";

const detailSchema = z.object({
  source: z.string(),
  title: z.string(),
  text: z.string().nullable(),
  sections: z.array(z.object({ heading: z.string(), text: z.string() })),
});

export async function run({ args, options, cli }: Invocation): Promise<void> {
  const [source = ""] = args;
  const path = runbookPath(source);
  const service = await cli.service();
  const answer = await call(service, { path });
  const { title, text, sections } = parseAnswer(service, answer, detailSchema);
  printResult({ cli, options }, answer, () => {
    if (text !== null) return withoutControls(text);
    // The text of a folder is not stored, only its sections.
    const parts = sections.map(({ heading, text }) => (heading === "" ? text : `## ${heading}\n\n${text}`));
    return withoutControls([`# ${title}`, ...parts].join("\n\n"));
  });
}

function withoutControls(text: string): string {
  return text.split("\n").map(printable).join("\n").trimEnd();
}
