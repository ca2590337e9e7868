// A command, a query or lines of a log as they are, with a button that copies them.

import { displayText } from "../../../lib/text/display-text.ts";
import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  readonly text: string;
  /** What it is, for screen readers, such as `command`. */
  readonly name: string;
  readonly canCopy?: boolean;
}

export function CodeBlock({ text, name, canCopy = true }: CodeBlockProps) {
  const shown = displayText(text);
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long word scrolls, also by the keyboard. */}
      <pre tabIndex={0}>
        <code>{shown}</code>
      </pre>
      {canCopy && <CopyButton text={shown} name={name} />}
    </div>
  );
}
