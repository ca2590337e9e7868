// What speaks for a text or a past incident (+), and against it (−): the parts of its probability, the strongest first.

import { contributionsOf } from "../format/contributions.ts";
import { signed } from "../format/words.ts";
import "./contributions.css";

export function Contributions({ contributions }: { readonly contributions: Readonly<Record<string, number>> }) {
  const parts = contributionsOf(contributions);
  if (parts.length === 0) return <p class="note">The parts of this probability are not stored.</p>;
  const largest = Math.max(1, ...parts.map(({ value }) => Math.abs(value)));
  return (
    <>
      <p class="note">
        What speaks for it (+) and against it (−). The sum gives the probability, before the calibration.
      </p>
      <table class="contributions">
        <tbody>
          {parts.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="figure">{signed(value)}</td>
              <td>
                <progress
                  class={value < 0 ? "contribution-against" : undefined}
                  max={largest}
                  value={Math.abs(value)}
                  aria-hidden="true"
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
