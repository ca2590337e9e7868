// Figures of a platform with plenty of everything, so that a test lowers one limit and knows that it is the first.

import type { Burst } from "../../bench/simulate/burst/burst.ts";
import type { Costs } from "../../bench/simulate/figures/costs.ts";
import { type LimitName, publishedLimits, unlimited } from "../../bench/simulate/figures/limits.ts";
import { REGIONS } from "../../bench/simulate/figures/regions.ts";
import { readWranglerSettings } from "../../bench/simulate/figures/wrangler-settings.ts";
import type { PlatformFigures } from "../../bench/simulate/simulate-burst.ts";

const COSTS: Costs = {
  measuredOn: "2026-03-01",
  loadAverage: 0,
  manyAlerts: 100,
  cpuMs: { webhook: 0.1, alert: 0, triage: 1 },
  callsPerTriage: 15,
  operations: {
    "sql other": { samples: 1, quantiles: [40, 60] },
    "sql ingest_alerts_within": { samples: 1, quantiles: [40, 60] },
    // Claims wait for each other, whatever the limits.
    "sql claim_incident": { samples: 1, quantiles: [1, 1] },
  },
};

export function plentyOf(lowered: Partial<Record<LimitName, number>> = {}): PlatformFigures {
  const limits = { ...unlimited(publishedLimits()), ...lowered };
  return { settings: readWranglerSettings(), limits, costs: COSTS };
}

const [region = { name: "here", roundTripMs: 5 }] = REGIONS;

export const SMALL_BURST: Burst = {
  alerts: 96,
  teams: 8,
  tokens: 8,
  rules: 2,
  repeats: 0.25,
  seconds: 1,
  seed: 1,
  regions: REGIONS.slice(0, 2),
  consumerRegion: region,
};
