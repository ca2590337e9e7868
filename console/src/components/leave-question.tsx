// Asks before a link, a key or the back button leads away from unsaved changes.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface LeaveQuestionProps {
  readonly isDirty: boolean;
  /** Called before the page is left without the changes; null if they are lost anyway. */
  readonly onDiscard: (() => void) | null;
}

export function LeaveQuestion({ isDirty, onDiscard }: LeaveQuestionProps) {
  const { route } = useLocation();
  const target = useSignal<string | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: MouseEvent) => {
      const href = linkOf(event);
      if (href === null) return;
      event.preventDefault();
      event.stopPropagation();
      // That of the link: it would stand above the next page.
      (event.target as Element).closest("dialog")?.requestClose();
      target.value = href;
    };
    const askOfHistory = (event: NavigateEvent) => {
      // Of a page outside the console, the browser asks by itself.
      if (event.navigationType !== "traverse" || !event.cancelable || !event.destination.sameDocument) return;
      event.preventDefault();
      target.value = event.destination.url.replace(location.origin, "");
    };
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    // Before the router, which listens on the window.
    document.addEventListener("click", ask, true);
    addEventListener("beforeunload", warn);
    // Some browsers lack it.
    globalThis.navigation?.addEventListener("navigate", askOfHistory);
    return () => {
      document.removeEventListener("click", ask, true);
      removeEventListener("beforeunload", warn);
      globalThis.navigation?.removeEventListener("navigate", askOfHistory);
    };
  }, [isDirty]);
  const leave = () => {
    const href = target.value;
    target.value = null;
    if (href !== null) route(href);
  };
  if (target.value === null) return null;
  return (
    <Dialog title="Leave with unsaved changes?" onClose={() => (target.value = null)}>
      <p>The changes are not stored yet.{onDiscard !== null && " If you keep them, they wait in this tab."}</p>
      <div class="dialog-actions">
        <Button kind="primary" onClick={() => (target.value = null)}>
          Stay
        </Button>
        {onDiscard !== null && <Button onClick={leave}>Leave and keep them</Button>}
        <Button
          kind="danger"
          onClick={() => {
            onDiscard?.();
            leave();
          }}
        >
          Discard them
        </Button>
      </div>
    </Dialog>
  );
}

/** The page of the console that a click leads to in this tab. */
function linkOf(event: MouseEvent): string | null {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.origin !== location.origin || link.target !== "" || link.hash !== "") return null;
  return link.pathname + link.search;
}
