// The error lines in their log, marked; the whole log on demand.

import { useSignal } from "@preact/signals";
import type { Evidence } from "../../../../../functions/schemas/answer.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { Button } from "../../../components/button.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Section } from "../../../components/page.tsx";
import { type LogLine, type LogPart, logLines, logWindows } from "./model/log-windows.ts";
import { Prose } from "./prose.tsx";

interface LogSectionProps {
  readonly logs: string | null;
  readonly evidence: readonly Evidence[];
  /** Of the incident: a quote of it needs no line of its own. */
  readonly title: string;
  /** The marked lines show that the system works. */
  readonly isHealthy?: boolean;
}

/** Lines that are added at once: a large log must not stall a phone. */
const LINES_AT_ONCE = 1_000;
/** A log of so many lines is shown whole. */
const SHORT_LOG = 12;

export function LogSection({ logs, evidence, title, isHealthy = false }: LogSectionProps) {
  const statements = evidence.filter(({ place, quote }) => place === null && quote !== title);
  const lines = logs === null ? [] : logLines(logs, evidence, isHealthy);
  if (lines.length === 0 && statements.length === 0) return null;
  return (
    <Section title="In the report">
      {statements.length > 0 && (
        <ul class="bullets">
          {statements.map(({ quote, text }) => (
            <li key={`${quote} ${text}`}>
              {quote !== null && <code>“{displayText(quote)}”</code>} <Prose text={text} />
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && <Log lines={lines} logs={logs ?? ""} isHealthy={isHealthy} />}
    </Section>
  );
}

interface LogProps extends Required<Pick<LogSectionProps, "isHealthy">> {
  readonly lines: readonly LogLine[];
  readonly logs: string;
}

function Log({ lines, logs, isHealthy }: LogProps) {
  /** Lines of the whole log that are shown; 0: only those around the marked ones. */
  const limit = useSignal(0);
  const windows = logWindows(lines);
  const marked = lines.filter(({ count }) => count !== null).length;
  const isShort = lines.length <= SHORT_LOG;
  const isWhole = limit.value > 0 || isShort || marked === 0;
  const end = isShort ? SHORT_LOG : limit.value || SHORT_LOG;
  const parts: readonly LogPart[] = isWhole ? [{ kind: "lines", lines: lines.slice(0, end) }] : windows;
  const hidden = isWhole ? Math.max(0, lines.length - end) : 0;
  return (
    <>
      <p class="note">{sumOf(lines.length, marked, isHealthy)}</p>
      {/* A scrolling region needs the focus, so that the keyboard can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <section class={`rows answer-log tone-${isHealthy ? "info" : "bad"}`} aria-label="Log" tabIndex={0}>
        {parts.map((part, i) =>
          part.kind === "gap" ? (
            <p key={i} class="answer-log-gap">
              ⋯ {part.count} lines
            </p>
          ) : (
            <ol key={i} class="rows-plain">
              {part.lines.map((line) => (
                <Line key={line.number} line={line} />
              ))}
            </ol>
          ),
        )}
      </section>
      <div class="line">
        {!isWhole && <Button onClick={() => (limit.value = LINES_AT_ONCE)}>Show the whole log</Button>}
        {hidden > 0 && (
          <Button onClick={() => (limit.value = end + LINES_AT_ONCE)}>
            Show {Math.min(hidden, LINES_AT_ONCE)} more of {hidden} lines
          </Button>
        )}
        {limit.value > 0 && marked > 0 && <Button onClick={() => (limit.value = 0)}>Show only the marked lines</Button>}
        <CopyButton text={displayText(logs)} name="the whole log" />
      </div>
    </>
  );
}

function sumOf(lines: number, marked: number, isHealthy: boolean): string {
  const total = lines === 1 ? "1 line" : `${lines} lines`;
  if (marked === 0) return `${total}.`;
  const subject = isHealthy ? "the state of the system" : "the failure";
  return `${total}. ▶ marks ${marked === 1 ? "the one that shows" : `the ${marked} that show`} ${subject}.`;
}

function Line({ line: { number, text, count } }: { readonly line: LogLine }) {
  const isMarked = count !== null;
  return (
    <li class={isMarked ? "answer-log-line answer-log-marked" : "answer-log-line"} value={number}>
      <span class="answer-log-number" aria-hidden="true">
        {isMarked ? "▶ " : ""}
        {number}
      </span>
      <code>
        {isMarked && <span class="visually-hidden">Marked: </span>}
        {displayText(text) || " "}
        {count !== null && count > 1 && <span class="answer-log-count"> {count} such lines</span>}
      </code>
    </li>
  );
}
