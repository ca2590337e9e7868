// The Cloudflare account: login, queues and secrets, as wrangler reports them.

import { z } from "zod";
import { optionForWrangler, queueNames, type WorkerEnvironment } from "./environment.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { REQUIRED_SETTINGS } from "./settings-file.ts";
import { runWrangler, type WranglerOptions, type WranglerResult } from "./wrangler.ts";

const { ok, problem, unchecked } = findingsOf("account");

export interface AccountReport {
  readonly findings: readonly Finding[];
  /** Names of the Worker's secrets; undefined if they could not be read. */
  readonly secretNames: readonly string[] | undefined;
}

const whoamiSchema = z.object({
  accounts: z.array(z.object({ id: z.string(), name: z.string() })),
});

type Refusal = Extract<WranglerResult, { ok: false }>;

/** @param isDeployed whether the Worker should consume its queues already */
export async function checkAccount(
  environment: WorkerEnvironment,
  options: WranglerOptions,
  isDeployed: boolean,
): Promise<AccountReport> {
  const { finding: identity } = await checkLogin(environment, options);
  if (identity.status !== "ok") {
    return {
      findings: [identity, unchecked("Queues and secrets were not checked: they need the account.")],
      secretNames: undefined,
    };
  }
  const [queues, secrets] = await Promise.all([
    checkQueues(environment, options, isDeployed),
    checkSecrets(environment, options),
  ]);
  return { findings: [identity, ...queues, ...secrets.findings], secretNames: secrets.secretNames };
}

type Account = z.infer<typeof whoamiSchema>["accounts"][number];

export interface Login {
  readonly finding: Finding;
  /** Whether nobody is logged in. */
  readonly isMissing: boolean;
  /** All accounts of the login. */
  readonly accounts: readonly Account[];
}

export async function checkLogin(environment: WorkerEnvironment, options: WranglerOptions): Promise<Login> {
  const login = await runWrangler(["whoami", "--json"], options);
  if (!login.ok)
    return { finding: describeRefusal(login, "the login"), isMissing: login.failure === "login", accounts: [] };
  const accounts = parseJson(login.out, whoamiSchema)?.accounts;
  if (accounts === undefined) {
    const finding = unchecked("The login was not checked: wrangler printed no JSON.");
    return { finding, isMissing: false, accounts: [] };
  }
  const { CLOUDFLARE_ACCOUNT_ID } = { ...process.env, ...options.variables };
  const finding = findAccountProblem(accounts, environment.account_id ?? CLOUDFLARE_ACCOUNT_ID);
  return { finding, isMissing: false, accounts };
}

function findAccountProblem(accounts: readonly Account[], chosenId: string | undefined): Finding {
  const chosen = chosenId === undefined ? accounts : accounts.filter(({ id }) => id === chosenId);
  const [account] = chosen;
  if (account === undefined && chosenId !== undefined)
    return problem(
      `The login has no access to the account ${chosenId}.`,
      "Correct CLOUDFLARE_ACCOUNT_ID or the login.",
    );
  if (account === undefined) return problem("The login has access to no account.", "npx wrangler login");
  if (chosen.length > 1) {
    const names = accounts.map(({ id, name }) => `${name} (${id})`).join(", ");
    return problem(`The login has several accounts: ${names}.`, "Set CLOUDFLARE_ACCOUNT_ID to the id of one.");
  }
  return ok(`Logged in to the account ${account.name}.`);
}

function describeRefusal({ failure, detail }: Refusal, subject: string): Finding {
  switch (failure) {
    case "login":
      return problem(
        `Cloudflare refuses ${subject}: ${detail.replace(/\.$/, "")}.`,
        "Run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token with the permissions of docs/guides/deploy.md.",
      );
    case "timeout":
    case "network":
      return unchecked(
        `Cloudflare does not answer, so ${subject} could not be read: ${detail}.`,
        "Check the network, then run the check again.",
      );
    case "no_worker":
    case "other":
      return unchecked(`Wrangler could not read ${subject}: ${detail}`, "Run the check again.");
  }
}

/** A row of the table that `wrangler queues list` prints. */
interface QueueRow {
  readonly name: string;
  readonly consumers: number;
}

export type QueueRows =
  | { readonly ok: true; readonly rows: ReadonlyMap<string, QueueRow> }
  | { readonly ok: false; readonly finding: Finding };

