// Keeps the calibration of the deployment in an isolate. The start of each run brings the current one. While the database
// is unavailable, the last one serves.

import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";

export interface CalibrationStore {
  /** The last calibration; the default before the first run. */
  current(): Calibration;
  /** Takes over the stored calibration; null for none, so the default. */
  accept(stored: Calibration | null): Calibration;
}

export function createCalibrationStore(): CalibrationStore {
  let calibration = DEFAULT_CALIBRATION;
  return {
    current: () => calibration,
    accept(stored) {
      calibration = stored ?? DEFAULT_CALIBRATION;
      return calibration;
    },
  };
}
