// How commands choose the service and keep tokens, and what they say of services that fail, stall or lie.

import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, emptyStores } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";
import { fakeService } from "./support/fake-service.ts";
import { createPerson } from "./support/person.ts";

const { services } = createHarness();
const server = await listen(services);
const { url } = server;
const TOKEN = services.config.DEJAVU_TOKEN ?? "";

beforeEach(() => emptyStores(services));
afterAll(() => server[Symbol.asyncDispose]());

describe("dejavu login", () => {
  it("stores a verified token for its owner only, and uses it", async () => {
    await using dana = await createPerson();
    const login = await dana.dejavu(["login", "--url", `${url}/`, "--profile", "work", "--token-stdin"], {
      input: `${TOKEN}\n`,
    });
    expect(login).toMatchObject({ code: 0, problems: "", out: expect.stringContaining("the profile work") });
    expect(login.out).not.toContain(TOKEN);
    expect((await stat(dana.config)).mode & 0o777).toBe(0o600);
    expect((await stat(join(dana.config, ".."))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(dana.config, "utf8"))).toEqual({
      person: null,
      default: "work",
      profiles: { work: { url, token: TOKEN } },
    });
    expect(await dana.dejavu(["list"])).toMatchObject({ code: 0 });
    expect((await dana.dejavu(["login", "--list"])).out).toMatch(/work +http:\S+ +default/);
    expect((await dana.dejavu(["open"])).out).toBe(`${url}/\n`);
    expect(await dana.dejavu(["logout"])).toMatchObject({ code: 0 });
    expect(await readFile(dana.config, "utf8")).not.toContain(TOKEN);
  });

  it("stores no token that the service refuses, or that would cross the network in the clear", async () => {
    await using dana = await createPerson();
    const wrong = await dana.dejavu(["login", "--url", url, "--token-stdin"], { input: "djv_wrong" });
    expect(wrong).toMatchObject({
      code: 4,
      out: "",
      problems: expect.stringContaining("A valid bearer token is needed"),
    });
    const clear = await dana.dejavu(["login", "--url", "http://dejavu.example", "--token-stdin"], { input: TOKEN });
    expect(clear).toMatchObject({ code: 2, problems: expect.stringContaining("not encrypted") });
    const empty = await dana.dejavu(["login", "--url", url, "--token-stdin"], { input: " \n" });
    expect(empty).toMatchObject({ code: 2, problems: expect.stringContaining("This is no token") });
    const withoutTerminal = await dana.dejavu(["login", "--url", url]);
    expect(withoutTerminal).toMatchObject({ code: 2, problems: expect.stringContaining("--token-stdin") });
    await expect(stat(dana.config)).rejects.toThrow("ENOENT");
  });
});

