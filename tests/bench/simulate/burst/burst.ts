// The size of a burst, and where it comes from and goes to.

import type { Region } from "../figures/regions.ts";

export interface Burst {
  readonly alerts: number;
  readonly teams: number;
  /** Access tokens that the teams share. */
  readonly tokens: number;
  readonly rules: number;
  readonly repeats: number;
  readonly seconds: number;
  readonly seed: number;
  readonly regions: readonly Region[];
  readonly consumerRegion: Region;
}
