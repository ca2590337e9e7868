// Tasks that outlive the request, queue message or job that started them.

/** Lets a task outlive the request that started it. */
export type RunInBackground = (task: Promise<unknown>) => void;

/** A rejected task is a bug. It is logged here, because the platform would print its message, which may hold content. */
export function createRunInBackground(
  log: (level: "error", event: string, fields: { readonly error: Error | string }) => void,
  waitUntil: RunInBackground,
): RunInBackground {
  return (task) =>
    waitUntil(
      task.catch((error: unknown) => {
        log("error", "background.failed", { error: error instanceof Error ? error : "unknown" });
      }),
    );
}
