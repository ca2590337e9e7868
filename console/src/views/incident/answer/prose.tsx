// Sentences of an answer: text from elsewhere, in which only code spans are marked up.

import { displayText } from "../../../../../lib/text/display-text.ts";

export function Prose({ text }: { readonly text: string }) {
  // The odd parts stand between backticks.
  const parts = displayText(text).split(/`([^`\n]+)`/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}
