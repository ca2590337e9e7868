// The state of the view Ask: the text, the run in progress and how it ended.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { Failure } from "../../api/failure.ts";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { followTriage, type TriageEnd } from "./follow-triage.ts";
import { NO_PROGRESS, type Progress, withEvent } from "./progress.ts";
import { fitText, readFile } from "./read-file.ts";

/** What somebody typed: it survives a failure, and a look at another view. */
const draft = { text: "", target: "" };

export interface AskState {
  readonly text: Signal<string>;
  readonly target: Signal<string>;
  /** What was left out of a long log. */
  readonly note: Signal<string | null>;
  /** What is wrong with the text. */
  readonly error: Signal<string | undefined>;
  readonly failure: Signal<Failure | null>;
  /** Null while nothing runs. */
  readonly progress: Signal<Progress | null>;
  /** The incident of an answer that the session may not read. */
  readonly answeredId: Signal<string | null>;
  write(text: string): void;
  aim(target: string): void;
  take(file: File | undefined): Promise<void>;
  send(): Promise<void>;
  stop(): void;
}

export function useAsk(): AskState {
  const { route } = useLocation();
  const signals = useAskSignals();
  const { text, target, note, error, failure, progress, answeredId } = signals;
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);

  const set = (next: string, left: string | null) => {
    draft.text = next;
    text.value = next;
    error.value = undefined;
    note.value = left;
  };
  const aim = (next: string) => {
    draft.target = next;
    target.value = next;
  };
  const take = (file: File | undefined) => takeFile(file, { text, error, set });
  const end = (result: TriageEnd) => {
    progress.value = null;
    if (result.state === "failed") failure.value = result.failure;
    if (result.state !== "answered") return;
    set("", null);
    aim("");
    if (can("read")) route(consolePath(`/incidents/${result.result.incident_id}`));
    else answeredId.value = result.result.incident_id;
  };
  const send = async () => {
    if (progress.value !== null) return;
    if (text.value.trim() === "") {
      error.value = "Paste or type something first.";
      return;
    }
    failure.value = null;
    answeredId.value = null;
    progress.value = NO_PROGRESS;
    running.current = new AbortController();
    const { signal } = running.current;
    const fitted = await fitText(text.value);
    note.value = fitted.note ?? note.value;
    const onEvent: Parameters<typeof followTriage>[1]["onEvent"] = (event) => {
      progress.value = withEvent(progress.value ?? NO_PROGRESS, event);
    };
    end(await followTriage({ text: fitted.text, target: target.value.trim() || null }, { signal, onEvent }));
  };
  return { ...signals, write: (next) => set(next, null), aim, take, send, stop };
}

function useAskSignals() {
  const text = useSignal(draft.text);
  const target = useSignal(draft.target);
  const note = useSignal<string | null>(null);
  const error = useSignal<string | undefined>(undefined);
  const failure = useSignal<Failure | null>(null);
  const progress = useSignal<Progress | null>(null);
  const answeredId = useSignal<string | null>(null);
  return { text, target, note, error, failure, progress, answeredId };
}

interface Box {
  readonly text: Signal<string>;
  readonly error: Signal<string | undefined>;
  readonly set: (text: string, note: string | null) => void;
}

/** A question that is there already stays above its log. */
async function takeFile(file: File | undefined, { text, error, set }: Box): Promise<void> {
  if (file === undefined) return;
  try {
    const log = await readFile(file);
    set(text.value.trim() === "" ? log.text : `${text.value.trimEnd()}\n${log.text}`, log.note);
  } catch (reason) {
    error.value = reason instanceof Error ? reason.message : "The file cannot be read.";
  }
}
