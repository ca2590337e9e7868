// Outcomes, judgements and latency over the period.

import { useMemo } from "preact/hooks";
import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { percentOf } from "../../../../functions/answer-view/percent.ts";
import type { Body } from "../../api/types.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Section } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import { milliseconds } from "../../format/words.ts";
import { Figures } from "./parts.tsx";
import { type Span, spansOf } from "./spans.ts";
import { StackedBars } from "./stacked-bars.tsx";

type Outcomes = Body<"/v1/quality/outcomes">;
type Day = Outcomes["days"][number];

const MS = 1_000;
const LATENCY_SERIES = [{ label: "median, s" }, { label: "95th percentile, s" }];

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
                      {
                        name: "Median time",
                        value: milliseconds(elapsed.median_ms),
                        note: "From the start to the answer.",
                      },
                      { name: "95th percentile", value: milliseconds(elapsed.p95_ms), note: "95 of 100 were as fast." },
                    ]),
              ]}
            />
            <StackedBars unit="answer" names={namesOf(spans)} series={answerSeries(spans)} />
          </>
        )}
      </Section>
      <Section title="Did they help?" note={`Votes and resolutions by ${unit}, on the day when they were given.`}>
        {judged === 0 ? (
          <EmptyState title="Nobody voted or said whether an answer worked." />
        ) : (
          <StackedBars unit="judgement" names={namesOf(spans)} series={judgementSeries(spans)} />
        )}
      </Section>
      {elapsed !== null && <Latency days={days} />}
      {sum + judged > 0 && (
        <OutcomesTable spans={spans} elapsed={unit === "day" ? days.map((day) => day.elapsed) : null} />
      )}
    </>
  );
}

/** By day, also where the bars are weeks: medians cannot be added. */
function Latency({ days }: { readonly days: readonly Day[] }) {
  const data = useMemo(() => {
    // A day without an answer would be a gap, and a single day between two gaps draws no line.
    const timed = days.flatMap(({ date, elapsed }) => (elapsed === null ? [] : [{ date, ...elapsed }]));
    return [
      timed.map(({ date }) => Date.parse(`${date}T00:00:00Z`) / MS),
      timed.map(({ median_ms }) => median_ms / MS),
      timed.map(({ p95_ms }) => p95_ms / MS),
    ];
  }, [days]);
  return (
    <Section title="How long did answers take?">
      <Plot label="Seconds from the start to the answer, by day" data={data} series={LATENCY_SERIES} />
    </Section>
  );
}

const OUTCOMES = ["cause", "possible", "unknown", "benign"] as const;
const COLUMNS = [...OUTCOMES.map(outcomeName), "Voted up", "Voted down", "Worked", "Did not work"];

function OutcomesTable({
  spans,
  elapsed,
}: {
  readonly spans: readonly Span[];
  readonly elapsed: readonly Day["elapsed"][] | null;
}) {
  const rows = spans
    .map(({ name, answers, judgements: { up, down, worked, did_not_work } }, index) => {
      const counts = [...OUTCOMES.map((outcome) => answers[outcome]), up, down, worked, did_not_work];
      return { name, counts, elapsed: elapsed?.[index] ?? null };
    })
    .filter(({ counts }) => counts.some((each) => each > 0));
  return (
    <details>
      <summary>Show the figures over time as a table</summary>
      <section class="table-frame" tabindex={0} aria-label="Outcomes over time">
        <table class="quality-numbers">
          <thead>
            <tr>
              {["Date", ...COLUMNS, ...(elapsed === null ? [] : ["Median", "95th percentile"])].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                {row.counts.map((each, column) => (
                  <td key={COLUMNS[column]}>{each}</td>
                ))}
                {elapsed !== null && <td>{row.elapsed === null ? "–" : milliseconds(row.elapsed.median_ms)}</td>}
                {elapsed !== null && <td>{row.elapsed === null ? "–" : milliseconds(row.elapsed.p95_ms)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
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
    { name: "Worked", colour: 3, values: spans.map(({ judgements }) => judgements.worked) },
    { name: "Voted down", colour: 2, values: spans.map(({ judgements }) => judgements.down) },
    { name: "Did not work", colour: 4, values: spans.map(({ judgements }) => judgements.did_not_work) },
  ];
}
