// The state of the view Ask: the text, the run in progress and how it ended.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { Failure } from "../../api/failure.ts";
import { followTriage, NO_PROGRESS, type Progress } from "../../api/follow-triage.ts";
import { consolePath } from "../../format/console-path.ts";
import { can } from "../../session/session.ts";
import { fitText, readFile } from "./read-file.ts";

/** What somebody typed survives a failure, a look at another view and a reload; a text without room in the tab does not. */
const KEYS = { text: "dejavu.ask.text", target: "dejavu.ask.target" } as const;
const keep = (name: keyof typeof KEYS, value: string) => {
  try {
    sessionStorage.setItem(KEYS[name], value);
  } catch {
    sessionStorage.removeItem(KEYS[name]);
  }
};

export type AskState = ReturnType<typeof useAsk>;

export function useAsk() {
  const { route } = useLocation();
  const text = useSignal(sessionStorage.getItem(KEYS.text) ?? "");
  const target = useSignal(sessionStorage.getItem(KEYS.target) ?? "");
  /** What was left out of a long log. */
  const note = useSignal<string | null>(null);
  /** What is wrong with the text. */
  const error = useSignal<string | undefined>(undefined);
  const failure = useSignal<Failure | null>(null);
  /** Null while nothing runs. */
  const progress = useSignal<Progress | null>(null);
  /** The incident of an answer that the session may not read. */
  const answeredId = useSignal<string | null>(null);
  const running = useRef<AbortController>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);

  const set = (next: string, left: string | null) => {
    keep("text", next);
    text.value = next;
    error.value = undefined;
    note.value = left;
  };
  const aim = (next: string) => {
    keep("target", next);
    target.value = next;
  };
  /** A question that is there already stays above its log. */
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      const log = await readFile(file);
      set(text.value.trim() === "" ? log.text : `${text.value.trimEnd()}\n${log.text}`, log.note);
    } catch (reason) {
      error.value = reason instanceof Error ? reason.message : "The file cannot be read.";
    }
  };
  const send = async () => {
    if (progress.value !== null) return;
    if (text.value.trim() === "") {
      error.value = "Paste or type something first.";
      return;
    }
    failure.value = null;
    answeredId.value = null;
    running.current = new AbortController();
    const { signal } = running.current;
    progress.value = NO_PROGRESS;
    // Its file may be missing until the page is loaded again: the API says whether the text is too long.
    const fitted = await fitText(text.value).catch(() => ({ text: text.value, note: null }));
    note.value = fitted.note ?? note.value;
    const place = target.value.trim();
    const end = await followTriage(
      { text: fitted.text, ...(place !== "" && { target: place }) },
      { signal, onProgress: (present) => (progress.value = present) },
    );
    progress.value = null;
    if (end.state === "failed") failure.value = end.failure;
    if (end.state !== "answered") return;
    set("", null);
    aim("");
    const { incident_id: id } = end.result;
    if (can("read")) route(consolePath(`/incidents/${id}`));
    else answeredId.value = id;
  };
  return { text, target, note, error, failure, progress, answeredId, write: set, aim, take, send, stop };
}
