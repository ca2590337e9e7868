// Help, arguments and errors of the command line in all their variants. tests/integration/cli has one of each kind.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { fakeService } from "../../integration/cli/support/fake-service.ts";
import { createPerson } from "../../integration/cli/support/person.ts";
import { createHarness, emptyStores } from "../../integration/support/harness.ts";
import { listen } from "../../integration/support/servers/listen.ts";

const { services } = createHarness();
const server = await listen(services);
const { url } = server;
const TOKEN = services.config.DEJAVU_TOKEN ?? "";

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

describe("dejavu login", () => {
  it("accepts a token that may not read", async () => {
    await using dana = await createPerson({ DEJAVU_URL: url, DEJAVU_TOKEN: TOKEN });
    const created = await dana.dejavu(["tokens", "create", "--name", "ci", "--scopes", "triage"]);
    const token = created.out.trimEnd().split("\n").at(-1) ?? "";
    const login = await dana.dejavu(["login", "--url", url, "--token-stdin"], { input: token });
    expect(login).toMatchObject({ code: 0 });
    const refused = await dana.dejavu(["list", "--profile", "default"]);
    expect(refused).toMatchObject({ code: 4, problems: expect.stringContaining("The token does not allow this") });
  });

  it("reads a terminal without echo", async () => {
    await using dana = await createPerson();
    // `script` gives the command a terminal.
    const command = `${process.execPath} ${join(REPO_DIR, "cli/dejavu.ts")} login --url ${url}`;
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env: dana.env });
    let shown = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (!shown.includes("Token of") && (shown + text).includes("Token of")) child.stdin.write(`${TOKEN}x\u007f\r`);
      shown += text;
    });
    const [code] = await once(child, "exit");
    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining("Signed in") });
    expect(shown).not.toContain(TOKEN.slice(0, 8));
  });
});

describe("the chosen service", () => {
  it.each([
    ["an unknown profile", ["--profile", "nowhere"], 'has no profile "nowhere"'],
    ["a URL that is none", ["--url", "dejavu"], "--url must be an address such as"],
  ])("is refused for %s", async (_, words, message) => {
    await using dana = await createPerson();
    const { code, problems } = await dana.dejavu(["list", ...words]);
    expect({ code, problems }).toEqual({ code: 2, problems: expect.stringContaining(message) });
  });

  it("keeps the other profiles and a symbolic link when one is added", async () => {
    await using dana = await createPerson();
    await dana.dejavu(["login", "--url", url, "--profile", "a", "--token-stdin"], { input: TOKEN });
    await dana.dejavu(["login", "--url", url, "--profile", "b", "--token-stdin"], { input: TOKEN });
    const config = JSON.parse(await readFile(dana.config, "utf8"));
    expect([config.default, Object.keys(config.profiles)]).toEqual(["a", ["a", "b"]]);
    const removed = await dana.dejavu(["logout", "a"]);
    expect(removed.out).toContain("The default is b now.");
  });
});

