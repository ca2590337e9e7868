// Which steps of an answer are done. Everybody who works on the incident shares it.

import { useSignal } from "@preact/signals";
import type { Item } from "../../../../../functions/answer-view/answer-view.ts";
import { withPlaceholders } from "../../../../../functions/answer-view/placeholders.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { showToast } from "../../../components/toast.tsx";
import { can } from "../../../session/session.ts";
import type { IncidentDetail } from "./model/incident.ts";
import { wordsOf } from "./prose.tsx";

export interface Tick {
  readonly isDone: boolean;
  /** Null where nobody has ticked it, and where the state cannot be kept, as for an incident that is not stored. */
  readonly done: { readonly by: string | null; readonly at: string | null } | null;
  /** Null where the session may not, or the state cannot be kept. */
  readonly tick: ((done: boolean) => void) | null;
}

export type TickOf = (item: Item) => Tick;

export function useTicks(
  { id, steps }: IncidentDetail,
  placeholders: TriageResult["placeholders"],
  reload: () => Promise<void>,
): TickOf {
  /** Clicks that the server has not answered yet, by key. */
  const pending = useSignal<Readonly<Record<string, boolean>>>({});
  const states = new Map(
    steps.map((step) => [identity(step.text, withPlaceholders(step.command ?? "", placeholders)), step]),
  );
  const save = async (key: string, done: boolean) => {
    pending.value = { ...pending.value, [key]: done };
    const request = { params: { path: { id, key } }, body: { done } };
    const saved = await settle(api.PUT("/v1/incidents/{id}/steps/{key}", request));
    if (saved.ok) await reload();
    else showToast(`The step is not saved. ${saved.failure.detail}`, { isFailure: true });
    const { [key]: _, ...others } = pending.value;
    pending.value = others;
  };
  return (item) => {
    const state = states.get(identity(wordsOf(item), item.command ?? ""));
    if (state === undefined) return { isDone: false, done: null, tick: null };
    return {
      isDone: pending.value[state.key] ?? state.done,
      done: state.done ? state : null,
      tick: can("feedback") ? (done) => void save(state.key, done) : null,
    };
  };
}

/** Equal for steps with the same text and command, whatever their spacing. */
function identity(text: string, command: string): string {
  return JSON.stringify([text, command].map((part) => part.replace(/\s+/g, " ").trim()));
}
