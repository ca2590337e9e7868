// The package's own types name packages that it does not bring along.

import "@energetic-ai/core";

declare module "@energetic-ai/core" {
  /** Settles when the backend that computes has started. */
  export function ready(): Promise<void>;
}
