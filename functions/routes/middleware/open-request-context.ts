// Gives each request its id, its services and its log context, and logs the response.

import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { createRunInBackground } from "../../background-tasks.ts";
import { readEvaluationCase } from "../../schemas/evaluation-case.ts";
import { TRAFFIC } from "../../schemas/traffic.ts";
import type { Services } from "../../services.ts";
import { withContext } from "../../telemetry/request-context.ts";
import type { AppEnv } from "../http/app-env.ts";

const INCIDENT_PATH = /^\/v1\/incidents\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/i;

export function withRequestContext(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const requestId = services.newId();
    c.set("services", services);
    c.set("requestId", requestId);
    c.set(
      "runInBackground",
      createRunInBackground(services.log, (task) => c.executionCtx.waitUntil(task)),
    );
    const startedAt = services.now().getTime();
    // An unknown value of the header counts as production.
    const traffic = TRAFFIC.find((name) => name === c.req.header("x-dejavu-traffic")) ?? "production";
    const evaluation = traffic === "evaluation" ? readEvaluationCase((name) => c.req.header(name)) : undefined;
    const incidentId = INCIDENT_PATH.exec(c.req.path)?.[1]?.toLowerCase();
    const context = { requestId, traffic, evaluation, logContext: {}, ...(incidentId && { incidentId }) };
    await withContext(context, async () => {
      await next();
      c.header("x-request-id", requestId);
      const { status } = c.res;
      services.log(status >= 500 ? "error" : "info", "request.answered", {
        method: c.req.method,
        // The pattern, not the path: a path may hold pasted content.
        route: routePath(c),
        status,
        elapsed_ms: services.now().getTime() - startedAt,
      });
    });
  });
}
