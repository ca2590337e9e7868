// Sentences of an answer: text from elsewhere, in which only code spans are marked up.

import type { Item } from "../../../../../functions/answer-view/answer-view.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";

export function Prose({ text }: { readonly text: string }) {
  // A figure and its sign stay on one line. The odd parts stand between backticks.
  const parts = displayText(text)
    .replace(/(\d) %/g, "$1\u00a0%")
    .split(/`([^`\n]+)`/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

/** Such as "no source says this". */
export function Note({ text }: { readonly text: string | null }) {
  return text === null ? null : <p class="warn">⚠ {capital(text)}.</p>;
}

export function wordsOf({ text }: Pick<Item, "text">): string {
  return text.map((part) => part.text).join("");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
