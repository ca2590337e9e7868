// `npm run bench:scale`: how times grow with the number of runbooks and domains. Two parts, each with servers of its own:
// the keyword index alone, and whole triages. `--part index` or `--part triages` runs one; `--quick` uses smaller numbers.

import { scaleOptions } from "./scale/options.ts";

const { part } = scaleOptions;
if (part !== undefined && part !== "index" && part !== "triages")
  throw new RangeError(`--part ${part} is unknown: use index or triages.`);
// Each part is a script.
if (part !== "triages") await import("./scale/keyword-index.ts");
if (part !== "index") await import("./scale/triages.ts");