describe("the chosen service", () => {
  it("never gets a token of another origin", async () => {
    const headers: (string | undefined)[] = [];
    await using other = await fakeService((request, response) => {
      headers.push(request.headers.authorization);
      response.end("{}");
    });
    await using dana = await createPerson();
    await dana.dejavu(["login", "--url", url, "--profile", "work", "--token-stdin"], { input: TOKEN });
    const byUrl = await dana.dejavu(["list", "--url", other.url]);
    expect(byUrl).toMatchObject({ code: 4, problems: expect.stringContaining(`There is no token for ${other.url}`) });
    const both = await dana.dejavu(["list", "--url", other.url, "--profile", "work"]);
    expect(both).toMatchObject({ code: 2, problems: expect.stringContaining(`is not sent to ${other.url}`) });
    const ofEnvironment = await dana.dejavu(["list", "--url", other.url], {
      env: { DEJAVU_URL: url, DEJAVU_TOKEN: TOKEN },
    });
    expect(ofEnvironment.code).toBe(4);
    expect(headers).toEqual([]);
    // The profile's token goes to its own origin.
    expect(await dana.dejavu(["list", "--url", url])).toMatchObject({ code: 0 });
  });

  it("is the same for an agent that dejavu mcp add registers, which has no variables of the shell", async () => {
    await using dana = await createPerson();
    const add = ["mcp", "add", "cursor", "--dry-run", "--json"];
    const env = { DEJAVU_URL: url, DEJAVU_TOKEN: TOKEN };
    const refused = { code: 4, problems: expect.stringContaining(`dejavu login --url ${url}`) };
    expect(await dana.dejavu(add, { env })).toMatchObject(refused);
    expect(await dana.dejavu([...add, "--url", url], { env: { DEJAVU_TOKEN: TOKEN } })).toMatchObject(refused);
    await dana.dejavu(["login", "--url", url, "--profile", "work", "--token-stdin"], { input: TOKEN });
    for (const options of [{ env }, { env: { DEJAVU_TOKEN: TOKEN } }]) {
      const { out } = await dana.dejavu([...add, "--url", url], options);
      expect(JSON.parse(out).entry.args.slice(-3)).toEqual(["mcp", "--url", url]);
    }
    expect(JSON.parse((await dana.dejavu(add, { env })).out).entry.args.slice(-3)).toEqual(["mcp", "--url", url]);
    expect(JSON.parse((await dana.dejavu(add)).out).entry.args.at(-1)).toBe("mcp");
  });

  it("does not follow a redirect", async () => {
    await using other = await fakeService((_, response) =>
      response.writeHead(302, { location: `${url}/v1/incidents` }).end(),
    );
    await using dana = await createPerson({ DEJAVU_URL: other.url, DEJAVU_TOKEN: TOKEN });
    expect(await dana.dejavu(["list"])).toMatchObject({ code: 1, problems: expect.stringContaining("redirects to") });
  });

  it.each([
    ["a URL with a password", ["--url", "http://a:b@127.0.0.1"], {}, 2, "must hold no user name, password"],
    ["DEJAVU_URL without a token", [], { DEJAVU_URL: "https://dejavu.example" }, 4, "DEJAVU_TOKEN is not"],
  ])("is refused for %s", async (_, words, env, code, message) => {
    await using dana = await createPerson(env);
    expect(await dana.dejavu(["list", ...words])).toMatchObject({
      code,
      out: "",
      problems: expect.stringContaining(message),
    });
  });

  it("is not read from a file that others can read, or that is broken", async () => {
    await using dana = await createPerson();
    await mkdir(join(dana.config, ".."), { recursive: true });
    await writeFile(dana.config, `{"default":"a","profiles":{"a":{"url":"${url}","token":"${TOKEN}"}}}`);
    await chmod(dana.config, 0o644);
    const open = await dana.dejavu(["list"]);
    expect(open).toMatchObject({ code: 1, problems: expect.stringContaining(`chmod 600 ${dana.config}`) });
    await chmod(dana.config, 0o600);
    expect(await dana.dejavu(["list"])).toMatchObject({ code: 0 });
    await writeFile(dana.config, "{");
    expect(await dana.dejavu(["list"])).toMatchObject({ code: 1, problems: expect.stringContaining("is not valid") });
  });
});

describe("a service that fails", () => {
  it("sends control characters", async () => {
    await using other = await fakeService((_, response) =>
      response
        .writeHead(503)
        .end(JSON.stringify({ type: "t", title: "\u001b[2Jgone", status: 503, detail: "Wait.", request_id: "r-1" })),
    );
    await using dana = await createPerson({ DEJAVU_URL: other.url, DEJAVU_TOKEN: "a-token" });
    const { code, out, problems } = await dana.dejavu(["list"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(problems).toContain("[2Jgone. Wait.\nRequest id: r-1");
    for (const text of ["\u001b", "\n    at ", "a-token"]) expect(problems).not.toContain(text);
  });
});

describe("the command line", () => {
  it.each([
    ["a misspelt subcommand", ["memory", "serch", "x"], "Did you mean search?"],
    ["no command", [], "Usage: dejavu"],
  ])("exits with 2 for %s", async (_, words, message) => {
    await using dana = await createPerson();
    expect(await dana.dejavu(words)).toMatchObject({ code: 2, out: "", problems: expect.stringContaining(message) });
  });
});
