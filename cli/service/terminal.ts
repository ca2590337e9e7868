// Width and colours of standard output.

import type { RenderSize } from "./invocation.ts";
import type { Environment } from "./private-file.ts";

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** @param maxColumns upper limit of the width @param options `color` false turns colours off */
export function terminal(
  maxColumns: number,
  { env = process.env, color = true }: { readonly env?: Environment; readonly color?: boolean } = {},
): RenderSize {
  // Some terminals report 0 columns; a pipe has none, unless the environment names a number.
  const isPipe = !process.stdout.columns && !Number(env.COLUMNS);
  const columns = process.stdout.columns || Number(env.COLUMNS) || DEFAULT_COLUMNS;
  return {
    width: Math.min(Math.max(columns, MIN_COLUMNS), maxColumns),
    isPipe,
    color: color && process.stdout.isTTY === true && process.stdout.hasColors(),
  };
}
