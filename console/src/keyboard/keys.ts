// Keys of the page: one listener, and each view adds its own while it is shown. Not active while somebody types.

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Key {
  /** One key as in `KeyboardEvent.key`, or two after each other, such as `g i`. */
  readonly keys: string;
  /** What it does, for the list of keys. */
  readonly name: string;
  readonly run: () => void;
}

/** The keys of everything that is shown, by component. */
const groups = signal<readonly { readonly id: symbol; readonly keys: readonly Key[] }[]>([]);
const SEQUENCE_MS = 3_000;

export function currentKeys(): readonly Key[] {
  return groups.value.flatMap(({ keys }) => keys);
}

/** Adds keys while the component is shown. Later components win over earlier ones. */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map(({ keys, name }) => `${keys} ${name}`).join("\n");
  // With the content, not after its first paint: a key that is pressed at once must not be lost.
  useLayoutEffect(() => {
    const id = Symbol("keys");
    const stable = latest.current.map(({ keys, name }, index) => ({
      keys,
      name,
      run: () => latest.current[index]?.run(),
    }));
    groups.value = [...groups.value, { id, keys: stable }];
    return () => {
      groups.value = groups.value.filter((group) => group.id !== id);
    };
  }, [names]);
}

/** Starts to listen; the returned function stops it. */
export function listenToKeys(): () => void {
  let first: { readonly key: string; readonly at: number } | null = null;
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
    const isSecond = first !== null && event.timeStamp - first.at < SEQUENCE_MS;
    const pressed = isSecond ? `${first?.key} ${event.key}` : event.key;
    first = null;
    const keys = currentKeys();
    const match = keys.findLast(({ keys }) => keys === pressed);
    if (match !== undefined) {
      event.preventDefault();
      match.run();
    } else if (keys.some(({ keys }) => keys.startsWith(`${event.key} `))) {
      first = { key: event.key, at: event.timeStamp };
    }
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

/** Enter and Space also belong to the focused button or link. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (document.querySelector("dialog[open]") !== null && key !== "?") return true;
  if (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return (key === "Enter" || key === " ") && target.closest("a, button, summary") !== null;
}
