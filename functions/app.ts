// The Hono app: middleware and routes.

import { OpenAPIHono } from "@hono/zod-openapi";
import { secureHeaders } from "hono/secure-headers";
import { consoleRoutes } from "./routes/console.ts";
import { guideRoutes } from "./routes/guide.ts";
import { healthRoutes } from "./routes/health.ts";
import { homeRoutes } from "./routes/home.ts";
import type { AppEnv } from "./routes/http/app-env.ts";
import { problem, problemOfError } from "./routes/http/problem.ts";
import { routedPath } from "./routes/http/routed-path.ts";
import { mcpRoutes } from "./routes/mcp/index.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { auditChanges } from "./routes/middleware/audit.ts";
import { requireToken } from "./routes/middleware/authenticate.ts";
import { crossOrigin } from "./routes/middleware/cross-origin.ts";
import { withRequestContext } from "./routes/middleware/open-request-context.ts";
import { limitRequests } from "./routes/middleware/rate-limit.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { createSlackRoutes } from "./routes/slack/index.ts";
import { builtInRunbookRoutes } from "./routes/v1/admin/built-in-runbooks.ts";
import { jobRoutes } from "./routes/v1/admin/jobs.ts";
import { relevanceCalibrationRoutes } from "./routes/v1/admin/relevance-calibration.ts";
import { sessionListRoutes } from "./routes/v1/admin/sessions.ts";
import { tokenRoutes } from "./routes/v1/admin/tokens.ts";
import { alertRoutes, signedAlertRoutes } from "./routes/v1/alerts.ts";
import { listChangesRoutes } from "./routes/v1/changes/list-changes.ts";
import { reportChangeRoutes, signedChangeRoutes } from "./routes/v1/changes/report-changes.ts";
import { documentRoutes } from "./routes/v1/documents.ts";
import { domainRoutes } from "./routes/v1/domains/domains.ts";
import { routeTextRoutes } from "./routes/v1/domains/route-text.ts";
import { enqueueIncidentRoutes } from "./routes/v1/enqueue-incident.ts";
import { evidenceSourceRoutes } from "./routes/v1/evidence/sources.ts";
import { trySourceRoutes } from "./routes/v1/evidence/try-source.ts";
import { feedbackRoutes } from "./routes/v1/feedback.ts";
import { feedbackListRoutes } from "./routes/v1/feedback-list.ts";
import { incidentActionRoutes } from "./routes/v1/incidents/actions.ts";
import { incidentComparisonRoutes } from "./routes/v1/incidents/comparison.ts";
import { importIncidentRoutes } from "./routes/v1/incidents/import.ts";
import { incidentListRoutes } from "./routes/v1/incidents/list.ts";
import { postmortemRoutes } from "./routes/v1/incidents/postmortem.ts";
import { incidentRecordRoutes } from "./routes/v1/incidents/record.ts";
import { incidentResolutionRoutes } from "./routes/v1/incidents/resolution.ts";
import { inventoryRoutes } from "./routes/v1/inventory.ts";
import { memoryRoutes } from "./routes/v1/memory.ts";
import { memoryCorrectionRoutes } from "./routes/v1/memory-corrections.ts";
import { memoryRecordRoutes } from "./routes/v1/memory-records.ts";
import { memorySearchRoutes } from "./routes/v1/memory-search.ts";
import { muteRoutes } from "./routes/v1/mutes.ts";
import { notificationRoutes } from "./routes/v1/notifications.ts";
import { answerGapRoutes } from "./routes/v1/quality/answer-gaps.ts";
import { qualityFigureRoutes } from "./routes/v1/quality/figures.ts";
import { reportRoutes } from "./routes/v1/reports.ts";
import { runbookCheckRoutes } from "./routes/v1/runbooks/check-runbook.ts";
import { runbookHistoryRoutes } from "./routes/v1/runbooks/runbook-history.ts";
import { runbookRoutes } from "./routes/v1/runbooks/runbooks.ts";
import { searchRoutes } from "./routes/v1/search.ts";
import { sessionRoutes } from "./routes/v1/session/session.ts";
import { signInRoutes } from "./routes/v1/session/sign-in.ts";
import { triageRoutes } from "./routes/v1/triage.ts";
import type { Services } from "./services.ts";

const API_ROUTES = [
  triageRoutes,
  enqueueIncidentRoutes,
  importIncidentRoutes,
  alertRoutes,
  reportChangeRoutes,
  listChangesRoutes,
  incidentListRoutes,
  incidentRecordRoutes,
  incidentResolutionRoutes,
  incidentActionRoutes,
  incidentComparisonRoutes,
  postmortemRoutes,
  reportRoutes,
  feedbackRoutes,
  feedbackListRoutes,
  memoryRoutes,
  memoryRecordRoutes,
  memoryCorrectionRoutes,
  memorySearchRoutes,
  searchRoutes,
  inventoryRoutes,
  runbookRoutes,
  runbookCheckRoutes,
  runbookHistoryRoutes,
  documentRoutes,
  domainRoutes,
  routeTextRoutes,
  evidenceSourceRoutes,
  trySourceRoutes,
  muteRoutes,
  notificationRoutes,
  metricsRoutes,
  qualityFigureRoutes,
  answerGapRoutes,
  builtInRunbookRoutes,
  jobRoutes,
  tokenRoutes,
  sessionListRoutes,
  sessionRoutes,
  relevanceCalibrationRoutes,
  mcpRoutes,
];

/** Holds no state of a request: create it once. Requests need an execution context for background tasks. */
export function createApp(services: Services) {
  const app = new OpenAPIHono<AppEnv>({ getPath: routedPath });
  app.use(withRequestContext(services));
  app.use(secureHeaders());
  if (services.config.CORS_ORIGINS.length > 0) app.use(crossOrigin(services.config.CORS_ORIGINS));
  app.route("/", homeRoutes);
  app.route("/", healthRoutes);
  app.route("/", consoleRoutes);
  app.route("/", guideRoutes);
  app.route("/", referenceRoutes);
  // A signature replaces the token.
  const { SLACK_SIGNING_SECRET } = services.config;
  if (SLACK_SIGNING_SECRET !== undefined) app.route("/", createSlackRoutes(SLACK_SIGNING_SECRET));
  app.route("/", signedAlertRoutes);
  app.route("/", signedChangeRoutes);
  app.route("/", signInRoutes);
  // Everything below requires a token, unknown paths included: a client without one learns nothing.
  app.use(requireToken, limitRequests, auditChanges);
  for (const routes of API_ROUTES) app.route("/", routes);
  app.notFound((c) => {
    const methods = methodsOf(app.routes, c.req.path);
    if (methods.length === 0) return problem(c, "not-found", "There is nothing at this path. /docs lists the API.");
    const allow = methods.join(", ");
    return problem(c, "method-not-allowed", `This path takes ${allow}.`, { headers: { allow } });
  });
  app.onError(problemOfError);
  return app;
}

/** The methods of all routes that match the path. */
function methodsOf(routes: readonly { readonly path: string; readonly method: string }[], path: string): string[] {
  const matching = routes.filter(({ path: pattern, method }) => {
    const isRoute = method !== "ALL" && !pattern.includes("*");
    return isRoute && new RegExp(`^${pattern.replace(/:[^/]+/g, "[^/]+")}$`).test(path);
  });
  return [...new Set(matching.map(({ method }) => method))].sort();
}
