// The result of a query: lines over time as a plot, everything else as a table or as text.

import { useMemo } from "preact/hooks";
import type { paths } from "../../../../client/client.js";
import { displayJson, displayText } from "../../../../lib/text/display-text.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Plot } from "../../components/plot.tsx";
import { plottedSeries } from "../../components/plot-series.ts";
import { EmptyState } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";

type Tried = paths["/v1/sources/{name}/try"]["post"]["responses"]["200"]["content"]["application/json"];
type Result = NonNullable<Tried["result"]>;

const MAX_SHOWN = 100;

export function QueryResult({ result, query }: { readonly result: Result; readonly query: string }) {
  switch (result.kind) {
    case "series":
      return <Series series={result.series} query={query} />;
    case "lines":
      return <Lines lines={result.lines} />;
    case "rows":
      return <Rows columns={result.columns} rows={result.rows} />;
    case "objects":
      return result.objects.length === 0 ? (
        <Nothing />
      ) : (
        <CodeBlock text={displayJson(result.objects.slice(0, MAX_SHOWN))} name="objects" />
      );
    case "too_large":
      return (
        <EmptyState title={`The result is too large: ${displayText(result.size)}.`}>
          <p>{displayText(result.hint)}</p>
        </EmptyState>
      );
  }
}

type Of<Kind extends Result["kind"]> = Extract<Result, { kind: Kind }>;

function Series({ series, query }: Pick<Of<"series">, "series"> & { readonly query: string }) {
  // Without two points there is no line to draw.
  const plotted = useMemo(
    () => (series.some(({ points }) => points.length > 1) ? plottedSeries(series) : null),
    [series],
  );
  if (series.length === 0) return <Nothing />;
  const rows = series.map(({ labels, points }) => [pairs(labels), String(points.at(-1)?.[1] ?? "")]);
  return (
    <>
      {plotted !== null && (
        <Plot
          label={`${displayText(query)}: ${plotted.series.length} of ${series.length} series`}
          data={plotted.data}
          series={plotted.series}
        />
      )}
      <Rows columns={["Series", plotted === null ? "Value" : "Last value"]} rows={rows} />
    </>
  );
}

function Lines({ lines }: Pick<Of<"lines">, "lines">) {
  if (lines.length === 0) return <Nothing />;
  return (
    <ul class="list">
      {lines.slice(0, MAX_SHOWN).map(({ time, text }, index) => (
        <li key={index}>
          <Time at={time} /> <code>{displayText(text)}</code>
        </li>
      ))}
    </ul>
  );
}

function Rows({ columns, rows }: Pick<Of<"rows">, "columns" | "rows">) {
  if (rows.length === 0) return <Nothing />;
  return (
    <>
      <Table
        label="Result"
        columns={columns.map(displayText)}
        rows={rows
          .slice(0, MAX_SHOWN)
          .map((row) =>
            row.map((cell) => (cell === null ? <span class="note">null</span> : displayText(String(cell)))),
          )}
      />
      {rows.length > MAX_SHOWN && (
        <p class="note">
          The first {MAX_SHOWN} of {rows.length} rows are shown.
        </p>
      )}
    </>
  );
}

function Nothing() {
  return (
    <EmptyState title="The result is empty.">
      <p>Check the names in the query and the labels.</p>
    </EmptyState>
  );
}

function pairs(labels: Readonly<Record<string, string>>): string {
  const text = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return text.length === 0 ? "(no labels)" : text.join(", ");
}
