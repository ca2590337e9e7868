// The typed client: every endpoint of the API as a call. client.d.ts has its types. Plain JavaScript, so that Node and
// bundlers run it from node_modules.

import createClient from "openapi-fetch";

/** The one endpoint whose body is text. */
const RUNBOOK = "/v1/runbooks/{domain}/{source}";

/** Documented in client.d.ts. */
export function createDejavuClient(url, token, options = {}) {
  const client = createClient({
    ...options,
    baseUrl: url,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    bodySerializer: (body) => (typeof body === "string" ? body : JSON.stringify(body)),
  });
  client.use({
    onRequest({ request, schemaPath }) {
      if (request.method !== "PUT" || schemaPath !== RUNBOOK) return;
      request.headers.set("content-type", "text/markdown");
    },
  });
  return client;
}
