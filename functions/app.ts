// The Hono app: what holds for every request, then one mount per front door.

import { OpenAPIHono } from "@hono/zod-openapi";
import { secureHeaders } from "hono/secure-headers";
import { adminRoutes } from "./routes/admin.ts";
import { alertRoutes, pagerDutyRoutes } from "./routes/alerts.ts";
import type { AppEnv } from "./routes/app-env.ts";
import { requireToken } from "./routes/auth.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { healthRoutes } from "./routes/health.ts";
import { incidentIntakeRoutes } from "./routes/incident-intake.ts";
import { incidentRoutes } from "./routes/incidents.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { memoryRecordRoutes } from "./routes/memory-records.ts";
import { memorySearchRoutes } from "./routes/memory-search.ts";
import { problem, problemOfError } from "./routes/problem.ts";
import { triageRoutes } from "./routes/triage.ts";
import type { Services } from "./services.ts";

/** Build it once: it holds no state of a request. Requests need an execution context, for what outlives them. */
export function createApp(services: Services) {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    const requestId = services.newId();
    c.set("services", services);
    c.set("requestId", requestId);
    c.set("runInBackground", (work) => c.executionCtx.waitUntil(work));
    const started = services.now().getTime();
    await next();
    c.header("x-request-id", requestId);
    services.log("info", "request", {
      request_id: requestId,
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      elapsed_ms: services.now().getTime() - started,
    });
  });
  app.use(secureHeaders());
  app.route("/", healthRoutes);
  // Signed in place of a token; without the secret there is no such path.
  if (services.config.PAGERDUTY_WEBHOOK_SECRET !== undefined) app.route("/", pagerDutyRoutes);
  // Everything below needs the token, a path that does not exist too: a stranger learns nothing.
  app.use(requireToken);
  app.route("/", triageRoutes);
  app.route("/", incidentIntakeRoutes);
  app.route("/", alertRoutes);
  app.route("/", incidentRoutes);
  app.route("/", feedbackRoutes);
  app.route("/", memoryRoutes);
  app.route("/", memoryRecordRoutes);
  app.route("/", memorySearchRoutes);
  app.route("/", adminRoutes);
  app.notFound((c) => {
    const methods = methodsOf(app.routes, c.req.path);
    if (methods.length === 0)
      return problem(c, "not-found", "There is nothing at this path. The README lists the API.");
    const allow = methods.join(", ");
    return problem(c, "method-not-allowed", `This path takes ${allow}.`, { headers: { allow } });
  });
  app.onError(problemOfError);
  return app;
}

/** The methods that some route has for this path. */
function methodsOf(routes: readonly { readonly path: string; readonly method: string }[], path: string): string[] {
  const matching = routes.filter(({ path: pattern, method }) => {
    const isRoute = method !== "ALL" && !pattern.includes("*");
    return isRoute && new RegExp(`^${pattern.replace(/:[^/]+/g, "[^/]+")}$`).test(path);
  });
  return [...new Set(matching.map(({ method }) => method))].sort();
}
