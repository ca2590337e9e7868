// The Hono app: what holds for every request, then one mount per front door. The mounts are chained: so the app's type
// holds every route, and the typed client knows them.

import { OpenAPIHono } from "@hono/zod-openapi";
import { routePath } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { createRunInBackground } from "./background-tasks.ts";
import { healthRoutes } from "./routes/health.ts";
import type { AppEnv } from "./routes/http/app-env.ts";
import { problem, problemOfError } from "./routes/http/problem.ts";
import { routedPath } from "./routes/http/routed-path.ts";
import { mcpRoutes } from "./routes/mcp/index.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { auditChanges } from "./routes/middleware/audit.ts";
import { requireToken } from "./routes/middleware/authenticate.ts";
import { crossOrigin } from "./routes/middleware/cross-origin.ts";
import { limitRequests } from "./routes/middleware/rate-limit.ts";
import { describeApi } from "./routes/openapi/document.ts";
import { createReferenceRoutes } from "./routes/openapi/reference.ts";
import { createSlackRoutes } from "./routes/slack/index.ts";
import { alertRoutes, createSignedAlertRoutes } from "./routes/v1/alerts.ts";
import { documentRoutes } from "./routes/v1/documents.ts";
import { enqueueIncidentRoutes } from "./routes/v1/enqueue-incident.ts";
import { feedbackRoutes } from "./routes/v1/feedback.ts";
import { feedbackListRoutes } from "./routes/v1/feedback-list.ts";
import { incidentRoutes } from "./routes/v1/incidents.ts";
import { inventoryRoutes } from "./routes/v1/inventory.ts";
import { adminRoutes } from "./routes/v1/jobs.ts";
import { memoryRoutes } from "./routes/v1/memory.ts";
import { memoryRecordRoutes } from "./routes/v1/memory-records.ts";
import { memorySearchRoutes } from "./routes/v1/memory-search.ts";
import { runbookSearchRoutes } from "./routes/v1/runbook-search.ts";
import { runbookRoutes } from "./routes/v1/runbooks.ts";
import { searchRoutes } from "./routes/v1/search.ts";
import { tokenRoutes } from "./routes/v1/tokens.ts";
import { triageRoutes } from "./routes/v1/triage.ts";
import { TRAFFIC } from "./schemas/traffic.ts";
import type { Services } from "./services.ts";
import { withContext } from "./telemetry/request-context.ts";

const INCIDENT_PATH = /^\/v1\/incidents\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/i;

/** Build it once: it holds no state of a request. Requests need an execution context, for what outlives them. */
export function createApp(services: Services) {
  const app = new OpenAPIHono<AppEnv>({ getPath: routedPath });
  app.use(async (c, next) => {
    const requestId = services.newId();
    c.set("services", services);
    c.set("requestId", requestId);
    c.set(
      "runInBackground",
      createRunInBackground(services.log, (work) => c.executionCtx.waitUntil(work)),
    );
    const started = services.now().getTime();
    // A word of no consequence: an unknown one is like none.
    const traffic = TRAFFIC.find((name) => name === c.req.header("x-dejavu-traffic")) ?? "production";
    const incidentId = INCIDENT_PATH.exec(c.req.path)?.[1]?.toLowerCase();
    await withContext({ requestId, traffic, about: {}, ...(incidentId && { incidentId }) }, async () => {
      await next();
      c.header("x-request-id", requestId);
      const { status } = c.res;
      services.log(status >= 500 ? "error" : "info", "request.answered", {
        method: c.req.method,
        // Not the path: that may hold whatever somebody pasted.
        route: routePath(c),
        status,
        elapsed_ms: services.now().getTime() - started,
      });
    });
  });
  app.use(secureHeaders());
  if (services.config.CORS_ORIGINS.length > 0) app.use(crossOrigin(services.config.CORS_ORIGINS));
  const open = app.route("/", healthRoutes).route(
    "/",
    createReferenceRoutes(() => describeApi(app, services.version)),
  );
  // Signed in place of a token; without the secret there is no such path.
  const { SLACK_SIGNING_SECRET } = services.config;
  if (SLACK_SIGNING_SECRET !== undefined) app.route("/", createSlackRoutes(SLACK_SIGNING_SECRET));
  app.route("/", createSignedAlertRoutes(services.config));
  // Everything below needs a token, a path that does not exist too: a stranger learns nothing.
  app.use(requireToken, limitRequests, auditChanges);
  const api = open
    .route("/", triageRoutes)
    .route("/", enqueueIncidentRoutes)
    .route("/", alertRoutes)
    .route("/", incidentRoutes)
    .route("/", feedbackRoutes)
    .route("/", feedbackListRoutes)
    .route("/", memoryRoutes)
    .route("/", memoryRecordRoutes)
    .route("/", memorySearchRoutes)
    .route("/", searchRoutes)
    .route("/", inventoryRoutes)
    .route("/", runbookSearchRoutes)
    .route("/", runbookRoutes)
    .route("/", documentRoutes)
    .route("/", metricsRoutes)
    .route("/", adminRoutes)
    .route("/", tokenRoutes)
    .route("/", mcpRoutes);
  app.notFound((c) => {
    const methods = methodsOf(app.routes, c.req.path);
    if (methods.length === 0) return problem(c, "not-found", "There is nothing at this path. /docs lists the API.");
    const allow = methods.join(", ");
    return problem(c, "method-not-allowed", `This path takes ${allow}.`, { headers: { allow } });
  });
  app.onError(problemOfError);
  return api;
}

/** Every route with what it takes and answers, for the typed client. */
export type DejavuApp = ReturnType<typeof createApp>;

/** The methods that some route has for this path. */
function methodsOf(routes: readonly { readonly path: string; readonly method: string }[], path: string): string[] {
  const matching = routes.filter(({ path: pattern, method }) => {
    const isRoute = method !== "ALL" && !pattern.includes("*");
    return isRoute && new RegExp(`^${pattern.replace(/:[^/]+/g, "[^/]+")}$`).test(path);
  });
  return [...new Set(matching.map(({ method }) => method))].sort();
}
