// The review score of a failure: what a person thinks of it moves it up or down in recall.

import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import { SelectField } from "../../components/field.tsx";
import { showToast } from "../../components/toast.tsx";
import type { ObservationProps } from "./records.tsx";

const NONE = "";
/** Keys that are numbers would stand first. */
const CHOICES: Readonly<Record<string, string>> = {
  [NONE]: "No review",
  "-1": "−1: misleading, ranks 15 % lower",
  "0.0": "0: neither, no effect",
  "1.0": "1: helpful, ranks 15 % higher",
  "2.0": "2: the best there is, ranks 30 % higher",
};

export function ReviewScore({ observation, request }: ObservationProps) {
  const { id, review_score: score, worked } = observation;
  const present = score === null ? NONE : score < 0 ? String(score) : score.toFixed(1);
  const review = async (value: string) => {
    const body = { review_score: value === NONE ? null : Number(value) };
    const result = await settle(api.PATCH("/v1/memory/observations/{id}", { params: { path: { id } }, body }));
    if (result.ok) {
      request.set({ ...observation, ...result.data });
      showToast("The review is stored. The next recall uses it.");
    } else {
      showToast(`The review is not stored: ${result.failure.detail}`, { isFailure: true });
      await request.reload();
    }
  };
  return (
    <SelectField
      label="Review"
      hint={`Without a review, ${effectOf(worked)}.`}
      value={present}
      names={{ ...CHOICES, ...(present in CHOICES ? {} : { [present]: present }) }}
      set={review}
    />
  );
}

function effectOf(worked: boolean | null): string {
  if (worked === null) return "nothing changes its rank: nobody reported whether the answer worked";
  return worked
    ? "it ranks 15 % higher, because its answer worked"
    : "it ranks 15 % lower, because its answer did not work";
}
