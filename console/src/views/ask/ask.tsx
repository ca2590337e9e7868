// The view Ask: one box for an error, a question or a log. The answer appears while it is written.

import { useLayoutEffect, useRef } from "preact/hooks";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Progress } from "../../api/follow-triage.ts";
import { Button } from "../../components/button.tsx";
import { Field, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { FailedState } from "../../components/states.tsx";
import { type AskState, useAsk } from "./use-ask.ts";
import "./ask.css";

export function Ask() {
  const ask = useAsk();
  const { failure, progress, answeredId, send } = ask;
  return (
    <Page title="Ask">
      <AskForm ask={ask} />
      {failure.value !== null && <FailedState failure={failure.value} name="an answer" retry={send} />}
      {answeredId.value !== null && (
        <p role="status">
          The answer is stored as incident <code>{answeredId.value}</code>. Your token may not read incidents.
        </p>
      )}
      {progress.value !== null && <Answering progress={progress.value} />}
    </Page>
  );
}

function AskForm({ ask }: { readonly ask: AskState }) {
  const { target, note, progress, aim, take, send, stop } = ask;
  const isRunning = progress.value !== null;
  return (
    <form
      class="stack-4"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      <TextBox ask={ask} />
      {note.value !== null && (
        <p class="note" role="status">
          {note.value}
        </p>
      )}
      <div class="stack-4 pair">
        <TextField
          label="Target (optional)"
          hint="The affected service, host or object."
          maxLength={256}
          value={target.value}
          set={aim}
        />
        <FileInput take={take} />
      </div>
      <div class="line">
        <Button kind="primary" type="submit" isBusy={isRunning}>
          Ask
        </Button>
        {isRunning && <Button onClick={stop}>Stop</Button>}
      </div>
    </form>
  );
}

function TextBox({ ask: { text, error, progress, write, send } }: { readonly ask: AskState }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // The page may begin here.
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <Field
      label="What happens?"
      hint="An error, a question or a log: paste it, or drop a file. Ctrl+Enter sends it."
      error={error.value}
    >
      <textarea
        ref={field}
        data-focus-first
        class="ask-text"
        rows={10}
        value={text.value}
        readOnly={progress.value !== null}
        spellcheck={false}
        placeholder={
          "Such as: checkout is slow since 3 a.m.\n2026-03-01T02:59:59Z ERROR connection to ledger-db refused"
        }
        onInput={({ currentTarget }) => write(currentTarget.value, null)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
    </Field>
  );
}

function FileInput({ take }: { readonly take: (file: File | undefined) => Promise<void> }) {
  return (
    <Field label="Log file" hint="Of a long log, the start, the end and the error lines are sent.">
      <input
        type="file"
        onChange={async ({ currentTarget }) => {
          await take(currentTarget.files?.[0]);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
    </Field>
  );
}

/** The steps so far, and the draft as far as it is written. */
function Answering({ progress: { steps, texts } }: { readonly progress: Progress }) {
  return (
    <section class="card" aria-label="Progress">
      <div role="status">
        <ol class="bullets ask-steps">
          {steps.map((step, index) => (
            <li key={step} class={index === steps.length - 1 ? "ask-step-current" : undefined}>
              {step}
            </li>
          ))}
        </ol>
      </div>
      {texts.size > 0 && (
        <div class="stack-4 ask-draft">
          {[...texts].map(([path, text]) =>
            path.endsWith("command") ? (
              <pre key={path}>
                <code>{displayText(text)}</code>
              </pre>
            ) : (
              <p key={path}>{displayText(text)}</p>
            ),
          )}
        </div>
      )}
    </section>
  );
}
