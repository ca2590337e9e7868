// Runs one query against a source, as a check of a triage runs it.

import { useSignal } from "@preact/signals";
import type { paths } from "../../../../client/client.js";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { TextField } from "../../components/field.tsx";
import { FailedState } from "../../components/states.tsx";
import { useForm, useSubmit } from "../../components/use-form.ts";
import { pairsOf } from "./form-text.ts";
import { QueryResult } from "./query-result.tsx";

type Tried = paths["/v1/sources/{name}/try"]["post"]["responses"]["200"]["content"]["application/json"];

type Language = Body<"/v1/sources">["sources"][number]["language"];

const EXAMPLES: Readonly<Record<Language, string>> = {
  promql: "up",
  logql: '{app="checkout"} |= "error"',
  sql: "select state, count(*) from pg_stat_activity group by state",
  k8s: "get pods --namespace default",
};
const MAX_LENGTH = 10_000;

interface TrySourceProps {
  readonly name: string;
  readonly language: Language;
}

export function TrySource({ name, language }: TrySourceProps) {
  const { values, field } = useForm({ query: "", labels: "", confirms: "" });
  const tried = useSignal<Tried | null>(null);
  const { submit, isBusy, outcome } = useSubmit(async () => {
    const condition = values.confirms.trim();
    const rule = condition === "" ? null : { condition, meaning: "the condition holds" };
    const body = { query: values.query, labels: pairsOf(values.labels), match: null, confirms: rule, refutes: null };
    const result = await settle(api.POST("/v1/sources/{name}/try", { params: { path: { name } }, body }));
    if (result.ok) tried.value = result.data;
    return result.ok ? null : result.failure;
  });
  return (
    <form class="stack" onSubmit={submit}>
      <TextField
        label="Query"
        required
        rows={3}
        maxLength={MAX_LENGTH}
        placeholder={EXAMPLES[language]}
        {...field("query")}
      />
      <div class="stack pair">
        <TextField
          label="Labels of an alert (optional)"
          hint="They scope the query: one a line, such as instance=db-1."
          rows={2}
          {...field("labels")}
        />
        <TextField label="Confirms if (optional)" hint="A condition, such as any > 0.9." {...field("confirms")} />
      </div>
      <div>
        <Button type="submit" isBusy={isBusy}>
          Run it
        </Button>
      </div>
      {outcome !== null && <FailedState failure={outcome} />}
      {outcome === null && tried.value !== null && <Outcome tried={tried.value} />}
    </form>
  );
}

const VERDICT_TONES = { confirmed: "bad", refuted: "info", inconclusive: "neutral" } as const;

function Outcome({
  tried: { query, result, failure, verdict, rule, value, statement, link, latency_ms },
}: {
  readonly tried: Tried;
}) {
  return (
    <div class="stack" role="status">
      {verdict !== null && (
        <p>
          <Badge tone={VERDICT_TONES[verdict as keyof typeof VERDICT_TONES] ?? "neutral"}>{verdict}</Badge>{" "}
          {rule !== null && <code>{rule}</code>} {value !== null && `Value ${displayText(value)}.`}{" "}
          {rule === null && statement !== null && displayText(statement)}
        </p>
      )}
      <CodeBlock text={query} name="query as it was sent" />
      {failure !== null && (
        <p class="bad">
          The source did not answer: {displayText(failure.detail)} (<code>{failure.code}</code>)
        </p>
      )}
      {result !== null && <QueryResult result={result} query={query} />}
      <p class="note">
        Took {Math.round(latency_ms)} ms. Secrets and personal data are removed.{" "}
        {link !== null && /^https?:\/\//.test(link) && (
          <a href={link} target="_blank" rel="noopener noreferrer">
            Open it in the source
          </a>
        )}
      </p>
    </div>
  );
}