describe("a service that fails", () => {
  it.each<[string, RequestListener, string]>([
    ["answers with HTML", (_, response) => response.end("<html>"), "is not one of Dejavu's"],
    ["answers with other JSON", (_, response) => response.end('{"incidents": 5}'), "is not one of Dejavu's"],
    ["fails without a problem document", (_, response) => response.writeHead(502).end("bad"), "status 502"],
    ["closes the connection", (request) => void request.socket.destroy(), "it closed the connection"],
  ])("%s", async (_, listener, message) => {
    await using other = await fakeService(listener);
    await using dana = await createPerson({ DEJAVU_URL: other.url, DEJAVU_TOKEN: "a-token" });
    const { code, out, problems } = await dana.dejavu(["list"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(problems).toContain(message);
    for (const text of ["\u001b", "\n    at ", "a-token"]) expect(problems).not.toContain(text);
  });

  it("is unreachable", async () => {
    await using dana = await createPerson({ DEJAVU_URL: "http://127.0.0.1:9", DEJAVU_TOKEN: "a-token" });
    const { code, problems } = await dana.dejavu(["list"]);
    expect(code).toBe(1);
    expect(problems).toContain("Dejavu at http://127.0.0.1:9 (chosen by DEJAVU_URL) cannot be reached");
  });

  it("ends a stream of events too early, or sends another shape", async () => {
    const streams = ["event: token\ndata: {}\n\n", 'event: done\ndata: {"a":1}\n\n', "event: done\ndata: {\n\n"];
    for (const stream of streams) {
      await using other = await fakeService((_, response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(stream),
      );
      await using dana = await createPerson({ DEJAVU_URL: other.url, DEJAVU_TOKEN: "a-token" });
      const { code, out, problems } = await dana.dejavu(["triage", "x"]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(problems).toMatch(/before the triage finished|is not one of Dejavu's/);
    }
  });
});

describe("the command line", () => {
  it.each([
    ["a misspelt command", ["traige"], "Did you mean triage?"],
    ["a misspelt option", ["list", "--domian", "docker"], "Did you mean --domain?"],
    ["a value that is not in the list", ["list", "--status", "open"], "Allowed choices are queued"],
    ["a missing argument", ["show"], "missing required argument 'id'"],
    ["an extra argument", ["list", "docker"], "too many arguments"],
    ["help of a misspelt command", ["help", "traige"], "Did you mean triage?"],
    ["help of a misspelt subcommand", ["help", "runbooks", "ad"], "Did you mean add?"],
    ["an error of a subcommand", ["runbooks", "add"], "For the usage: dejavu runbooks add --help"],
  ])("exits with 2 for %s", async (_, words, message) => {
    await using dana = await createPerson();
    expect(await dana.dejavu(words)).toMatchObject({ code: 2, out: "", problems: expect.stringContaining(message) });
  });

  it("prints help with examples for every command, and the version", async () => {
    await using dana = await createPerson();
    const words = (await commandsOf([])).map((name) => [name]);
    for (const command of words) {
      if (command.at(-1) === "help" || command.at(-1) === "eval") continue;
      const { code, out } = await dana.dejavu([...command, "--help"]);
      expect({ command, code }).toEqual({ command, code: 0 });
      if (out.includes("\nCommands:\n")) words.push(...(await commandsOf(command)).map((name) => [...command, name]));
      else expect(out).toMatch(/\nExamples:\n {2}\$ /);
    }
    expect(await dana.dejavu(["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });

    async function commandsOf(path: readonly string[]): Promise<string[]> {
      const { out } = await dana.dejavu([...path, "--help"]);
      const lists = out.split("\n").filter((line) => /^ {2}[a-z][a-z-]*(?:\|[a-z]+)?(?: |$)/.test(line));
      return lists.map((line) => /[a-z-]+/.exec(line)?.[0] ?? "");
    }
  });

  it("prints the same help for help and --help, at most 100 columns wide", async () => {
    await using dana = await createPerson();
    const help = await dana.dejavu(["help", "runbooks", "add"]);
    expect(help).toMatchObject({ code: 0, out: (await dana.dejavu(["runbooks", "add", "--help"])).out });
    const { out } = await dana.dejavu(["--help"]);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it.each([
    ["a limit", ["list", "--limit", "0"], "limit: "],
    ["a cursor", ["list", "--cursor", "abc"], "cursor: "],
    ["a session id", ["list", "--session", "s".repeat(1_000)], "session_id: "],
    ["a target", ["list", "--target", ""], "target: "],
  ])("exits with 2 for %s that the service rejects, and names it once", async (_, words, field) => {
    await using dana = await createPerson({ DEJAVU_URL: url, DEJAVU_TOKEN: TOKEN });
    const { code, out, problems } = await dana.dejavu(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(problems.split(field)).toHaveLength(2);
    expect(problems.split("The request is not valid")).toHaveLength(2);
  });

  it("names commands and options where the API names requests", async () => {
    await using dana = await createPerson({ DEJAVU_URL: url, DEJAVU_TOKEN: TOKEN });
    const runbook = await dana.dejavu(["runbooks", "show", "consul/nope.md"]);
    expect(runbook).toMatchObject({ code: 3, problems: expect.stringContaining("with: dejavu runbooks list\n") });
    const empty = await dana.dejavu(["runbooks", "list", "--domain", "nonexist"]);
    expect(empty).toMatchObject({ code: 0, problems: expect.stringContaining('There is no domain "nonexist"') });
    const search = await dana.dejavu(["search", "x", "--domain", "nonexist"]);
    expect(search).toMatchObject({ code: 0, problems: expect.stringContaining('There is no domain "nonexist"') });
  });
});
