// The typed client on the page's own origin. The session cookie authenticates.

import { createDejavuClient } from "../../../client/client.js";

/** What an answer with 401 does. The session, which uses the client, sets it. */
export const unauthorized = { react: (): void => {} };

export const api = createDejavuClient(location.origin, null, {
  async fetch(request) {
    const response = await fetch(request);
    // /v1/session itself answers 401 to somebody who is not signed in.
    if (response.status === 401 && !request.url.endsWith("/v1/session")) unauthorized.react();
    return response;
  },
});
