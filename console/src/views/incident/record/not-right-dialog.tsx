// Says what is not right in the answer: its runbook, a cause, a step, the domain, the severity.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { SEVERITIES, type Severity } from "../../../../../functions/schemas/incident-values.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { useRequest } from "../../../api/use-request.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Loaded } from "../../../components/loaded.tsx";
import { namesOf } from "../../../format/names-of.ts";
import { useDomainNames } from "../../runbooks/domain-select.tsx";
import { useSettled } from "../../runbooks/use-settled.ts";
import { Choice } from "./choice.tsx";
import { type CorrectionForm, changesOf, emptyForm, missingIn, type Part } from "./model/corrections.ts";
import type { DialogProps } from "./model/incident.ts";
import { send } from "./send.ts";

interface NotRightDialogProps extends DialogProps {
  readonly triage: TriageResult;
  /** The answer is rated now. */
  readonly onRated: () => void;
}

export function NotRightDialog({ incident, triage, reload, close, onRated }: NotRightDialogProps) {
  const form = useSignal(emptyForm(incident));
  const error = useSignal<string | undefined>(undefined);
  const { parts, runbook, cause, rightCause, step, rightStep, domain, severity, comment } = form.value;
  const domains = useDomainNames();
  const { likely_causes, confirm, mitigate, look_next } = triage.answer;
  const causes = likely_causes.map(({ text }) => text);
  const steps = [...confirm, ...mitigate, ...look_next].map(({ text }) => text);
  const cited = triage.sources.find(({ kind }) => kind === "runbook");
  const change = (changed: Partial<CorrectionForm>) => {
    form.value = { ...form.value, ...changed };
    error.value = undefined;
  };
  const toggle = (part: Part) => {
    const next = new Set(parts);
    if (!next.delete(part)) next.add(part);
    change({ parts: next });
  };
  const submit = async () => {
    error.value = missingIn(form.value, incident) ?? undefined;
    if (error.value !== undefined) return "invalid";
    const { feedback, edits } = changesOf(form.value, incident);
    for (const body of edits) {
      const result = await settle(api.PATCH("/v1/incidents/{id}", { params: { path: { id: incident.id } }, body }));
      if (!result.ok) return result.failure;
    }
    const params = { path: { id: triage.triage_id } };
    const done =
      runbook === "" || !parts.has("runbook")
        ? "Thank you. It is stored."
        : "Thank you. The next answer to this failure begins with that runbook.";
    const failure = await send(api.POST("/v1/triages/{id}/feedback", { params, body: feedback }), { done, reload });
    if (failure === null && feedback.rating === "down") onRated();
    return failure;
  };
  const part = { parts, toggle };
  return (
    <FormDialog title="What is not right?" action="Send" close={close} submit={submit}>
      <div class="record-parts-list">
        <PartChoice
          part="runbook"
          name={cited === undefined ? "There is a runbook for it" : "The runbook: it is about another failure"}
          {...part}
        >
          <RunbookChoice
            title={incident.title}
            wrong={cited?.source ?? null}
            chosen={runbook}
            choose={(runbook) => change({ runbook })}
          />
        </PartChoice>
        {causes.length > 0 && (
          <PartChoice part="cause" name="A cause" {...part}>
            <SelectField
              label="Which one?"
              value={cause}
              names={namesOf(causes, "All of them")}
              set={(cause) => change({ cause })}
            />
            <TextField
              label="What was it? (optional)"
              value={rightCause}
              maxLength={2_000}
              set={(rightCause) => change({ rightCause })}
            />
          </PartChoice>
        )}
        {steps.length > 0 && (
          <PartChoice part="step" name="A step" {...part}>
            <SelectField
              label="Which one?"
              value={step}
              names={namesOf(steps, "All of them")}
              set={(step) => change({ step })}
            />
            <TextField
              label="What should it say? (optional)"
              value={rightStep}
              maxLength={2_000}
              set={(rightStep) => change({ rightStep })}
            />
          </PartChoice>
        )}
        <PartChoice part="domain" name={`The domain, ${displayText(incident.domain.name)}`} {...part}>
          <SelectField
            label="The right domain"
            hint="The memory of the incident moves with it."
            value={domain}
            names={namesOf(domains.includes(domain) ? domains : [domain, ...domains])}
            set={(domain) => change({ domain })}
          />
        </PartChoice>
        <PartChoice part="severity" name={`The severity, ${incident.severity}`} {...part}>
          <SelectField
            label="The right severity"
            value={severity}
            names={namesOf(SEVERITIES)}
            set={(severity) => change({ severity: severity as Severity })}
          />
        </PartChoice>
      </div>
      <TextField
        label="Something else? (optional)"
        hint="It helps those who write the runbooks."
        error={error.value}
        rows={2}
        maxLength={4_000}
        value={comment}
        set={(comment) => change({ comment })}
      />
    </FormDialog>
  );
}

interface PartChoiceProps {
  readonly part: Part;
  readonly name: string;
  readonly parts: ReadonlySet<Part>;
  readonly toggle: (part: Part) => void;
  /** What is right instead. */
  readonly children: ComponentChildren;
}

function PartChoice({ part, name, parts, toggle, children }: PartChoiceProps) {
  const isChosen = parts.has(part);
  return (
    <div class={isChosen ? "record-part record-part-chosen" : "record-part"}>
      <label class="record-part-name">
        <input type="checkbox" checked={isChosen} onChange={() => toggle(part)} /> {name}
      </label>
      {isChosen && children}
    </div>
  );
}

interface RunbookChoiceProps {
  readonly title: string;
  /** Path of the one that the answer cites. */
  readonly wrong: string | null;
  readonly chosen: string;
  readonly choose: (source: string) => void;
}

const HITS = 10;
const SHOWN = 5;
const TYPING_MS = 300;

/** The nearest runbooks to the words, at first those of the title. */
function RunbookChoice({ title, wrong, chosen, choose }: RunbookChoiceProps) {
  const words = useSignal("");
  const settled = useSettled(words.value.trim(), TYPING_MS);
  const query = { query: (settled || title).slice(0, 1_000), limit: HITS };
  const request = useRequest(query.query, (options) =>
    api.GET("/v1/runbooks/search", { params: { query }, ...options }),
  );
  return (
    <>
      <TextField
        label="Which one is right?"
        type="search"
        placeholder="Search runbooks"
        maxLength={200}
        value={words.value}
        set={(text) => (words.value = text)}
      />
      <Loaded request={request} name="the runbooks" lines={3}>
        {({ hits }) => {
          const texts = [...new Map(hits.map((hit) => [hit.source, hit])).values()].filter(
            ({ kind, source, score }) => kind === "runbook" && score > 0 && source !== wrong,
          );
          return (
            <fieldset class="record-choices">
              <legend class="visually-hidden">The right runbook</legend>
              {texts.slice(0, SHOWN).map(({ source, title }) => (
                <Choice key={source} value={source} chosen={chosen} choose={choose}>
                  {displayText(title)} <code>{displayText(source)}</code>
                </Choice>
              ))}
              <Choice value="" chosen={chosen} choose={choose}>
                None of these
              </Choice>
            </fieldset>
          );
        }}
      </Loaded>
    </>
  );
}
