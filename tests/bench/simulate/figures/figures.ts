// The figures of one simulation: limits, recorded costs and settings.

import { randomNumbers } from "../../support/random-numbers.ts";
import { type Costs, drawCost } from "./costs.ts";
import type { LimitValues } from "./limits.ts";

export interface Figures {
  readonly limits: LimitValues;
  readonly costs: Costs;
  /** Milliseconds of an operation, drawn from its recorded costs. @param alerts number of alerts in it */
  readonly drawMs: (operation: string, alerts?: number) => number;
}

export function createFigures(limits: LimitValues, costs: Costs, seed: number): Figures {
  const random = randomNumbers(seed);
  return {
    limits,
    costs,
    drawMs: (operation, alerts = 0) =>
      operation === "workers-ai embed" ? limits.embeddingMs : drawCost(costs, operation, alerts, random()),
  };
}
