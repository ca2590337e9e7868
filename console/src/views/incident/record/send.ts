// Changes of an incident: each shows what it did, or why it failed, and loads the incident again.

import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import type { Failure, Result } from "../../../api/failure.ts";
import { settle } from "../../../api/failure.ts";
import { showToast } from "../../../components/toast.tsx";

type Reply<T> = Parameters<typeof settle<T>>[0];

/** @returns the failure, which the caller shows in place; null if it worked */
export async function send<T>(
  request: Reply<T>,
  { done, reload }: { readonly done: string; readonly reload: () => Promise<void> },
): Promise<Failure | null> {
  const result: Result<T> = await settle(request);
  if (!result.ok) return result.failure;
  // The database is unavailable, and a queue keeps the change.
  const isPending = result.response.status === 202;
  showToast(isPending ? "Accepted. It is stored when the database is available again." : done);
  await reload();
  return null;
}

/** As `send`, for a button without a form: a failure is a toast. */
export async function sendAtOnce<T>(request: Reply<T>, options: Parameters<typeof send>[1]): Promise<void> {
  const failure = await send(request, options);
  if (failure !== null) showToast(`${failure.title}. ${failure.detail}`, { isFailure: true });
}

/** Resolves an incident with a fix of a past one. */
export async function resolveAsBefore(
  id: string,
  fix: { readonly id: string; readonly text: string },
  reload: () => Promise<void>,
): Promise<void> {
  const request = api.POST("/v1/incidents/{id}/resolve", { params: { path: { id } }, body: { fix_id: fix.id } });
  await sendAtOnce(request, { done: `Resolved as before: ${displayText(fix.text)}`, reload });
}
