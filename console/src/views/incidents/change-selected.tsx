// The dialogs that change the selected incidents at once, and their acknowledgement.

import { useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useGet } from "../../api/use-request.ts";
import { fixesOf } from "../incident/record/model/past-fixes.ts";
import { ResolveDialog } from "../incident/record/resolve-dialog.tsx";
import { changeAll, showFailure } from "../incident/record/send.ts";
import type { Row } from "./rows.ts";

interface SelectedProps {
  readonly incidents: readonly Row[];
  readonly reload: () => Promise<void>;
  readonly close: () => void;
}

/** Incidents of one failure may have the same fix as before: one with a fix of its own offers it, else the first what its answer found. */
export function ResolveSelected({ incidents, ...dialog }: SelectedProps) {
  const isOneFailure = new Set(incidents.map(({ failure_id }) => failure_id)).size === 1;
  // Of those that were selected at first: some may be resolved while others are not.
  const sample = useRef(
    isOneFailure ? (incidents.find(({ has_fix }) => has_fix) ?? incidents[0])?.id : undefined,
  ).current;
  const props = { incidents, ...dialog };
  return sample === undefined ? <ResolveDialog {...props} fixes={[]} /> : <WithFixes {...props} id={sample} />;
}

function WithFixes({ id, ...props }: Omit<Parameters<typeof ResolveDialog>[0], "fixes"> & { readonly id: string }) {
  const state = useGet("/v1/incidents/{id}", { path: { id } }).state.value;
  if (state.status === "loading") return null;
  return <ResolveDialog {...props} fixes={state.status === "ready" ? fixesOf(state.data) : []} />;
}

/** Those that somebody has are left alone. */
export async function acknowledgeAll(rows: readonly Row[], reload: () => Promise<void>): Promise<void> {
  const free = rows.filter(({ acknowledged_by }) => acknowledged_by === null);
  const body = { acknowledged: true };
  const acknowledge = ({ id }: Row) => api.PATCH("/v1/incidents/{id}", { params: { path: { id } }, body });
  showFailure(await changeAll(free, acknowledge, { done: "Acknowledged", reload }));
}
