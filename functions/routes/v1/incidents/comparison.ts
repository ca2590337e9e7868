// An incident beside another one, and the texts that its answer cites.

import { createRoute, z } from "@hono/zod-openapi";
import { citedTextSchema, readCitedText } from "../../../incidents/detail/cited-text.ts";
import {
  type ComparedIncident,
  compareIncidents,
  comparisonSchema,
} from "../../../incidents/detail/compare-incidents.ts";
import { incidentToCompare } from "../../../incidents/detail/corrections.ts";
import {
  getIncident,
  type IncidentWithHistory,
  incidentOf,
  storedTriage,
} from "../../../incidents/incident-records.ts";
import { withFieldExamples } from "../../http/field-examples.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { TRIAGE_EXAMPLE } from "../triage-examples.ts";
import { COMPARISON_EXAMPLE, OTHER_ID } from "./incident-examples.ts";
import { idParam, incidentSchema, NO_SUCH_INCIDENT, renderIncident } from "./incident-schema.ts";

const comparisonRoute = createRoute({
  method: "get",
  path: "/v1/incidents/{id}/comparison/{other_id}",
  summary: "Compare an incident with another one",
  ...scoped("read"),
  request: {
    params: idParam.extend({
      other_id: z.uuid().openapi({
        description: "The id of an incident, or of a recalled record, which is compared by one of its reports.",
        example: OTHER_ID,
      }),
    }),
  },
  responses: {
    200: jsonContent(
      "What is alike and what differs, and the parts of the match.",
      withFieldExamples(comparisonSchema, COMPARISON_EXAMPLE).extend({ other: incidentSchema }),
    ),
    404: problemContent("No incident has one of the ids, or the record has no other report."),
  },
});

const [EXAMPLE_SOURCE] = TRIAGE_EXAMPLE.sources;

const sourceRoute = createRoute({
  method: "get",
  path: "/v1/incidents/{id}/sources/{source_id}",
  summary: "Read a text that the latest answer cites",
  ...scoped("read"),
  request: {
    params: idParam.extend({
      source_id: z
        .string()
        .min(1)
        .max(1_000)
        .openapi({ description: "An id of `triage.sources`.", example: EXAMPLE_SOURCE?.id }),
    }),
  },
  responses: {
    200: jsonContent(
      "The section, past incident or check as the answer saw it.",
      citedTextSchema.openapi({
        example: {
          ...TRIAGE_EXAMPLE.sources[0],
          text: "The container stops with exit code 137.",
          is_current: false,
          past_incident: null,
          check: null,
        },
      }),
    ),
    404: problemContent("No incident has this id, or its latest answer does not cite this source."),
  },
});

const NO_OTHER =
  "No other incident has this id, and no recalled record with this id has another report. It may have been deleted.";
const NOT_CITED = "The latest answer of the incident does not cite this source. Its sources are in `triage.sources`.";

export const incidentComparisonRoutes = createRouter()
  .openapi(comparisonRoute, async (c) => {
    const { id, other_id } = c.req.valid("param");
    const { database } = c.get("services");
    const [here, there] = await Promise.all([
      getIncident(database, id),
      incidentToCompare(database, { id: other_id, except: id }),
    ]);
    if (!here) throw new Problem("not-found", NO_SUCH_INCIDENT);
    if (!there) throw new Problem("not-found", NO_OTHER);
    const { logs, resolved_by_caller, queued_at, ...other } = there.incident;
    const comparison = compareIncidents(comparedOf(here), comparedOf(there));
    return c.json({ ...comparison, other: renderIncident(other, c.get("caller")) }, 200);
  })
  .openapi(sourceRoute, async (c) => {
    const { id, source_id } = c.req.valid("param");
    const { database } = c.get("services");
    const record = await getIncident(database, id);
    if (!record) throw new Problem("not-found", NO_SUCH_INCIDENT);
    const { triage } = storedTriage(record);
    const source = triage && (await readCitedText(database, triage, source_id));
    if (!source) throw new Problem("not-found", NOT_CITED);
    return c.json(source, 200);
  });

function comparedOf(record: IncidentWithHistory): ComparedIncident {
  return {
    incident: incidentOf(record.incident),
    triage: storedTriage(record).triage,
    recordId: record.observation?.id ?? null,
  };
}
