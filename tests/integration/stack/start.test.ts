// `npm start` once, after the first time. tests/extended/stack/start.test.ts has the first start and the options.

import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { postTriage } from "../../../cli/service/triage-client.ts";
import { npmStart } from "./support/npm-start.ts";
import { killProcessesUsing, processesUsing } from "./support/processes.ts";
import { scratchDir } from "./support/scratch.ts";

test.runIf(process.platform === "linux")(
  "npm start loads the runbooks, says how to use it, triages, and ends on Ctrl-C without a process left",
  async () => {
    const scratch = scratchDir();
    onTestFinished(() => killProcessesUsing(scratch));
    const dir = join(scratch, "data");
    mkdirSync(dir);
    writeFileSync(join(dir, "sample-shown"), "");
    const { child, exited, info, output } = await npmStart(dir);
    expect(output).toContain(`${info.urls.worker}/console#code=`);
    expect(output).toContain("dejavu triage");
    // The output of a pipe may be stored.
    expect(output).not.toContain(info.token);
    expect(output).toContain("stack.json");
    const closed = ["chroma", "logs", "wrangler"].map((name) => statSync(join(dir, name)).mode & 0o077);
    expect(closed).toEqual([0, 0, 0]);
    // Without the secret name of the tenant, Chroma shows nothing.
    const others = "api/v2/tenants/default_tenant/databases/default_database/collections";
    expect(await (await fetch(`${info.urls.chroma}/${others}`)).json()).toEqual([]);
    const title = "api-gateway docker container exited with code 137";
    const result = await postTriage(info.urls.worker, info.token, { title });
    expect(result).toMatchObject({ outcome: "cause", persisted: true, warnings: [] });
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(processesUsing(scratch)).toEqual([]);
  },
);
