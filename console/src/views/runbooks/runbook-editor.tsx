// Edits Markdown beside its preview and what Dejavu reads in it, while it is typed.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Failure } from "../../api/failure.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { LeaveQuestion } from "../../components/leave-question.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { FailedState } from "../../components/states.tsx";
import { showToast } from "../../components/toast.tsx";
import { keepDraft, readDraft } from "./draft-store.ts";
import { putRunbook, type RunbookName, withoutFrontMatter } from "./runbook-name.ts";
import { TextInspection } from "./text-inspection.tsx";
import { useSettled } from "./use-settled.ts";

interface Stored {
  readonly markdown: string;
  /** Null for a new runbook. */
  readonly etag: string | null;
}

interface RunbookEditorProps {
  readonly name: RunbookName;
  /** The text to begin with, and the version that it is of. */
  readonly stored: Stored;
  /** Key of the draft; the name by default. */
  readonly draftKey?: string;
  /** Why it cannot be stored yet, such as a missing name. */
  readonly missing?: string | null;
  readonly onSaved: () => void | Promise<void>;
  /** Loads the stored text again, after somebody else changed it. */
  readonly reload?: () => Promise<void>;
  /** Above the text. */
  readonly children?: ComponentChildren;
  readonly onText?: (markdown: string) => void;
}

const PREVIEW_AFTER_MS = 250;

export function forgetDraft({ domain, source }: RunbookName): void {
  keepDraft(`${domain}/${source}`, null);
}

export function RunbookEditor(props: RunbookEditorProps) {
  const { name, missing = null, children } = props;
  const { text, isRestored, isDirty, isBusy, failure, write, discard, forget, save, takeStored } = useEditing(props);
  const shown = useSettled(text, PREVIEW_AFTER_MS);
  const saveIfPossible = () => {
    if (missing === null && isDirty) void save();
  };

  return (
    <form
      class="stack-4"
      onSubmit={(event) => {
        event.preventDefault();
        saveIfPossible();
      }}
      onKeyDown={(event) => {
        if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        saveIfPossible();
      }}
    >
      {children}
      {failure !== null && <NotStored failure={failure} takeStored={takeStored} />}
      {isRestored && <p class="stale">These are your changes from before. They are not saved yet.</p>}
      <Panes text={text} shown={withoutFrontMatter(shown)} onText={write} />
      <TextInspection text={shown} source={name.source} />
      <div class="line save-bar">
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={missing !== null || !isDirty}>
          Save
        </Button>
        <Button disabled={!isDirty || isBusy} onClick={discard}>
          Discard changes
        </Button>
        <span class="note" role="status">
          {missing ?? (isDirty ? "Not saved yet" : "No changes")}
        </span>
      </div>
      <LeaveQuestion isDirty={isDirty} onDiscard={forget} />
    </form>
  );
}

interface PanesProps {
  readonly text: string;
  /** The Markdown of the preview. */
  readonly shown: string;
  readonly onText: (markdown: string) => void;
}

function Panes({ text, shown, onText }: PanesProps) {
  return (
    <div class="stack-4 runbooks-panes">
      <Field label="Markdown">
        <textarea
          class="runbooks-text"
          spellcheck={false}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </Field>
      <section class="card runbooks-preview" aria-label="Preview">
        <Markdown text={shown.trim() === "" ? "*Nothing to show yet.*" : shown} level={1} />
      </section>
    </div>
  );
}

/** The text that is being written, kept as a draft until it is stored. */
function useEditing(props: RunbookEditorProps) {
  const { name, stored, onSaved, onText, reload } = props;
  const key = props.draftKey ?? `${name.domain}/${name.source}`;
  const kept = useRef(readDraft(key)).current;
  const text = useSignal(kept?.markdown ?? stored.markdown);
  const base = useSignal(kept?.etag ?? stored.etag);
  const failure = useSignal<Failure | null>(null);
  const isBusy = useSignal(false);
  const isDirty = text.value !== stored.markdown;

  const forget = () => keepDraft(key, null);
  const write = (markdown: string) => {
    text.value = markdown;
    keepDraft(key, markdown === stored.markdown ? null : { markdown, etag: base.value });
    onText?.(markdown);
  };
  const discard = () => {
    base.value = stored.etag;
    failure.value = null;
    write(stored.markdown);
  };
  const save = async () => {
    isBusy.value = true;
    failure.value = null;
    const result = await putRunbook(name, text.value, base.value);
    isBusy.value = false;
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    forget();
    showToast("Saved. The next answer uses it.");
    await onSaved();
  };
  const takeStored =
    reload === undefined
      ? null
      : () => {
          discard();
          void reload();
        };
  return {
    text: text.value,
    isRestored: kept !== null && isDirty,
    isDirty,
    isBusy: isBusy.value,
    failure: failure.value,
    write,
    discard,
    forget,
    save,
    takeStored,
  };
}

interface NotStoredProps {
  readonly failure: Failure;
  /** Null for a new runbook. */
  readonly takeStored: (() => void) | null;
}

function NotStored({ failure, takeStored }: NotStoredProps) {
  if (failure.status !== 412 || takeStored === null) return <FailedState failure={failure} />;
  return (
    <div class="state state-failed" role="alert">
      <p class="state-title">Somebody else changed this runbook meanwhile</p>
      <p>
        Nothing was stored, and your text is still below. Copy it, take the stored text, and apply your change to it.
      </p>
      <Button onClick={takeStored}>Discard my text and take the stored one</Button>
    </div>
  );
}
