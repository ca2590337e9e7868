// Outcomes and judgements over the period.

import { useMemo } from "preact/hooks";
import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { percentOf } from "../../../../functions/answer-view/percent.ts";
import type { Body } from "../../api/types.ts";
import { Section } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { milliseconds } from "../../format/words.ts";
import { Figures } from "./parts.tsx";
import { type Span, spansOf } from "./spans.ts";
import { StackedBars } from "./stacked-bars.tsx";

type Outcomes = Body<"/v1/quality/outcomes">;
type Day = Outcomes["days"][number];

export function OutcomesOverTime({ outcomes }: { readonly outcomes: Outcomes }) {
  const { total, days } = outcomes;
  const { answers, judgements, elapsed } = total;
  const sum = answers.cause + answers.possible + answers.unknown + answers.benign;
  const judged = judgements.up + judgements.down + judgements.worked + judgements.did_not_work;
  const spans = useMemo(() => spansOf(days), [days]);
  const unit = spans.length < days.length ? "week" : "day";
  return (
    <>
      <Section title="What did answers find?" note={`By ${unit}, UTC.`}>
        {sum === 0 ? (
          <EmptyState title="There are no answers in this period." />
        ) : (
          <>
            <Figures
              figures={[
                { name: "Answers", value: sum.toLocaleString("en-GB") },
                {
                  name: outcomeName("cause"),
                  value: percentOf(answers.cause / sum),
                  note: "The others name candidates, or no failure.",
                },
                ...(elapsed === null
                  ? []
                  : [
                      { name: "Median time", value: milliseconds(elapsed.median_ms), note: "To the answer." },
                      { name: "95th percentile", value: milliseconds(elapsed.p95_ms), note: "95 of 100 were as fast." },
                    ]),
              ]}
            />
            <StackedBars unit="answer" names={namesOf(spans)} series={answerSeries(spans)} />
          </>
        )}
      </Section>
      <Section
        title="Did they help?"
        note={`Votes, and resolutions that say whether the answer led to the fix, by ${unit}. Other resolutions do not count.`}
      >
        {judged === 0 ? (
          <EmptyState title="Nobody voted or said whether an answer worked." />
        ) : (
          <StackedBars unit="judgement" names={namesOf(spans)} series={judgementSeries(spans)} />
        )}
      </Section>
      {sum + judged > 0 && (
        <OutcomesTable spans={spans} elapsed={unit === "day" ? days.map((day) => day.elapsed) : null} />
      )}
    </>
  );
}

const OUTCOMES = ["cause", "possible", "unknown", "benign"] as const;
const LED = "Led to the fix";
const DID_NOT_LEAD = "Did not lead to it";
const COLUMNS = ["Date", ...OUTCOMES.map(outcomeName), "Voted up", "Voted down", LED, DID_NOT_LEAD];

interface OutcomesTableProps {
  readonly spans: readonly Span[];
  readonly elapsed: readonly Day["elapsed"][] | null;
}

function OutcomesTable({ spans, elapsed }: OutcomesTableProps) {
  const rows = spans.flatMap(({ name, answers, judgements: { up, down, worked, did_not_work } }, index) => {
    const counts = [...OUTCOMES.map((outcome) => answers[outcome]), up, down, worked, did_not_work];
    const own = elapsed?.[index] ?? null;
    const times = own === null ? ["–", "–"] : [own.median_ms, own.p95_ms].map(milliseconds);
    return counts.some((each) => each > 0) ? [[name, ...counts, ...(elapsed === null ? [] : times)]] : [];
  });
  return (
    <details>
      <summary>Show the figures over time as a table</summary>
      <Table
        label="Outcomes over time"
        columns={[...COLUMNS, ...(elapsed === null ? [] : ["Median", "95th percentile"])]}
        rows={rows}
      />
    </details>
  );
}

const namesOf = (spans: readonly Span[]) => spans.map(({ name }) => name);

function answerSeries(spans: readonly Span[]) {
  const colours = { cause: 1, possible: 2, unknown: 6, benign: 3 };
  return OUTCOMES.map((outcome) => ({
    name: outcomeName(outcome),
    colour: colours[outcome],
    values: spans.map(({ answers }) => answers[outcome]),
  }));
}

function judgementSeries(spans: readonly Span[]) {
  return [
    { name: "Voted up", colour: 1, values: spans.map(({ judgements }) => judgements.up) },
    { name: LED, colour: 3, values: spans.map(({ judgements }) => judgements.worked) },
    { name: "Voted down", colour: 2, values: spans.map(({ judgements }) => judgements.down) },
    { name: DID_NOT_LEAD, colour: 4, values: spans.map(({ judgements }) => judgements.did_not_work) },
  ];
}
