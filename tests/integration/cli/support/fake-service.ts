// A server that is no Dejavu.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

export async function fakeService(listener: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const http = createServer(listener).listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      http.close();
    },
  };
}
