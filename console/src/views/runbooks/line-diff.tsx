// What changed between two texts, line by line. The package that compares them is loaded on first use.

import type { ChangeObject } from "diff";
import { useMemo } from "preact/hooks";
import { displayText } from "../../../../lib/text/display-text.ts";
import { Skeleton } from "../../components/states.tsx";
import { useLoaded } from "../../components/use-loaded.ts";
import "./line-diff.css";

interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "skipped";
  readonly text: string;
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;
const SIGNS = { added: "+", removed: "−", same: " ", skipped: "…" } as const;
const NAMES = { added: "added: ", removed: "removed: ", same: "", skipped: "" } as const;

/** The whole text if nothing changed. */
export function LineDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const diff = useLoaded(() => import("diff"));
  const lines = useMemo(
    () => (diff === null || diff === "failed" ? [] : diffLinesOf(diff.diffLines(before, after), before !== after)),
    [diff, before, after],
  );
  if (diff === null) return <Skeleton name="the change" />;
  if (diff === "failed") return <p>The change did not load. Reload the page.</p>;
  return (
    <ol class="rows runbooks-diff">
      {lines.map(({ kind, text }, index) => (
        <li key={index} class={`runbooks-diff-${kind}`}>
          <span class="runbooks-diff-sign" aria-hidden="true">
            {SIGNS[kind]}
          </span>
          <code>
            <span class="visually-hidden">{NAMES[kind]}</span>
            {displayText(text)}
          </code>
        </li>
      ))}
    </ol>
  );
}

function diffLinesOf(changes: readonly ChangeObject<string>[], isShort: boolean): DiffLine[] {
  const lines = changes.flatMap(({ added, removed, value }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): DiffLine => ({ kind, text }));
  });
  return isShort ? withoutFarLines(lines) : lines;
}

/** Replaces unchanged lines far from a change by one line that counts them. */
function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const changed = lines.flatMap(({ kind }, index) => (kind === "same" ? [] : [index]));
  const near = new Set(changed.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, i) => at - CONTEXT + i)));
  const shown: DiffLine[] = [];
  let skipped = 0;
  const close = () => {
    if (skipped > 0) shown.push({ kind: "skipped", text: `${skipped} unchanged lines` });
    skipped = 0;
  };
  lines.forEach((line, index) => {
    if (!near.has(index)) {
      skipped += 1;
      return;
    }
    close();
    shown.push(line);
  });
  close();
  return shown;
}
