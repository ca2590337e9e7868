// Finds services that run and do not serve: their leader lives, and a process that it needs has died. So it is when
// workerd dies: wrangler lives on and does not start it again.

import type { ServiceName } from "./service.ts";

const INTERVAL_MS = 5_000;
/** Weights of a failed check, and the sum from which a service counts as down. A busy service is only slow. */
const REFUSED_WEIGHT = 2;
const SLOW_WEIGHT = 1;
const DOWN_WEIGHT = 6;

export type Health = "healthy" | "refused" | "slow";

export interface WatchedService {
  readonly name: ServiceName;
  /** Undefined while the service is down or starts. */
  checkHealth(): Promise<Health> | undefined;
}

export interface HealthWatch {
  /** Checks each service once. */
  check(): Promise<void>;
  stop(): void;
}

/** @param onDown called for a service that has refused for 15 s, or has not answered for half a minute */
export function watchHealth(
  services: readonly WatchedService[],
  onDown: (name: ServiceName) => void,
  intervalMs = INTERVAL_MS,
): HealthWatch {
  const weights = new Map<ServiceName, number>();
  let checking: Promise<void> | undefined;
  const checkOne = async (service: WatchedService): Promise<void> => {
    const health = await service.checkHealth();
    if (health === undefined || health === "healthy") {
      weights.delete(service.name);
      return;
    }
    const weight = (weights.get(service.name) ?? 0) + (health === "refused" ? REFUSED_WEIGHT : SLOW_WEIGHT);
    weights.set(service.name, weight);
    if (weight < DOWN_WEIGHT) return;
    weights.delete(service.name);
    onDown(service.name);
  };
  const check = (): Promise<void> => {
    checking ??= Promise.all(services.map(checkOne)).then(() => {
      checking = undefined;
    });
    return checking;
  };
  const timer = setInterval(check, intervalMs).unref();
  return { check, stop: () => clearInterval(timer) };
}
