// The review score of an observation: what a person thinks of it moves it up or down in recall.

import { useSignal } from "@preact/signals";
import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Loading } from "../../api/use-request.ts";
import { Field } from "../../components/field.tsx";
import { showToast } from "../../components/toast.tsx";
import type { ObservationDetail } from "./observation-detail.ts";

const CHOICES = [
  { value: "-1", name: "−1: misleading, ranks 15 % lower" },
  { value: "0", name: "0: neither, no effect" },
  { value: "1", name: "1: helpful, ranks 15 % higher" },
  { value: "2", name: "2: the best there is, ranks 30 % higher" },
] as const;
const NONE = "";

interface ReviewScoreProps {
  readonly observation: ObservationDetail;
  readonly request: Loading<ObservationDetail>;
}

export function ReviewScore({ observation, request }: ReviewScoreProps) {
  const { id, review_score: score, worked } = observation;
  const isBusy = useSignal(false);
  const present = score === null ? NONE : String(score);
  const isOther = present !== NONE && !CHOICES.some(({ value }) => value === present);
  const review = async (value: string) => {
    isBusy.value = true;
    const result = await settle(
      api.PATCH("/v1/memory/observations/{id}", {
        params: { path: { id } },
        body: { review_score: value === NONE ? null : Number(value) },
      }),
    );
    isBusy.value = false;
    if (result.ok) {
      request.set({ ...observation, ...result.data });
      showToast("The review is stored. The next recall uses it.");
    } else {
      showToast(`The review is not stored: ${result.failure.detail}`, { isFailure: true });
      await request.reload();
    }
  };
  return (
    <div class="memory-review">
      <Field label="Review" hint={`Without a review, ${effectOf(worked)}.`}>
        <select value={present} disabled={isBusy.value} onChange={(event) => void review(event.currentTarget.value)}>
          <option value={NONE}>No review</option>
          {isOther && <option value={present}>{present}</option>}
          {CHOICES.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </Field>
    </div>
  );
}

function effectOf(worked: boolean | null): string {
  if (worked === null) return "nothing changes its rank: nobody reported whether the answer worked";
  return worked
    ? "it ranks 15 % higher, because its answer worked"
    : "it ranks 15 % lower, because its answer did not work";
}
