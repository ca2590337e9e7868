// Type of one observation as the API returns it.

import type { Body } from "../../api/body.ts";

export type ObservationDetail = Body<"getMemoryObservationsById">;
