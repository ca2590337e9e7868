// Internal figures given to a test beside its environment variables.

import { INTERNALS, type Internals } from "../../functions/config/internals.ts";

/** Parts the internal figures, by name, from the environment variables. */
export function splitInternals(values: Readonly<Record<string, unknown>>): {
  readonly environment: Record<string, unknown>;
  readonly internals: Partial<Internals>;
} {
  const isInternal = ([name]: [string, unknown]) => Object.hasOwn(INTERNALS, name);
  const entries = Object.entries(values);
  return {
    environment: Object.fromEntries(entries.filter((entry) => !isInternal(entry))),
    internals: Object.fromEntries(entries.filter(isInternal).map(([name, value]) => [name, Number(value)])),
  };
}
