// This incident beside a past one: what differs first.

import { percentOf } from "../../../../../functions/answer-view/percent.ts";
import { displayText } from "../../../../../lib/text/display-text.ts";
import type { Body } from "../../../api/types.ts";
import { useGet } from "../../../api/use-request.ts";
import { Contributions } from "../../../components/contributions.tsx";
import { Loaded } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { consolePath } from "../../../format/console-path.ts";

type Data = Body<"/v1/incidents/{id}/comparison/{other_id}">;

interface ComparisonProps {
  readonly id: string;
  readonly incidentId: string;
  /** Of an incident, or of a recalled record. */
  readonly otherId: string;
}

export function Comparison({ id, incidentId, otherId }: ComparisonProps) {
  const request = useGet("/v1/incidents/{id}/comparison/{other_id}", {
    path: { id: incidentId, other_id: otherId },
  });
  return (
    <div id={id} class="stack-4 record-comparison">
      <Loaded request={request} name="the comparison" lines={8}>
        {(data) => <Compared data={data} />}
      </Loaded>
    </div>
  );
}

function Compared({ data }: { readonly data: Data }) {
  const { other, facts, labels, error_lines, match } = data;
  const lines = error_lines.map(({ here, there }) => ({
    name: here === null ? "only then" : there === null ? "only now" : "both",
    here,
    there,
    alike: here !== null && there !== null,
  }));
  return (
    <>
      <p>
        <a href={consolePath(`/incidents/${other.id}`)}>Open the past incident</a> of <Time at={other.created_at} />
      </p>
      <Rows
        title="What it was"
        rows={[...facts.filter(({ alike }) => !alike), ...facts.filter(({ alike }) => alike)]}
      />
      {labels.length > 0 && <Rows title="Labels" rows={labels} />}
      {lines.length > 0 && <Rows title="Error lines" rows={lines} areLines />}
      <Changes changes={data.changes} />
      {match !== null && (
        <details>
          <summary>Why {percentOf(match.probability)}: the parts of the match</summary>
          <Contributions contributions={match.contributions} />
        </details>
      )}
    </>
  );
}

type Row = Data["facts"][number];

interface RowsProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly areLines?: boolean;
}

function Rows({ title, rows, areLines = false }: RowsProps) {
  return (
    <table class="record-rows">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{areLines ? "In" : "Name"}</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, here, there, alike }, index) => (
          <tr key={index} class={alike ? undefined : "record-differs"}>
            <th scope="row">
              {displayText(name)}
              <span class={alike ? "visually-hidden" : "record-mark"}>{alike ? " alike" : " differs"}</span>
            </th>
            <Cell value={here} columns={alike && here === there ? 2 : 1} />
            {!(alike && here === there) && <Cell value={there} columns={1} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** @param columns 2: both have the value */
function Cell({ value, columns }: { readonly value: string | null; readonly columns: number }) {
  return (
    <td colSpan={columns}>{value === null ? <span class="note">none</span> : <samp>{displayText(value)}</samp>}</td>
  );
}

function Changes({ changes: { here, there } }: { readonly changes: Data["changes"] }) {
  if (!here?.reported && !there?.reported) return null;
  return (
    <div class="record-changes">
      <h4>Changes before the start</h4>
      <ChangeList name="Now" changes={here} />
      <ChangeList name="Then" changes={there} />
    </div>
  );
}

function ChangeList({ name, changes }: { readonly name: string; readonly changes: Data["changes"]["here"] }) {
  const recent = changes?.recent ?? [];
  return (
    <div>
      <h5>{name}</h5>
      {recent.length === 0 ? (
        <p class="note">{changes?.reported ? "No change in the two hours before." : "No changes were reported."}</p>
      ) : (
        <ul class="bullets">
          {recent.map(({ id, title, kind, minutes_before }) => (
            <li key={id}>
              {displayText(title)}{" "}
              <span class="note">
                {kind},{" "}
                {minutes_before >= 0
                  ? `${Math.round(minutes_before)} min before`
                  : `${Math.round(-minutes_before)} min after`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
