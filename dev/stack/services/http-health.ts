/** One look at an HTTP address. */

/** A part that needs longer than this for its health page is not healthy yet. */
const LOOK_TIMEOUT_MS = 2_000;

/** Throws or gives false when it is not there. */
export async function respondsWith200(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
  await response.body?.cancel();
  return response.status === 200;
}
