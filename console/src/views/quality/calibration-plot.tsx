// Probability against the share of right answers, with intervals; and the same figures as a table.

import { percentOf } from "../../../../functions/answer-view/percent.ts";
import type { Body } from "../../api/types.ts";
import { Table } from "../../components/table.tsx";

type Bin = Body<"/v1/quality/calibration">["bins"][number];

/** Edges of the drawing, in its own units. */
const LEFT = 34;
const TOP = 8;
const SIZE = 240;
const WIDTH = LEFT + SIZE + 14;
const HEIGHT = TOP + SIZE + 38;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const MIN_RADIUS = 3.5;
const MAX_RADIUS = 8;

const x = (confidence: number) => LEFT + confidence * SIZE;
const y = (share: number) => TOP + (1 - share) * SIZE;

export function CalibrationPlot({ bins }: { readonly bins: readonly Bin[] }) {
  const label = bins
    .map((bin) => `Probability ${rangeOf(bin)}: ${percentOf(bin.share_right)} of ${bin.answers} right.`)
    .join(" ");
  return (
    <div class="stack-2 quality-calibration-plot">
      <svg class="quality-plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <Axes />
        <Points bins={bins} />
      </svg>
      <p class="note">
        On the dashed line, the probability is the share that was right. Bars are 95 % intervals: one that crosses the
        line may be chance.
      </p>
      <details>
        <summary>Show the probability as a table</summary>
        <Table
          label="Probability"
          columns={["Probability", "Right", "95 % interval", "Answers"]}
          rows={bins.map((bin) => [
            rangeOf(bin),
            percentOf(bin.share_right),
            `${percentOf(bin.low)} to ${percentOf(bin.high)}`,
            bin.answers,
          ])}
        />
      </details>
    </div>
  );
}

function Axes() {
  return (
    <>
      {TICKS.map((tick) => (
        <g key={tick}>
          <line class="quality-grid" x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} />
          <line class="quality-grid" x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
          <text class="quality-tick" x={x(tick)} y={y(0) + 15} text-anchor="middle">
            {Math.round(tick * 100)}
          </text>
          <text class="quality-tick" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
            {Math.round(tick * 100)}
          </text>
        </g>
      ))}
      <line class="quality-diagonal" x1={x(0)} x2={x(1)} y1={y(0)} y2={y(1)} />
      <text class="quality-axis" x={x(0.5)} y={HEIGHT - 4} text-anchor="middle">
        Probability of the answer, %
      </text>
      <text class="quality-axis" x={-(TOP + SIZE / 2)} y={9} text-anchor="middle" transform="rotate(-90)">
        Right, %
      </text>
    </>
  );
}

/** The area of a point grows with its answers. */
function Points({ bins }: { readonly bins: readonly Bin[] }) {
  const most = Math.max(...bins.map(({ answers }) => answers));
  return (
    <>
      {bins.map(({ from, answers, mean_confidence, share_right, low, high }) => (
        <g key={from}>
          <line class="quality-interval" x1={x(mean_confidence)} x2={x(mean_confidence)} y1={y(low)} y2={y(high)} />
          <circle
            class="quality-point"
            cx={x(mean_confidence)}
            cy={y(share_right)}
            r={MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * Math.sqrt(answers / most)}
          />
        </g>
      ))}
    </>
  );
}

function rangeOf({ from, to }: Bin): string {
  return `${Math.round(from * 100)} to ${percentOf(to)}`;
}
