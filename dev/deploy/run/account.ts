// The Cloudflare account of a deployment: login, account, queues, the secrets that the Worker has.

import { checkLogin, checkSecrets, listQueues, queueCreation } from "../check-account.ts";
import { queueNames, type WorkerEnvironment } from "../environment.ts";
import { renderFinding } from "../finding.ts";
import { logIn, runWrangler, type WranglerOptions } from "../wrangler.ts";
import { type Conversation, DeployError } from "./person.ts";

/** @returns options with the chosen account. @throws DeployError */
export async function obtainAccount(
  environment: WorkerEnvironment,
  options: WranglerOptions,
  { print, person }: Conversation,
): Promise<WranglerOptions> {
  let login = await checkLogin(environment, options);
  if (login.isMissing && person !== null) {
    print("You are not logged in to Cloudflare. Log in at the browser that opens.");
    if (await logIn()) login = await checkLogin(environment, options);
  }
  let chosen = options;
  if (login.finding.status !== "ok" && login.accounts.length > 1 && person !== null) {
    const list = login.accounts.map(({ name }, i) => `  ${i + 1}  ${name}`).join("\n");
    const answer = await person.answer({ text: `Which account?\n${list}\nNumber`, fallback: "1" });
    const account = login.accounts[Number(answer) - 1];
    if (account === undefined) throw new DeployError(`There is no account ${answer}. Nothing was changed.`);
    chosen = { ...options, variables: { ...options.variables, CLOUDFLARE_ACCOUNT_ID: account.id } };
    login = await checkLogin(environment, chosen);
  }
  print(renderFinding(login.finding));
  if (login.finding.status !== "ok") throw new DeployError("The account is not right. Nothing was changed.");
  return chosen;
}

/** Names of queues that do not exist. @throws DeployError */
export async function missingQueues(environment: WorkerEnvironment, options: WranglerOptions): Promise<string[]> {
  const listing = await listQueues(environment, options);
  if (!listing.ok) throw new DeployError(renderFinding(listing.finding));
  return queueNames(environment).filter((name) => !listing.rows.has(name));
}

/** @throws DeployError */
export async function createQueue(name: string, options: WranglerOptions): Promise<void> {
  const result = await runWrangler(queueCreation(name), options);
  // Another run may have made it meanwhile.
  if (result.ok || /already (?:taken|exists)/i.test(result.detail)) return;
  throw new DeployError(`The queue ${name} could not be made: ${result.detail}`);
}

/** Names of the Worker's secrets; empty while it does not exist. @throws DeployError */
export async function secretNames(
  environment: WorkerEnvironment,
  options: WranglerOptions,
): Promise<readonly string[]> {
  const { secretNames: names, findings } = await checkSecrets(environment, options);
  if (names === undefined) throw new DeployError(findings.map(renderFinding).join("\n"));
  return names;
}
