// A library that is fetched on first use.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The module; null until it is there, `"failed"` if its file did not arrive: the connection broke, or Dejavu was updated. */
export function useLoaded<Module extends object>(load: () => Promise<Module>): Module | "failed" | null {
  const module = useSignal<Module | "failed" | null>(null);
  useEffect(() => {
    load().then(
      (loaded) => {
        module.value = loaded;
      },
      () => {
        module.value = "failed";
      },
    );
  }, []);
  return module.value;
}
