// Lines that may show the failure, and the choice of those that are read closely.

/** Templates that are read closely. */
export const MAX_CANDIDATES = 320;

export interface CandidateLine {
  readonly line: number;
  /** Its last occurrence. */
  readonly last: number;
  readonly text: string;
  /** Weight by its words alone, 0 to 1. */
  readonly words: number;
  /** Share of the weight that its place in the log leaves. */
  readonly share: number;
  readonly count: number;
  /** The exception that a stack trace ends with, or its innermost cause. */
  readonly isRoot: boolean;
  /** An exception with a cause of its own. */
  readonly isWrapper: boolean;
  /** A row of a listing that shows a bad state, and whether it names another object than the target; null for other lines. */
  readonly row: { readonly isOther: boolean; readonly isTarget: boolean } | null;
  /** Equal for lines that differ in words with digits only. */
  readonly template: number;
}

/** A line of the log with its number. */
export interface StateLine {
  readonly line: number;
  readonly text: string;
}

/** A row of a listing that shows the target in a good state. */
export interface GoodRow extends StateLine {
  /** Whether it counts failures or ended work, beside the state of a process. */
  readonly isCounted: boolean;
}

/** The answer to a command, or the whole log without commands. */
export interface LogPart {
  readonly first: number;
  readonly last: number;
  /** Lines that are not blank. */
  readonly lines: number;
}

export type MutableCandidate = { -readonly [Key in keyof CandidateLine]: CandidateLine[Key] };

/** The heaviest groups; of equally heavy ones the first and the last. */
export function promising(groups: readonly MutableCandidate[], limit: number): MutableCandidate[] {
  if (groups.length <= limit) return [...groups];
  const byWeight: MutableCandidate[][] = Array.from({ length: 22 }, () => []);
  for (const group of groups) {
    const weight = group.isRoot ? 1 : group.words * group.share;
    byWeight[Math.round(weight * 20)]?.push(group);
  }
  const chosen: MutableCandidate[] = [];
  for (const equal of byWeight.reverse()) {
    const room = limit - chosen.length;
    if (equal.length <= room) chosen.push(...equal);
    else if (room > 0)
      chosen.push(...equal.slice(0, Math.ceil(room * 0.75)), ...equal.slice(-Math.floor(room * 0.25) || equal.length));
  }
  return chosen;
}
