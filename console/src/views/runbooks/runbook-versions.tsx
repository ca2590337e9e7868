// The versions of a runbook, and what one changed.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState, Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { can } from "../../session/session.ts";
import { LineDiff } from "./line-diff.tsx";
import { putRunbook, type RunbookDetail, type RunbookName } from "./runbook-name.ts";
import { useReload } from "./use-settled.ts";

/** At most 50 are kept. */
const LIMIT = 50;

interface RunbookVersionsProps {
  readonly name: RunbookName;
  readonly runbook: RunbookDetail;
  readonly onRestored: () => Promise<void>;
}

export function RunbookVersions(props: RunbookVersionsProps) {
  const { name, runbook } = props;
  const open = useSignal<number | null>(null);
  const request = useGet("/v1/runbooks/{domain}/{source}/versions", { path: name, query: { limit: LIMIT } });
  // Restoring one adds one.
  useReload(runbook.etag, request.reload);
  return (
    <Loaded request={request} name="the history" lines={6}>
      {({ versions }) =>
        versions.length === 0 ? (
          <EmptyState title="It has no history here.">
            It comes from a folder, whose files have their own history. What you store here is kept.
          </EmptyState>
        ) : (
          <ol class="rows">
            {versions.map(({ number, etag, stored_at, stored_by }, index) => (
              <li key={number} class="row">
                <p class="facts">
                  <strong>Version {number}</strong>
                  {etag === runbook.etag && <Badge tone="info">current</Badge>}
                  <Time at={stored_at} />
                  {stored_by !== null && <span>by {displayText(stored_by)}</span>}
                  <Button
                    size="small"
                    aria-expanded={open.value === number}
                    onClick={() => (open.value = open.value === number ? null : number)}
                  >
                    {versions[index + 1] === undefined ? "Show" : "Show the change"}
                  </Button>
                </p>
                {open.value === number && (
                  <Change
                    {...props}
                    number={number}
                    before={versions[index + 1]?.number ?? number}
                    isCurrent={etag === runbook.etag}
                  />
                )}
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

interface ChangeProps extends RunbookVersionsProps {
  readonly number: number;
  /** Number of the version before; its own for the first that is kept. */
  readonly before: number;
  readonly isCurrent: boolean;
}

function Change({ name, number, before, isCurrent, runbook, onRestored }: ChangeProps) {
  const useVersion = (number: number) =>
    useGet("/v1/runbooks/{domain}/{source}/versions/{number}", { path: { ...name, number } });
  const [after, former] = [useVersion(number), useVersion(before)];
  const restore = async (text: string) => {
    const result = await putRunbook(name, text, runbook.etag);
    if (!result.ok) return showToast(`Not restored: ${result.failure.detail}`, { isFailure: true });
    showToast("Restored as a new version.");
    await onRestored();
  };
  return (
    <Loaded request={after} name="the version" lines={6}>
      {({ text }) => (
        <>
          <Loaded request={former} name="the version before" lines={6}>
            {(former) => <LineDiff before={former.text} after={text} />}
          </Loaded>
          {can("ingest") && !isCurrent && (
            <div>
              <Button onClick={() => restore(text)}>Restore this version</Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}
