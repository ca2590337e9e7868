import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import { startRun } from "../../../functions/investigation/start-run.ts";
import { DEFAULT_CALIBRATION } from "../../../functions/schemas/calibration.ts";
import { sampleIncident, sampleServices } from "./samples.ts";

const FITTED = { slope: 0.8, intercept: -0.3 };
const runStart = { runId: "run-1", sessionId: "s", startedAt: new Date(0), query: "q" };

describe("the calibration of a run", () => {
  it("is the last one of the isolate while the database is unavailable", async () => {
    const services = sampleServices();
    const call = async () => {
      throw new DependencyError("database", "unreachable", "unavailable in the test");
    };
    const cutOff = { ...services, database: { call } };
    const incident = sampleIncident();
    expect(await startRun(cutOff, incident, runStart, null)).toMatchObject({ calibration: DEFAULT_CALIBRATION });
    services.calibrations.accept(FITTED);
    expect(await startRun(cutOff, incident, runStart, null)).toMatchObject({ calibration: FITTED });
  });

  it("returns to the default when none is stored any more", () => {
    const store = sampleServices().calibrations;
    store.accept(FITTED);
    expect(store.accept(null)).toEqual(DEFAULT_CALIBRATION);
    expect(store.current()).toEqual(DEFAULT_CALIBRATION);
  });
});
