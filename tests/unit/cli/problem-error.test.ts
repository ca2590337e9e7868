import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS_OF_HINTS, describeProblem, problemIn, unreachable } from "../../../cli/service/problem-error.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";

const ROUTES = join(REPO_DIR, "functions/routes/v1");
const SERVICE = { url: "https://work.example", chosenBy: "the profile work" };
/** Requests that no command sends. */
const WITHOUT_COMMAND = new Set(["GET /v1/documents"]);

/** The texts of the API's errors that advise a request. */
const hints = readdirSync(ROUTES, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .flatMap((name) => [
    ...readFileSync(join(ROUTES, name), "utf8").matchAll(/["`]([^"`\n]* with (GET \/v1\/[^"`\s]*)\.)["`]/g),
  ])
  .map(([, text = "", request = ""]) => ({ text, request }));

function responseOf(status: number, problem: object): Response {
  return Response.json(
    { type: "t", title: "Not found", status, detail: "Wait.", request_id: "r", ...problem },
    { status },
  );
}

describe("the API's advice", () => {
  it("is known", () => {
    const requests = new Set(hints.map(({ request }) => request).filter((request) => !WITHOUT_COMMAND.has(request)));
    expect([...requests].sort()).toEqual(Object.keys(COMMANDS_OF_HINTS).sort());
  });

  it.each(hints.filter(({ request }) => !WITHOUT_COMMAND.has(request)))(
    "names a command: $text",
    ({ text, request }) => {
      const shown = describeProblem({ title: "Not found", detail: text });
      expect(shown).not.toMatch(/GET|\/v1/);
      expect(shown.endsWith(` with: ${COMMANDS_OF_HINTS[request]}`)).toBe(true);
    },
  );

  it("names the option of a command", () => {
    const source = readFileSync(join(ROUTES, "domains/domains.ts"), "utf8");
    const [advice = ""] = /Send force=true to [^.]*\./.exec(source) ?? [];
    const shown = describeProblem({ title: "The domain holds texts", detail: `a holds 1 runbook. ${advice}` });
    expect(shown).toBe("The domain holds texts. a holds 1 runbook. Add --force to delete them with the domain.");
  });
});

describe("a problem", () => {
  it("names each invalid field once, and is wrong usage", async () => {
    const problem = {
      type: "urn:dejavu:problem:invalid-request",
      title: "The request is not valid",
      detail: "The request is not valid. Correct it and send it again: limit: must be at least 1.",
      errors: [{ field: "limit", message: "must be at least 1." }],
    };
    const error = await problemIn(responseOf(422, problem), SERVICE);
    expect(error).toMatchObject({ message: problem.detail, exitCode: 2 });
  });

  it("does not repeat the message of its only field", () => {
    const errors = [{ field: "ends_at", message: "must be in the future" }];
    const detail = "`ends_at` must be in the future";
    expect(describeProblem({ title: "The request is not valid", detail, errors })).not.toContain("\n");
  });

  it("shows the fields that the detail does not name", () => {
    const errors = [{ field: "labels.0", message: "team=a is claimed by b." }];
    expect(describeProblem({ title: "Conflict", detail: "`errors` names them.", errors })).toBe(
      "Conflict. `errors` names them.\n  labels.0: team=a is claimed by b.",
    );
  });

  it.each([401, 403])("of the token names where it comes from: %i", async (status) => {
    const { message, exitCode } = await problemIn(responseOf(status, {}), SERVICE);
    expect(message).toContain("The token is that of https://work.example, chosen by the profile work.");
    expect(message).toContain("dejavu login --url https://work.example --profile work");
    expect(exitCode).toBe(4);
    const ofEnvironment = await problemIn(responseOf(status, {}), { ...SERVICE, chosenBy: "DEJAVU_URL" });
    expect(ofEnvironment.message).toContain("Set DEJAVU_TOKEN to another one.");
  });

  it("names a path of the address that finds nothing", async () => {
    const atPath = await problemIn(responseOf(404, {}), { url: "https://a.example/foo", chosenBy: "--url" });
    expect(atPath.message).toContain("The address has the path /foo. Without it: --url https://a.example");
    expect((await problemIn(responseOf(404, {}), SERVICE)).message).not.toContain("path");
  });
});

it.each([
  ["ERR_SSL_WRONG_VERSION_NUMBER", {}, "it answers with plain http, so its address begins with http://"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", { reason: "tlsv1 alert" }, "TLS failed, tlsv1 alert"],
  ["CERT_HAS_EXPIRED", { message: "certificate has expired" }, "TLS failed, certificate has expired"],
])("a connection that TLS ends with %s has a short reason", (code, fields, reason) => {
  const cause = Object.assign(new Error("408D66:error:0A00010B:SSL routines:../deps/x.c:77:"), { code, ...fields });
  const { message } = unreachable(new TypeError("fetch failed", { cause }), SERVICE, 1_000);
  expect(message).toContain(`cannot be reached: ${reason}. `);
  expect(message).not.toContain("deps");
});
