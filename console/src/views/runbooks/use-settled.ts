// Values that follow what is typed with a delay.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** The value after it has not changed for a while. */
export function useSettled<T>(value: T, ms: number): T {
  const settled = useSignal(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = value;
    }, ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled.value;
}

/** Calls `reload` when the value has changed, not for its first one. */
export function useReload<T>(value: T, reload: () => Promise<void>): void {
  const last = useRef(value);
  useEffect(() => {
    if (last.current === value) return;
    last.current = value;
    void reload();
  }, [value]);
}
