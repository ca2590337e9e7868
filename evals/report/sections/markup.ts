// HTML building blocks of the report sections. The `html` template escapes every inserted value.

import { html, raw } from "hono/html";
import { type Drawing, drawChart } from "../charts/chart.ts";
import { displayable } from "../shared/format.ts";

export type Markup = ReturnType<typeof html>;

export interface Section {
  /** The anchor of the section. */
  readonly id: string;
  readonly heading: string;
  readonly body: Markup;
}

/** Text from a run file, isolated so that right-to-left characters do not affect the text around it. */
export function text(value: string): Markup {
  return html`<bdi>${displayable(value)}</bdi>`;
}

/** A name or an id from a run file. */
export function code(value: string): Markup {
  return html`<code><bdi>${displayable(value)}</bdi></code>`;
}

/** A metric name with a line break opportunity before each further word. */
export function metricName(name: string): Markup {
  return html`${name.split(/(?<=[a-z])(?=[A-Z])/).map((word, i) => html`${i > 0 && html`<wbr>`}${word}`)}`;
}

/** A sentence in place of a chart or a table that would be empty. */
export function emptyNote(sentence: string): Markup {
  return html`<p class="empty-note">${sentence}</p>`;
}

/**
 * A chart in one size.
 *
 * @param label text alternative with the figures of the chart
 */
export function chart(drawing: Drawing, label: string): Markup {
  return html`<div class="chart" role="img" aria-label="${label}">${raw(drawChart(drawing))}</div>`;
}

/** A chart drawn once for wide and once for narrow pages; the style sheet shows one of the two. */
export function chartInTwoWidths(draw: (name: string, width: number) => Drawing, name: string, label: string): Markup {
  return html`<div class="chart" role="img" aria-label="${label}">
    <div class="wide">${raw(drawChart(draw(`${name}-wide`, WIDE)))}</div>
    <div class="narrow">${raw(drawChart(draw(`${name}-narrow`, NARROW)))}</div>
  </div>`;
}

const WIDE = 540;
const NARROW = 300;

/** @param numeric number of columns, counted from the end, that hold figures */
export function table(
  header: readonly unknown[],
  rows: readonly (readonly unknown[])[],
  { caption, numeric = 0 }: { readonly caption: string; readonly numeric?: number },
): Markup {
  const kind = (column: number) => (column >= header.length - numeric ? "figure" : "words");
  return html`<div class="table"><table>
    <caption>${caption}</caption>
    <thead><tr>${header.map((cell, i) => html`<th scope="col" class="${kind(i)}">${cell}</th>`)}</tr></thead>
    <tbody>${rows.map(
      ([first, ...rest]) =>
        html`<tr><th scope="row">${first}</th>${rest.map((cell, i) => html`<td class="${kind(i + 1)}">${cell}</td>`)}</tr>`,
    )}</tbody>
  </table></div>`;
}
