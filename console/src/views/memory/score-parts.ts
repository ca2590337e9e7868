// The parts of a score in plain words. Pure functions.

export interface ScorePart {
  readonly name: string;
  readonly value: string;
  /** What the value means. */
  readonly meaning: string;
}

interface IncidentScore {
  readonly probability: number;
  readonly ranking: { readonly quality: number; readonly adjust: number; readonly decay: number };
}

/** The factors of a past incident's score: their product is the score. */
export function incidentParts({ probability, ranking }: IncidentScore): ScorePart[] {
  const likeness = {
    name: "Same failure",
    value: probability.toFixed(2),
    meaning: "probability that it is the failure of the query",
  };
  const { quality, adjust, decay } = ranking;
  return [
    likeness,
    {
      name: "Quality",
      value: `× ${(0.7 + 0.3 * quality).toFixed(2)}`,
      meaning: "0.70 to 1.00, by the confidence of its investigation",
    },
    { name: "Review", value: `× ${adjust.toFixed(2)}`, meaning: reviewMeaning(adjust) },
    { name: "Age", value: `× ${decay.toFixed(2)}`, meaning: "1.00 for today, less the longer ago it was seen last" },
  ];
}

function reviewMeaning(adjust: number): string {
  if (adjust === 1) return "no review, and nobody reported whether the answer worked";
  return adjust > 1
    ? "a person reviewed it well, or its answer worked"
    : "a person reviewed it badly, or its answer did not work";
}
