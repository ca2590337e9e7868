// Keeps the calibration of the deployment in an isolate. The start of each run brings the current one. While the database
// is unavailable, the last one serves.

import { settle } from "../../dependencies.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";

export interface CalibrationStore {
  /** The last calibration; the default before the first run. */
  current(): Calibration;
  /** The last calibration; before the first run, the stored one. Never throws a DependencyError. */
  currentOrStored(): Promise<Calibration>;
  /** Takes over the stored calibration; null for none, so the default. */
  accept(stored: Calibration | null): Calibration;
}

/** @param readStored throws DependencyError */
export function createCalibrationStore(readStored: () => Promise<Calibration>): CalibrationStore {
  let calibration: Calibration | undefined;
  const store: CalibrationStore = {
    current: () => calibration ?? DEFAULT_CALIBRATION,
    async currentOrStored() {
      if (calibration !== undefined) return calibration;
      const stored = await settle(readStored());
      return stored.ok ? store.accept(stored.value) : store.current();
    },
    accept(stored) {
      calibration = stored ?? DEFAULT_CALIBRATION;
      return calibration;
    },
  };
  return store;
}
