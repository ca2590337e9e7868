// What the list and the page of a runbook say of it: its tags, and who changed it when.

import { displayText } from "../../../../lib/text/display-text.ts";
import { Badge } from "../../components/badge.tsx";
import { When } from "../../components/time.tsx";

interface TagsAndChangeProps {
  readonly tags: readonly string[];
  readonly updated_at: string;
  readonly updated_by: string | null;
}

export function TagsAndChange({ tags, updated_at, updated_by }: TagsAndChangeProps) {
  return (
    <>
      {tags.map((tag) => (
        <Badge key={tag}>{displayText(tag)}</Badge>
      ))}
      <When what="changed" at={updated_at}>
        {updated_by !== null && ` by ${displayText(updated_by)}`}
      </When>
    </>
  );
}
