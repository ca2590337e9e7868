// The present time as a signal, so that ages on the page stay true.

import { signal } from "@preact/signals";

const EVERY_MS = 15_000;

/** Milliseconds since 1970. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, EVERY_MS);
