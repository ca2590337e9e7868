// Types of `@energetic-ai/core`: its own refer to packages that it does not install.

import "@energetic-ai/core";

declare module "@energetic-ai/core" {
  /** Resolves when the compute backend has started. */
  export function ready(): Promise<void>;
}
