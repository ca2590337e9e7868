// The dialog that asks what fixed an incident, and its submission. Pure functions.

import { createHash } from "node:crypto";
import { checkbox, inputText, line, type Modal, modal, section, textInput } from "../../adapters/block-kit.ts";
import { FIX_DIALOG, type FixDialogData, type FixView } from "./payloads.ts";
import type { SuggestedFix } from "./suggested-fix.ts";

/** Characters of a fix that a person words; as short as "rebooted it". */
const MIN_FIX_LENGTH = 10;
/** Characters, and actions that did not help; the same limits as in the API. */
const MAX_TEXT_LENGTH = 4_000;
const MAX_DID_NOT_HELP = 10;

/** Labels of the box that confirms an unedited suggestion. */
const AS_SUGGESTED = {
  past_fix: "I applied this fix again, as it is written",
  step: "I did this step of the answer, as it is written",
} as const;

export interface FixDialogInput {
  /** Null while the incident could not be read. */
  readonly title: string | null;
  readonly suggestion: SuggestedFix | null;
  readonly place: Pick<FixDialogData, "triageId" | "incidentId" | "channel" | "responseUrl" | "thread">;
}

/**
 * The dialog. The suggestion is in the input, where the person edits it; unedited, it counts only with the box ticked.
 */
export function fixDialog({ title, suggestion, place }: FixDialogInput): Modal {
  const data: FixDialogData = {
    ...place,
    suggestion: suggestion && {
      digest: digestOf(suggestion.text),
      origin: suggestion.origin,
      fixId: suggestion.fixId,
    },
  };
  const texts = { title: "What fixed it?", submit: "Resolve", privateMetadata: JSON.stringify(data) };
  return modal(FIX_DIALOG, texts, [
    ...(title === null ? [] : [section(`*${line(title, 300)}*`)]),
    textInput(
      {
        id: "fix",
        label: "What fixed it?",
        hint: suggestion
          ? "Dejavu's suggestion: change it to what you did. The next answer to this failure shows it."
          : "The next answer to this failure shows it.",
        isOptional: false,
      },
      suggestion?.text,
    ),
    ...(suggestion === null
      ? []
      : [
          checkbox(
            {
              id: "as_suggested",
              label: "Only for an unchanged suggestion",
              hint: "If you changed the text, leave this open.",
              isOptional: true,
            },
            AS_SUGGESTED[suggestion.origin],
          ),
        ]),
    textInput({ id: "did_not_help", label: "What did not help?", hint: "One action a line.", isOptional: true }),
    textInput({
      id: "conditions",
      label: "When does it help?",
      hint: "Versions or conditions, such as: gateway before 4.2.",
      isOptional: true,
    }),
  ]);
}

/** A fix as a person confirmed it. */
export interface SubmittedFix {
  readonly text: string;
  /** The suggestion that the person confirmed unedited; null for a text of their own. */
  readonly asSuggested: Pick<SuggestedFix, "origin" | "fixId"> | null;
  readonly didNotHelp: readonly string[];
  readonly conditions: string | null;
}

export type ReadSubmission =
  | { readonly state: "valid"; readonly fix: SubmittedFix }
  /** Messages by the id of the input that they belong to. */
  | { readonly state: "invalid"; readonly errors: Readonly<Record<string, string>> };

export function readSubmission({ private_metadata, state }: FixView): ReadSubmission {
  const { suggestion } = private_metadata;
  const { fix, as_suggested, did_not_help, conditions } = state.values;
  const text = cleanText(fix.fix.value);
  const isUnedited = suggestion !== null && digestOf(text) === suggestion.digest;
  const isConfirmed =
    as_suggested?.as_suggested.selected_options.some(({ value }) => value === "as_suggested") ?? false;
  const actions = cleanText(did_not_help?.did_not_help.value)
    .split("\n")
    .map((action) => action.trim())
    .filter((action) => action !== "");
  const condition = cleanText(conditions?.conditions.value);
  const errors = {
    ...fixError(text, { isUnedited, isConfirmed }),
    ...(actions.length > MAX_DID_NOT_HELP ? { did_not_help: `Name at most ${MAX_DID_NOT_HELP} actions.` } : {}),
    ...(actions.some((action) => action.length > MAX_TEXT_LENGTH) ? { did_not_help: TOO_LONG } : {}),
    ...(condition.length > MAX_TEXT_LENGTH ? { conditions: TOO_LONG } : {}),
  };
  if (Object.keys(errors).length > 0) return { state: "invalid", errors };
  return {
    state: "valid",
    fix: {
      text,
      asSuggested: isUnedited ? { origin: suggestion.origin, fixId: suggestion.fixId } : null,
      didNotHelp: actions,
      conditions: condition === "" ? null : condition,
    },
  };
}

const TOO_LONG = `Use at most ${MAX_TEXT_LENGTH} characters.`;

function fixError(
  text: string,
  { isUnedited, isConfirmed }: { readonly isUnedited: boolean; readonly isConfirmed: boolean },
): { readonly fix?: string } {
  if (isUnedited) {
    const fix =
      "This is Dejavu's suggestion. Change it to what you did, or tick the box below if you did exactly this.";
    return isConfirmed ? {} : { fix };
  }
  if (text.length < MIN_FIX_LENGTH) return { fix: `Describe what fixed it, in at least ${MIN_FIX_LENGTH} characters.` };
  return text.length > MAX_TEXT_LENGTH ? { fix: TOO_LONG } : {};
}

/** The text without characters that cannot be stored. */
export function cleanText(value: string | null | undefined): string {
  return (value ?? "").replaceAll("\0", "").replaceAll("\r\n", "\n").toWellFormed().trim();
}

/** Equal for texts that differ in case and spacing only. The text is cut as in the input. */
function digestOf(text: string): string {
  const words = inputText(cleanText(text)).replace(/\s+/g, " ").trim().toLowerCase();
  return createHash("sha256").update(words).digest("hex");
}
