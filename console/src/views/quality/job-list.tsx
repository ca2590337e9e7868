// The jobs with their last runs, and a button that runs one now.

import { api } from "../../api/client.ts";
import { settle } from "../../api/failure.ts";
import type { Body } from "../../api/types.ts";
import { useGet } from "../../api/use-request.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { onePage, PageList } from "../../components/page-list.tsx";
import { Time } from "../../components/time.tsx";
import { showToast } from "../../components/toast.tsx";

type Job = Body<"/v1/admin/jobs">["jobs"][number];

/** @param props `isShown`: false while the part above is loading, so that the list does not move. It is requested in any case. */
export function JobList({ isShown }: { readonly isShown: boolean }) {
  const request = useGet("/v1/admin/jobs");
  if (!isShown) return null;
  return (
    <Section title="Jobs" note="They run by themselves. Times of the schedule are UTC.">
      <PageList
        pages={onePage(request, ({ jobs }) => jobs)}
        name="the jobs"
        empty="There are no jobs."
        row={(job) => <JobItem key={job.name} job={job} reload={request.reload} />}
      />
    </Section>
  );
}

function JobItem({ job, reload }: { readonly job: Job; readonly reload: () => Promise<void> }) {
  const { name, description, schedule } = job;
  const run = async () => {
    const result = await settle(api.POST("/v1/admin/jobs/{name}", { params: { path: { name } } }));
    if (!result.ok) showToast(`${name} did not run: ${result.failure.detail}`, { isFailure: true });
    else if (result.data.error !== null) showToast(`${name} failed: ${result.data.error}`, { isFailure: true });
    else showToast(`${name} ran${countsOf(result.data.counts)}.`);
    await reload();
  };
  return (
    <li class="row quality-job">
      <div>
        <div class="line">
          <h3>{name}</h3>
          <LastRun run={job.last_run} />
        </div>
        <p class="note">
          {description} <code>{schedule}</code>
        </p>
      </div>
      <Button size="small" onClick={run}>
        Run now <span class="visually-hidden">{name}</span>
      </Button>
    </li>
  );
}

function LastRun({ run }: { readonly run: Job["last_run"] }) {
  if (run === null) return <Badge>never ran</Badge>;
  if (run.error !== null)
    return (
      <span>
        <Badge tone="bad">{run.error}</Badge> <Time at={run.started_at} />
      </span>
    );
  const { finished_at } = run;
  return (
    <span>
      <Badge tone={finished_at === null ? "info" : "good"}>{finished_at === null ? "not finished" : "ok"}</Badge>{" "}
      <Time at={finished_at ?? run.started_at} />
    </span>
  );
}

/** Such as `: 3 written`, without zeros. */
function countsOf(counts: Readonly<Record<string, number>>): string {
  const shown = Object.entries(counts).filter(([, value]) => value > 0);
  return shown.length === 0
    ? ": nothing to do"
    : `: ${shown.map(([name, value]) => `${value} ${name.replaceAll("_", " ")}`).join(", ")}`;
}
