// The case of an evaluation that a request belongs to. Its traces carry it, so that a viewer groups them by case.

import { z } from "zod";

const name = z.string().regex(/^[A-Za-z0-9._:/-]{1,128}$/);

export interface EvaluationCase {
  readonly run?: string | undefined;
  readonly case?: string | undefined;
}

/** Reads the headers of evaluation traffic; an invalid value counts as absent. */
export function readEvaluationCase(header: (name: string) => string | undefined): EvaluationCase {
  return {
    run: name.safeParse(header("x-dejavu-eval-run")).data,
    case: name.safeParse(header("x-dejavu-eval-case")).data,
  };
}
