// Opens the command palette, which is loaded on first use: Ctrl+K (on a Mac, ⌘K), also while somebody types.

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import lazy, { ErrorBoundary } from "preact-iso/lazy";

const PaletteDialog = lazy(() => import("./palette-dialog.tsx").then((dialog) => dialog.PaletteDialog));
const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

export function Palette() {
  // Before the page is painted: whoever sees it may press the keys.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      // Browsers search the web with it.
      event.preventDefault();
      // Another dialog keeps its page.
      if (document.querySelector("dialog[open]") === null) openPalette();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  if (!isOpen.value) return null;
  return (
    <ErrorBoundary>
      <PaletteDialog close={() => (isOpen.value = false)} />
    </ErrorBoundary>
  );
}
