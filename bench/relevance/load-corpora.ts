// The corpora of the relevance model. Those that are not part of the project are read from a folder beside it.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { alertCorpus, type Corpus, evidenceCorpus, shippedCorpus } from "./corpora.ts";

const DATA_SETS = fileURLToPath(new URL("../../../shared/bench", import.meta.url));
const LINT_RULES = fileURLToPath(new URL("../retrieval/lint-rules.ts", import.meta.url));
const REPORTS = fileURLToPath(new URL("../evidence/reports", import.meta.url));
const ALERT_SETS = ["alerts", "netdata", "cloudnative-pg", "openshift"];

/** No monitoring system sends a broken lint rule. */
const LINT_FORMS: ReadonlySet<string> = new Set(["words", "label", "logs"]);

export interface TrainingCorpora {
  readonly corpora: readonly Corpus[];
  /** Names of the data sets that are not on this machine, with the reason. */
  readonly missing: readonly string[];
}

/** Everything that the weights are trained on. The reports of the folder `held_out` are not among it. */
export async function trainingCorpora(): Promise<TrainingCorpora> {
  const corpora: Corpus[] = [shippedCorpus(), evidenceCorpus("train", join(REPORTS, "train"))];
  const missing: string[] = [];
  for (const name of ALERT_SETS) {
    const folder = join(DATA_SETS, name);
    if (existsSync(folder)) corpora.push(await alertCorpus(folder));
    else missing.push(`${name}: ${folder} does not exist`);
  }
  try {
    const folder = join(await mkdtemp(join(tmpdir(), "dejavu-lint-")), "lint");
    await promisify(execFile)(process.execPath, [LINT_RULES, folder]);
    const lint = await alertCorpus(folder);
    corpora.push({ ...lint, reports: lint.reports.filter(({ form }) => LINT_FORMS.has(form)) });
  } catch (error) {
    missing.push(
      `lint: the packages could not be read: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
    );
  }
  return { corpora, missing };
}

/** Reports that no weights are trained on. */
export function heldOutCorpus(): Corpus {
  return evidenceCorpus("held_out", join(REPORTS, "held_out"));
}
