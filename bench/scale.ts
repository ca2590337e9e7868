// `npm run bench -- scale`: how times grow with the number of runbooks, domains and past incidents. Three parts, each
// with servers of its own: the keyword index alone, whole triages, and the recall of memory. `--part index`, `--part
// triages` or `--part incidents` runs one; `--quick` uses smaller numbers.

import { scaleOptions } from "./scale/options.ts";

const { part } = scaleOptions;
// Each part is a script.
const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  index: () => import("./scale/keyword-index.ts"),
  triages: () => import("./scale/triages.ts"),
  incidents: () => import("./scale/incidents.ts"),
};
if (part !== undefined && !Object.hasOwn(parts, part))
  throw new RangeError(`--part ${part} is unknown: use ${Object.keys(parts).join(", ")}.`);
for (const [name, run] of Object.entries(parts)) if (part === undefined || part === name) await run();
