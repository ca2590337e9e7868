// What the list and the page of a runbook say of it: what it answered, and who changed it when.

import { usesText } from "../../../../functions/answer-view/uses-text.ts";
import { displayText } from "../../../../lib/text/display-text.ts";
import type { Body } from "../../api/types.ts";
import { When } from "../../components/time.tsx";

export function RunbookFacts({ runbook }: { readonly runbook: Body<"/v1/runbooks">["runbooks"][number] }) {
  const { uses, updated_at, updated_by } = runbook;
  return (
    <>
      {uses && <span>{usesText(uses)}</span>}
      <When what="changed" at={updated_at}>
        {updated_by !== null && ` by ${displayText(updated_by)}`}
      </When>
    </>
  );
}
