// Width and colours of standard output.

import type { RenderOptions } from "../render-options.ts";
import type { Streams } from "./invocation.ts";
import type { Environment } from "./private-file.ts";

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** @param maxColumns upper limit of the width @param context such as `process`; `color` false turns colours off */
export function terminal(
  maxColumns: number,
  { env, stdout, color = true }: Pick<Streams, "stdout"> & { readonly env: Environment; readonly color?: boolean },
): RenderOptions {
  // Some terminals report 0 columns; a pipe has none, unless the environment names a number.
  const isPipe = !stdout.columns && !Number(env.COLUMNS);
  const columns = stdout.columns || Number(env.COLUMNS) || DEFAULT_COLUMNS;
  return {
    width: Math.min(Math.max(columns, MIN_COLUMNS), maxColumns),
    isPipe,
    color: color && stdout.isTTY === true && stdout.hasColors?.() === true,
  };
}
