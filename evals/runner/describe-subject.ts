// Description of the Dejavu instance under test, as far as it reports its own configuration.

import { spawnSync } from "node:child_process";
import { z } from "zod";
import { REPO_DIR } from "../../dev/stack/paths.ts";
import type { EvalRun } from "../runs/run-file.ts";
import type { Dejavu } from "./dejavu-client.ts";

const readySchema = z.object({
  version: z.string(),
  model: z.object({ answer: z.string(), small: z.string() }).nullable(),
  reranker: z.string().nullable(),
  dependencies: z.object({ embedder: z.object({ version: z.string().nullable() }) }),
});

/** @param isThisCheckout whether the instance runs from this working tree */
export async function describeSubject(
  dejavu: Pick<Dejavu, "get">,
  { url, isThisCheckout }: { readonly url: string; readonly isThisCheckout: boolean },
): Promise<EvalRun["subject"]> {
  const { version, model, reranker, dependencies } = readySchema.parse(await dejavu.get("/health/ready"));
  return {
    version,
    commit: isThisCheckout ? checkedOutCommit() : null,
    // The origin only: a URL may contain credentials.
    url: new URL(url).origin,
    models: model === null ? null : [...new Set([model.answer, model.small])].join(", "),
    reranker,
    embedding: dependencies.embedder.version,
  };
}

/** The short commit hash; null outside a git checkout. */
function checkedOutCommit(): string | null {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: REPO_DIR, encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return null;
  const isChanged = git("status", "--porcelain", "--untracked-files=no").stdout.trim() !== "";
  return `${stdout.trim()}${isChanged ? " with changes" : ""}`;
}
