// Owns the small parts that the sections of the page are made of. What is put into a template is escaped by it.

import { html, raw } from "hono/html";
import { type Drawing, drawChart } from "./charts/chart.ts";
import { shown } from "./format.ts";

export type Markup = ReturnType<typeof html>;

export interface Section {
  /** Of the part of the page, for links to it. */
  readonly id: string;
  readonly heading: string;
  readonly body: Markup;
}

/** Text of a run file: in a direction of its own, whatever it holds, and broken where it is too long for its line. */
export function text(value: string): Markup {
  return html`<bdi>${shown(value)}</bdi>`;
}

/** A name or an id of a run file. */
export function code(value: string): Markup {
  return html`<code><bdi>${shown(value)}</bdi></code>`;
}

/** A metric's name, which may be broken before its second word. */
export function metricName(name: string): Markup {
  return html`${name.split(/(?<=[a-z])(?=[A-Z])/).map((word, i) => html`${i > 0 && html`<wbr>`}${word}`)}`;
}

/** What there is instead of a chart or a table. */
export function nothing(sentence: string): Markup {
  return html`<p class="nothing">${sentence}</p>`;
}

/**
 * A chart of one size.
 *
 * @param label what it shows, with its figures, for those who do not see it
 */
export function chart(drawing: Drawing, label: string): Markup {
  return html`<div class="chart" role="img" aria-label="${label}">${raw(drawChart(drawing))}</div>`;
}

/** A chart that is drawn for a wide page and for a narrow one; the page shows one of the two. */
export function chartInTwoWidths(draw: (name: string, width: number) => Drawing, name: string, label: string): Markup {
  return html`<div class="chart" role="img" aria-label="${label}">
    <div class="wide">${raw(drawChart(draw(`${name}-wide`, WIDE)))}</div>
    <div class="narrow">${raw(drawChart(draw(`${name}-narrow`, NARROW)))}</div>
  </div>`;
}

const WIDE = 540;
const NARROW = 300;

/** A table that reads its figures in columns. @param numeric how many columns at the end are figures */
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
