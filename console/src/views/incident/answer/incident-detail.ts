// One incident as the API returns it.

import type { components } from "../../../../../client/client.js";

export type IncidentDetail = components["schemas"]["Incident"];
