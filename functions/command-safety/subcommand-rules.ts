// Owns how the subcommands of a program are written down: as lists of paths, with the options that tip the scale.

import { names } from "./command-options.ts";
import type { CommandEffect } from "./effect.ts";

export interface SubcommandRules {
  /** Options whose value may stand in the next word. */
  readonly valued: ReadonlySet<string>;
  /** By path, "network ls"; the longest known path decides. */
  readonly effects: ReadonlyMap<string, CommandEffect>;
  /** Paths that run another command, and how many arguments stand before it. */
  readonly runs: ReadonlyMap<string, number>;
  /** Without any subcommand. */
  readonly bare?: CommandEffect;
  /** `name` or `name=value` of the options that make a path change something, or only read. "" is every path. */
  readonly changes: ReadonlyMap<string, RegExp>;
  readonly reads: ReadonlyMap<string, RegExp>;
}

export interface SubcommandTable {
  readonly valued?: string;
  /** A line is "ps logs" or, for a group, "network: ls inspect". */
  readonly reading: string;
  readonly changing: string;
  readonly runs?: Readonly<Record<string, number>>;
  readonly bare?: CommandEffect;
  readonly changes?: Readonly<Record<string, RegExp>>;
  readonly reads?: Readonly<Record<string, RegExp>>;
}

/** Reads a table. */
export function subcommandRules(table: SubcommandTable): SubcommandRules {
  const effects = new Map<string, CommandEffect>();
  for (const [text, effect] of [
    [table.reading, "read_only"],
    [table.changing, "changes_state"],
  ] as const) {
    for (const line of text.split("\n")) {
      const [group, members] = line.includes(":") ? line.split(":", 2) : ["", line];
      for (const name of names(members ?? "")) effects.set(`${group?.trim()} ${name}`.trim(), effect);
    }
  }
  return {
    valued: names(table.valued ?? ""),
    effects,
    runs: new Map(Object.entries(table.runs ?? {})),
    ...(table.bare ? { bare: table.bare } : {}),
    changes: new Map(Object.entries(table.changes ?? {})),
    reads: new Map(Object.entries(table.reads ?? {})),
  };
}
