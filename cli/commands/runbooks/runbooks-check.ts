// `dejavu runbooks check`: checks a folder of runbooks, or one file, without a service.

import { displayJson } from "../../../functions/schemas/rendering/display-text.ts";
import { checkRunbooks, type RunbookProblem } from "../../check-runbooks.ts";
import { CommandError, EXIT_CODES } from "../../service/command-error.ts";
import type { Invocation } from "../../service/invocation.ts";

export async function run({ args, options, cli }: Invocation): Promise<void> {
  const [path = ""] = args;
  const { files, problems } = await checkRunbooks(path).catch((error: unknown) => {
    throw new CommandError("failed", error instanceof Error ? error.message : String(error), { cause: error });
  });
  cli.print(options.json ? displayJson({ files, problems }) : describe(files, problems));
  if (problems.length > 0) cli.exitWith(EXIT_CODES.failed);
}

function describe(files: number, problems: readonly RunbookProblem[]): string {
  const places = problems.map(({ file, line, message }) => `${file}${line === null ? "" : `:${line}`}: ${message}`);
  const checked = `${files} ${files === 1 ? "file" : "files"} checked`;
  const count =
    problems.length === 0 ? "no problems" : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return [...places, `${checked}: ${count}.`].join("\n");
}
