// How often answers are right, what they found, what people said of them, and how long they took.

import { percentOf } from "../../../../functions/answer-view/percent.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Section } from "../../components/page.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { counted } from "../../format/words.ts";
import { CalibrationPlot } from "./calibration-plot.tsx";
import { OutcomesOverTime } from "./outcomes-over-time.tsx";
import { Figures, PeriodField, usePeriod } from "./parts.tsx";

export function Answers() {
  const days = usePeriod();
  const calibration = useGet("/v1/quality/calibration", { query: { days } });
  const outcomes = useGet("/v1/quality/outcomes", { query: { days } });
  return (
    <>
      <PeriodField />
      <Section
        title="Can you believe the probability?"
        note="Judged by votes, and by resolutions that say whether the answer worked."
      >
        <Loaded request={calibration} name="the calibration" lines={14}>
          {(data) => <Reliability calibration={data} />}
        </Loaded>
      </Section>
      {/* What stands below the first part must not move when that has loaded. */}
      {calibration.state.value.status !== "loading" && (
        <Loaded request={outcomes} name="the outcomes" lines={20}>
          {(data) => <OutcomesOverTime outcomes={data} />}
        </Loaded>
      )}
    </>
  );
}

function Reliability({ calibration }: { readonly calibration: Body<"/v1/quality/calibration"> }) {
  const { judged, right, enough, min_judged: min, bins, brier_score: brier, brier_of_base_rate: base } = calibration;
  if (judged === 0)
    return (
      <EmptyState title="Nobody judged an answer in this period.">
        Vote on answers, and say whether they worked when you resolve an incident. Then this shows how often they are
        right.
      </EmptyState>
    );
  const expected = bins.reduce((sum, bin) => sum + bin.mean_confidence * bin.answers, 0) / judged;
  return (
    <div class="stack-4 quality-calibration">
      <div class="stack-4">
        <p class={enough ? "quality-verdict" : "quality-verdict stale"}>
          {enough
            ? verdictOf(right / judged - expected)
            : `${counted(judged, "judged answer")}: too few to judge. From ${min} on, the figures mean something.`}
        </p>
        <Figures
          figures={[
            { name: "Judged answers", value: judged.toLocaleString("en-GB") },
            { name: "Right", value: percentOf(right / judged), note: `Their probability said ${percentOf(expected)}.` },
            ...(!enough || brier === null || base === null
              ? []
              : [
                  {
                    name: "Brier score",
                    value: brier.toFixed(3),
                    note: `Lower is better. A constant probability has ${base.toFixed(3)}.`,
                  },
                ]),
          ]}
        />
      </div>
      <CalibrationPlot bins={bins} />
    </div>
  );
}

/** @param gap share of right answers minus their mean probability */
function verdictOf(gap: number): string {
  const points = Math.round(Math.abs(gap) * 100);
  if (points < 5) return "The probability can be taken as it is.";
  return gap > 0
    ? `Answers are right more often than their probability says: by ${points} points.`
    : `Answers are right less often than their probability says: by ${points} points.`;
}
