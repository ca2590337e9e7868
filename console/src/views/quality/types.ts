// Bodies of the API that the view shows.

import type { paths } from "../../../../client/client.js";

type Body<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Content } } } };
}
  ? Content
  : never;

export type Calibration = Body<"/v1/quality/calibration">;
export type Bin = Calibration["bins"][number];
export type Outcomes = Body<"/v1/quality/outcomes">;
export type Day = Outcomes["days"][number];
export type Gaps = Body<"/v1/quality/gaps">;
export type Gap = Gaps["gaps"][number];
export type Readiness = Body<"/health/ready">;
export type Jobs = Body<"/v1/admin/jobs">;
export type Job = Jobs["jobs"][number];
