// Says that a request failed, why, and lets the person try again.

import type { Failure } from "../api/failure.ts";
import { Button } from "./button.tsx";

interface FailedStateProps {
  readonly failure: Failure;
  /** What is missing, such as `the incidents`. */
  readonly name?: string;
  readonly retry?: () => unknown;
}

export function FailedState({ failure, name, retry }: FailedStateProps) {
  const { title, detail, problem } = failure;
  return (
    <div class="state state-failed" role="alert">
      <p class="state-title">{name === undefined ? title : `Cannot show ${name}: ${title}`}</p>
      <p>{detail}</p>
      {problem?.errors?.map(({ field, message }) => (
        <p key={field}>
          <code>{field}</code> {message}
        </p>
      ))}
      {problem !== null && <p class="note">Request {problem.request_id}</p>}
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
