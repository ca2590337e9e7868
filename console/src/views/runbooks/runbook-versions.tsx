// The versions of a runbook, and what one changed.

import { useSignal } from "@preact/signals";
import { displayText } from "../../../../lib/text/display-text.ts";
import { api } from "../../api/client.ts";
import { type LoadOptions, useRequest } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";
import { can } from "../../session/session.ts";
import { LineDiff } from "./line-diff.tsx";
import { putRunbook } from "./put-runbook.ts";
import type { RunbookName } from "./runbook-name.ts";
import type { RunbookDetail, RunbookVersion, VersionList, VersionText } from "./types.ts";

/** At most 50 are kept. */
const LIMIT = 50;

interface RunbookVersionsProps {
  readonly name: RunbookName;
  readonly runbook: RunbookDetail;
  readonly onRestored: () => Promise<void>;
}

export function RunbookVersions({ name, runbook, onRestored }: RunbookVersionsProps) {
  const open = useSignal<number | null>(null);
  const request = useRequest<VersionList>(`versions ${runbook.etag}`, (options) =>
    api.GET("/v1/runbooks/{domain}/{source}/versions", {
      params: { path: name, query: { limit: LIMIT } },
      ...options,
    }),
  );
  return (
    <Loaded request={request} name="the history" lines={6}>
      {({ versions }) =>
        versions.length === 0 ? (
          <EmptyState title="It has no history here.">
            <p>It comes from a folder, whose files have their own history. What you store here is kept.</p>
          </EmptyState>
        ) : (
          <ol class="plain-rows">
            {versions.map((version, index) => (
              <li key={version.number}>
                <p class="facts">
                  <strong>Version {version.number}</strong>
                  {version.etag === runbook.etag && <Badge tone="info">current</Badge>}
                  <Time at={version.stored_at} />
                  {version.stored_by !== null && <span>by {displayText(version.stored_by)}</span>}
                  <Button
                    size="small"
                    aria-expanded={open.value === version.number}
                    onClick={() => (open.value = open.value === version.number ? null : version.number)}
                  >
                    {versions[index + 1] === undefined ? "Show" : "Show the change"}
                  </Button>
                </p>
                {open.value === version.number && (
                  <Change
                    name={name}
                    version={version}
                    before={versions[index + 1]?.number ?? null}
                    runbook={runbook}
                    onRestored={onRestored}
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
  readonly version: RunbookVersion;
  /** Number of the version before; null for the first that is kept. */
  readonly before: number | null;
}

function Change({ name, version, before, runbook, onRestored }: ChangeProps) {
  const load = (number: number, options: LoadOptions) =>
    api.GET("/v1/runbooks/{domain}/{source}/versions/{number}", {
      params: { path: { ...name, number } },
      ...options,
    });
  const after = useRequest<VersionText>(`version ${version.number}`, (options) => load(version.number, options));
  return (
    <Loaded request={after} name="the version" lines={6}>
      {({ text }) => (
        <>
          {before === null ? (
            <LineDiff before={text} after={text} />
          ) : (
            <Before key={before} load={(options) => load(before, options)} after={text} />
          )}
          {can("ingest") && version.etag !== runbook.etag && (
            <RestoreButton name={name} text={text} etag={runbook.etag} onRestored={onRestored} />
          )}
        </>
      )}
    </Loaded>
  );
}

interface BeforeProps {
  readonly load: (options: LoadOptions) => Promise<{ data?: VersionText; error?: unknown; response: Response }>;
  readonly after: string;
}

function Before({ load, after }: BeforeProps) {
  const request = useRequest<VersionText>("before", load);
  return (
    <Loaded request={request} name="the version before" lines={6}>
      {({ text }) => <LineDiff before={text} after={after} />}
    </Loaded>
  );
}

interface RestoreButtonProps extends Pick<RunbookVersionsProps, "name" | "onRestored"> {
  readonly text: string;
  /** Of the current text. */
  readonly etag: string;
}

function RestoreButton({ name, text, etag, onRestored }: RestoreButtonProps) {
  const isBusy = useSignal(false);
  const restore = async () => {
    isBusy.value = true;
    const result = await settlePut(name, text, etag);
    isBusy.value = false;
    showToast(result ?? "Restored as a new version.", { isFailure: result !== null });
    if (result === null) await onRestored();
  };
  return (
    <Button isBusy={isBusy.value} onClick={() => void restore()}>
      Restore this version
    </Button>
  );
}

/** Null, or why it was not restored. */
async function settlePut(name: RunbookName, text: string, etag: string): Promise<string | null> {
  const result = await putRunbook(name, text, etag);
  return result.ok ? null : `Not restored: ${result.failure.detail}`;
}
