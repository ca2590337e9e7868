// Options of `npm run bench -- scale`.

import { parseArgs } from "node:util";

export const { values: scaleOptions } = parseArgs({
  options: { quick: { type: "boolean", default: false }, part: { type: "string" } },
});
