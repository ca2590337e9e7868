// Mutes in words. Pure functions.

import { minuteOf } from "./time-text.ts";

interface MuteTexts {
  readonly reason: string;
  readonly owner: string;
  readonly ends_at: string;
}

/** `12 incidents` */
export function mutedCount(muted: number | null): string {
  if (muted === null) return "not counted";
  return muted === 1 ? "1 incident" : `${muted} incidents`;
}

/** `12 incidents muted: planned migration, until 2026-03-01 18:00 UTC, by dana` */
export function mutedText({ muted, reason, owner, ends_at }: MuteTexts & { readonly muted: number | null }): string {
  const often = muted === null ? "muted, not counted" : `${mutedCount(muted)} muted`;
  return `${often}: ${reason}, until ${minuteOf(ends_at)} UTC, by ${owner}`;
}

/** `Muted until 2026-03-01 18:00 UTC by dana: planned migration` */
export function expectedText({ reason, owner, ends_at }: MuteTexts): string {
  return `Muted until ${minuteOf(ends_at)} UTC by ${owner}: ${reason}`;
}