/** The queues of the account, at least those of the environment that exist. */
export async function listQueues(environment: WorkerEnvironment, options: WranglerOptions): Promise<QueueRows> {
  const rows = new Map<string, QueueRow>();
  for (let page = 1; ; page++) {
    const listing = await runWrangler(["queues", "list", "--page", String(page)], options);
    if (!listing.ok) return { ok: false, finding: describeRefusal(listing, "the list of queues") };
    const added = readQueueTable(listing.out).filter(({ name }) => !rows.has(name));
    for (const row of added) rows.set(row.name, row);
    const isComplete = queueNames(environment).every((name) => rows.has(name));
    if (isComplete || added.length === 0) return { ok: true, rows };
  }
}

async function checkQueues(
  environment: WorkerEnvironment,
  options: WranglerOptions,
  isDeployed: boolean,
): Promise<Finding[]> {
  const listing = await listQueues(environment, options);
  if (!listing.ok) return [listing.finding];
  const { rows } = listing;
  const missing = queueNames(environment).filter((name) => !rows.has(name));
  const unread = environment.queues.consumers.filter(({ queue }) => rows.get(queue)?.consumers === 0);
  const problems = [
    ...missing.map((name) =>
      problem(`The queue ${name} does not exist.`, `npx wrangler ${queueCreation(name).join(" ")}`),
    ),
    ...(isDeployed ? unread : []).map(({ queue }) =>
      problem(
        `No Worker consumes the queue ${queue}.`,
        `npx wrangler triggers deploy${optionForWrangler(options.environment)}`,
      ),
    ),
  ];
  return problems.length > 0 ? problems : [ok(`The ${queueNames(environment).length} queues exist.`)];
}

/** The words of the command that creates a queue. */
export function queueCreation(queue: string): string[] {
  // Buffered writes wait for the database; the other messages can be made anew.
  const retention = queue.endsWith("-writes") ? ["--message-retention-period-secs", "1209600"] : [];
  return ["queues", "create", queue, ...retention];
}

/** Reads the table by its heading, since columns may be added. */
export function readQueueTable(out: string): QueueRow[] {
  const lines = out.split("\n").filter((line) => line.includes("│"));
  const [heading = [], ...rows] = lines.map((line) => line.split("│").map((cell) => cell.trim()));
  const nameColumn = heading.indexOf("name");
  const consumersColumn = heading.indexOf("consumers");
  return rows.flatMap((cells) => {
    const name = cells[nameColumn];
    const consumers = Number(cells[consumersColumn]);
    return name === undefined || name === "" ? [] : [{ name, consumers }];
  });
}

const secretsSchema = z.array(z.object({ name: z.string() }));

export async function checkSecrets(
  { vars, name: worker }: WorkerEnvironment,
  options: WranglerOptions,
): Promise<AccountReport> {
  const listing = await runWrangler(["secret", "list"], options);
  const required = REQUIRED_SETTINGS.filter((name) => !(name in vars));
  const put = (name: string) => `npx wrangler secret put ${name}${optionForWrangler(options.environment)}`;
  if (!listing.ok && listing.failure === "no_worker") {
    const findings = required.map((name) =>
      problem(`The secret ${name} is not set: the Worker ${worker} does not exist yet.`, put(name)),
    );
    return { findings, secretNames: [] };
  }
  if (!listing.ok) return { findings: [describeRefusal(listing, "the list of secrets")], secretNames: undefined };
  const secrets = parseJson(listing.out, secretsSchema);
  if (secrets === undefined)
    return { findings: [unchecked("Secrets were not checked: wrangler printed no JSON.")], secretNames: undefined };
  const names = secrets.map(({ name }) => name);
  const missing = required.filter((name) => !names.includes(name));
  const findings =
    missing.length > 0
      ? missing.map((name) => problem(`The secret ${name} is not set.`, put(name)))
      : [ok(`The required settings are set: ${REQUIRED_SETTINGS.join(", ")}.`)];
  return { findings, secretNames: names };
}

/** @returns undefined for a text without such JSON */
function parseJson<T>(text: string, schema: z.ZodType<T>): T | undefined {
  const start = text.search(/[[{]/);
  try {
    return schema.safeParse(JSON.parse(text.slice(start))).data;
  } catch {
    return undefined;
  }
}
