// A command, a query or lines of a log as they are, with a button that copies them.

import { displayText } from "../../../lib/text/display-text.ts";
import { CopyButton } from "./copy-button.tsx";
import "./code-block.css";

interface CodeBlockProps {
  readonly text: string;
  /** What it is, for screen readers, such as `command`. */
  readonly name: string;
}

export function CodeBlock({ text, name }: CodeBlockProps) {
  const shown = displayText(text);
  return (
    <pre class="code-block">
      <CopyButton text={shown} name={name} />
      <code>{shown}</code>
    </pre>
  );
}
