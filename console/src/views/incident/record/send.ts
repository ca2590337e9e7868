// Changes of incidents: each shows what it did, or why it failed, and loads what is shown again.

import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { type Failure, type Reply, settle } from "../../../api/failure.ts";
import { showToast } from "../../../components/toast.tsx";

interface SendOptions {
  readonly done: string;
  readonly reload: () => Promise<void>;
  /** Incidents that the change resolves with a fix that is on record: one press may be a mistake. */
  readonly undone?: readonly Named[] | undefined;
}

/** Opens incidents again that were resolved by mistake. */
function undoOf({ undone, reload }: SendOptions): (() => Promise<void>) | undefined {
  if (undone === undefined || undone.length === 0) return undefined;
  const reopen = ({ id }: Named) =>
    api.POST("/v1/incidents/{id}/reopen", { params: { path: { id } }, body: { mistake: true } });
  return async () => showFailure(await changeAll(undone, reopen, { done: "Reopened", reload }));
}

/** The database is unavailable, and a queue keeps the change. */
const isPending = (response: Response) => response.status === 202;
const PENDING = "Accepted. It is stored when the database is available again.";

/** @returns the failure, which the caller shows in place; null if it worked */
export async function send(request: Promise<Reply<unknown>>, options: SendOptions): Promise<Failure | null> {
  const result = await settle(request);
  if (!result.ok) return result.failure;
  if (isPending(result.response)) showToast(PENDING);
  else showToast(options.done, { undo: undoOf(options) });
  await options.reload();
  return null;
}

/** As `send`, for a button without a form: a failure is a toast. */
export async function sendAtOnce(request: Promise<Reply<unknown>>, options: SendOptions): Promise<void> {
  showFailure(await send(request, options));
}

export function showFailure(failure: Failure | null): void {
  if (failure !== null) showToast(`${failure.title}. ${failure.detail}`, { isFailure: true });
}

/** Resolves an incident with a fix of a past one. */
export async function resolveAsBefore(
  incident: Named,
  fix: { readonly id: string; readonly text: string },
  reload: () => Promise<void>,
): Promise<void> {
  const params = { path: { id: incident.id } };
  const request = api.POST("/v1/incidents/{id}/resolve", { params, body: { fix_id: fix.id } });
  const done = `Resolved as before: ${displayText(fix.text).replaceAll("`", "")}`;
  await sendAtOnce(request, { done, reload, undone: [incident] });
}

interface Named {
  readonly id: string;
  readonly title: string;
}

/** Such as `12 incidents`; `the incident` for one. */
export function namedCount(incidents: readonly Named[]): string {
  return incidents.length === 1 ? "the incident" : `${incidents.length} incidents`;
}

/**
 * Changes several incidents, one after the other: they may share one failure record, which each of them changes. Says why
 * some cannot be changed.
 * @param options `done` such as `Resolved`
 */
export async function changeAll<T extends Named>(
  incidents: readonly T[],
  change: (incident: T) => Promise<Reply<unknown>>,
  options: SendOptions,
): Promise<Failure | null> {
  const { done } = options;
  const failures: string[] = [];
  const [pending, stored]: [T[], T[]] = [[], []];
  for (const incident of incidents) {
    const result = await settle(change(incident));
    if (!result.ok) failures.push(`${displayText(incident.title)}: ${result.failure.detail}`);
    else (isPending(result.response) ? pending : stored).push(incident);
  }
  await options.reload();
  if (pending.length > 0) showToast(PENDING);
  if (stored.length > 0 || incidents.length === 0) {
    const undone = options.undone?.filter(({ id }) => stored.some((each) => each.id === id));
    const some = `${stored.length} of ${incidents.length} incidents`;
    showToast(`${done} ${stored.length < incidents.length ? some : namedCount(incidents)}.`, {
      undo: undoOf({ ...options, undone }),
    });
  }
  if (failures.length === 0) return null;
  const title = `${failures.length} of ${incidents.length} are not ${done.toLowerCase()}`;
  return { status: null, title, detail: failures.slice(0, 3).join(" "), problem: null };
}
