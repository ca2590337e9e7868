// Says what is not right in the answer: its runbook, a cause, a step, the domain, the severity.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { SEVERITIES } from "../../../../../functions/schemas/incident-values.ts";
import type { TriageResult } from "../../../../../functions/schemas/triage-result.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import { api } from "../../../api/client.ts";
import { settle } from "../../../api/failure.ts";
import { useDomainNames } from "../../../api/use-domain-names.ts";
import { useGet } from "../../../api/use-request.ts";
import { Check, Choice } from "../../../components/choice.tsx";
import { namesOf, SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Loaded } from "../../../components/states.tsx";
import { bound, useForm } from "../../../components/use-form.ts";
import { splitName } from "../../runbooks/runbook-name.ts";
import { useSettled } from "../../runbooks/use-settled.ts";
import { type DialogProps, domainOf } from "../answer/model/incident.ts";
import { changesOf, emptyForm, missingIn, type Part } from "./model/corrections.ts";
import { send } from "./send.ts";

interface NotRightDialogProps extends DialogProps {
  readonly triage: TriageResult;
  /** The answer is rated now. */
  readonly onRated: () => void;
}

export function NotRightDialog({ incident, triage, reload, close, onRated }: NotRightDialogProps) {
  const { values, change, field } = useForm(emptyForm(incident));
  const { parts, runbook } = values;
  const domains = useDomainNames(values.domain);
  const { likely_causes, confirm, mitigate, look_next } = triage.answer;
  const causes = likely_causes.map(({ text }) => text);
  const steps = [...confirm, ...mitigate, ...look_next].map(({ text }) => text);
  const cited = triage.sources.find(({ kind }) => kind === "runbook");
  const submit = async () => {
    const missing = missingIn(values, incident);
    if (missing !== null) return missing;
    const { feedback, edits } = changesOf(values, incident);
    for (const body of edits) {
      const result = await settle(api.PATCH("/v1/incidents/{id}", { params: { path: { id: incident.id } }, body }));
      if (!result.ok) return result.failure;
    }
    const params = { path: { id: triage.triage_id } };
    const done =
      !runbook || !parts.has("runbook")
        ? "Thank you. It is stored."
        : "Thank you. The next answer to this failure begins with that runbook.";
    const failure = await send(api.POST("/v1/triages/{id}/feedback", { params, body: feedback }), { done, reload });
    if (failure === null && feedback.rating === "down") onRated();
    return failure;
  };
  const partOf = (part: Part, name: string, children: ComponentChildren) => (
    <div class="row">
      <Check
        checked={parts.has(part)}
        set={(checked) =>
          change({ parts: new Set(checked ? [...parts, part] : [...parts].filter((each) => each !== part)) })
        }
      >
        {name}
      </Check>
      {parts.has(part) && children}
    </div>
  );
  const itemFields = (items: readonly string[], name: "cause" | "step", { label, ...right }: RightField) => (
    <>
      <SelectField label="Which one?" names={namesOf(items, "All of them")} {...field(name)} />
      <TextField label={`${label} (optional)`} maxLength={2_000} {...right} />
    </>
  );
  return (
    <FormDialog title="What is not right?" action="Send" close={close} submit={submit}>
      <div class="rows">
        {partOf(
          "runbook",
          cited === undefined ? "There is a runbook for it" : "The runbook: it is about another failure",
          <>
            <RunbookChoice
              triage={triage}
              wrong={cited?.source ?? null}
              chosen={runbook}
              choose={(runbook) => change({ runbook })}
            />
            {runbook === "" && (
              <TextField
                label="What was it? (optional)"
                hint="Those who write the runbooks read it."
                maxLength={500}
                {...field("failure")}
              />
            )}
          </>,
        )}
        {causes.length > 0 &&
          partOf("cause", "A cause", itemFields(causes, "cause", { label: "What was it?", ...field("rightCause") }))}
        {steps.length > 0 &&
          partOf("step", "A step", itemFields(steps, "step", { label: "What should it say?", ...field("rightStep") }))}
        {partOf(
          "domain",
          `The domain, ${displayText(domainOf(incident))}`,
          <SelectField
            label="The right domain"
            hint="The memory of the incident moves with it."
            names={namesOf(domains)}
            {...field("domain")}
          />,
        )}
        {partOf(
          "severity",
          `The severity, ${incident.severity}`,
          <SelectField label="The right severity" names={namesOf(SEVERITIES)} {...field("severity")} />,
        )}
      </div>
      <TextField
        label="Something else? (optional)"
        hint="It helps those who write the runbooks."
        rows={2}
        maxLength={3_400}
        {...field("comment")}
      />
    </FormDialog>
  );
}

type RightField = Pick<Parameters<typeof TextField>[0], "label" | "value" | "set">;

interface RunbookChoiceProps {
  readonly triage: TriageResult;
  /** Path of the one that the answer cites. */
  readonly wrong: string | null;
  readonly chosen: string | null;
  readonly choose: (source: string) => void;
}

const HITS = 10;
const SHOWN = 5;
const TYPING_MS = 300;

/**
 * The nearest runbooks to the words, at first those to the title and the lines of the report. Those of the incident's domain come
 * first: "leader" is a word of several.
 */
function RunbookChoice({ triage: { title, answer, domain }, wrong, chosen, choose }: RunbookChoiceProps) {
  const words = useSignal("");
  const settled = useSettled(words.value.trim(), TYPING_MS);
  const report = [title, ...answer.evidence.flatMap(({ quote }) => quote ?? [])].join("\n");
  const request = useGet("/v1/runbooks/search", { query: { query: (settled || report).slice(0, 1_000), limit: HITS } });
  return (
    <>
      <TextField
        label="Which one is right?"
        type="search"
        placeholder="Search runbooks"
        maxLength={200}
        {...bound(words)}
      />
      <Loaded request={request} name="the runbooks" lines={3}>
        {({ hits }) => {
          const isOther = ({ source }: (typeof hits)[number]) => Number(splitName(source).domain !== domain.name);
          const texts = [...new Map(hits.map((hit) => [hit.source, hit])).values()]
            .filter(({ kind, source, score }) => kind === "runbook" && score > 0 && source !== wrong)
            .toSorted((a, b) => isOther(a) - isOther(b));
          return (
            <fieldset class="choices">
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
