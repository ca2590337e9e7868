// Evaluation runs: passed cases over time, and the metrics of each run beside those of the run before.

import { useMemo } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useRequest } from "../../api/use-request.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Section } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import { Time } from "../../components/time.tsx";
import { durationOf } from "../../format/time.ts";
import { count, percent } from "./format.ts";
import type { Evaluations as EvaluationList, EvaluationRun } from "./types.ts";

const LIMIT = 50;
const MS = 1_000;
const SERIES = [{ label: "Passed cases, %" }];

export function Evaluations() {
  const request = useRequest<EvaluationList>("evaluations", (options) =>
    api.GET("/v1/quality/evaluations", { params: { query: { limit: LIMIT } }, ...options }),
  );
  return (
    <Section
      title="Evaluation runs"
      note="Cases with known answers, asked of this service. Compare runs of the same cases."
    >
      <Loaded request={request} name="the evaluation runs" lines={10}>
        {({ runs }) => (runs.length === 0 ? <NoRuns /> : <Runs runs={runs} />)}
      </Loaded>
    </Section>
  );
}

function NoRuns() {
  return (
    <EmptyState title="No evaluation was run against this service.">
      <p>Run the cases from a checkout of the project. The summary appears here.</p>
      <CodeBlock text="npm run dejavu -- eval" name="command" />
    </EmptyState>
  );
}

function Runs({ runs }: { readonly runs: readonly EvaluationRun[] }) {
  const data = useMemo(() => {
    const oldestFirst = runs.toReversed();
    return [
      oldestFirst.map(({ started_at }) => Date.parse(started_at) / MS),
      oldestFirst.map(({ passed, cases }) => (passed / cases) * 100),
    ];
  }, [runs]);
  return (
    <>
      {runs.length > 1 && <Plot label="Passed cases in percent, by run" data={data} series={SERIES} />}
      <ul class="quality-runs">
        {runs.map((run, index) => (
          <Run key={run.id} run={run} previous={runs[index + 1]} />
        ))}
      </ul>
    </>
  );
}

function Run({ run, previous }: { readonly run: EvaluationRun; readonly previous: EvaluationRun | undefined }) {
  const { started_at, finished_at, version, revision, models, reranker, embedding, repeats, cases, passed, metrics } =
    run;
  const subject = [`version ${version}`, revision, models ?? "no model", reranker, embedding].filter(
    (each) => each !== null,
  );
  return (
    <li class="card">
      <div class="quality-gap-head">
        <h3>
          {passed} of {count(cases, "case")} passed ({percent(passed / cases)})
        </h3>
        <Time at={started_at} />
      </div>
      <p class="note">
        {subject.join(" · ")} · {count(repeats, "trial")} each,{" "}
        {durationOf(Math.max(0, Date.parse(finished_at) - Date.parse(started_at)))}
      </p>
      <details>
        <summary>Metrics</summary>
        <div class="table-frame">
          <table class="quality-numbers">
            <thead>
              <tr>
                <th scope="col">Metric</th>
                <th scope="col">Mean</th>
                <th scope="col">Change</th>
                <th scope="col">Cases</th>
              </tr>
            </thead>
            <tbody>
              {Object.entries(metrics).map(([name, metric]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{metric.mean.toFixed(3)}</td>
                  <td>{changeOf(metric.mean, previous?.metrics[name]?.mean)}</td>
                  <td>{metric.cases}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </li>
  );
}

/** Such as `+0.012`, against the run before. */
function changeOf(mean: number, previous: number | undefined): string {
  if (previous === undefined) return "–";
  const change = (mean - previous).toFixed(3);
  if (Number(change) === 0) return "0";
  return Number(change) > 0 ? `+${change}` : `−${change.slice(1)}`;
}
