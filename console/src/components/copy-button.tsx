// Copies a text, and says so.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "./button.tsx";

const SHOWN_MS = 2_000;

/** @param name what is copied, for screen readers: "Copy <name>" */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  const outcome = useSignal<"" | "Copied" | "Not copied">("");
  useEffect(() => {
    if (outcome.value === "") return;
    const timer = setTimeout(() => (outcome.value = ""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome.value]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.value = "Copied";
    } catch {
      // Without https or without the permission there is no clipboard.
      outcome.value = "Not copied";
    }
  };
  return (
    <Button size="small" aria-label={`${outcome.value || "Copy"} ${name}`} onClick={copy}>
      <span aria-live="polite">{outcome.value || "Copy"}</span>
    </Button>
  );
}
