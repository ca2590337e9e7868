import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  findService,
  isLoopback,
  normalUrl,
  type ServiceChoice,
  unusedToken,
} from "../../../cli/service/find-service.ts";
import { storeProfile } from "../../../cli/service/profiles.ts";

const HOME = mkdtempSync(join(tmpdir(), "dejavu-home-"));
const WITH_PROFILES = join(HOME, "profiles");
const LOCAL = { url: "http://127.0.0.1:4321", token: "local-token", folder: "/clone" };

storeProfile({ XDG_CONFIG_HOME: WITH_PROFILES }, "work", { url: "https://work.example", token: "work-token" }, false);
storeProfile(
  { XDG_CONFIG_HOME: WITH_PROFILES },
  "other",
  { url: "https://other.example", token: "other-token" },
  false,
);
afterAll(() => rmSync(HOME, { recursive: true }));

function choose(
  choice: ServiceChoice,
  env: Readonly<Record<string, string>>,
  { hasProfiles = true, hasLocal = true }: { readonly hasProfiles?: boolean; readonly hasLocal?: boolean } = {},
) {
  const config = { XDG_CONFIG_HOME: hasProfiles ? WITH_PROFILES : join(HOME, "none") };
  return findService(choice, { env: { ...config, ...env }, localService: () => (hasLocal ? LOCAL : null) });
}

const ENVIRONMENT = { DEJAVU_URL: "https://env.example", DEJAVU_TOKEN: "env-token" };

describe("the service", () => {
  it.each<[string, ServiceChoice, Record<string, string>, string, string]>([
    [
      "--url with the token of the environment",
      { url: "https://a.example/" },
      { DEJAVU_TOKEN: "t" },
      "https://a.example",
      "t",
    ],
    [
      "--url with the token of its profile",
      { url: "https://other.example" },
      {},
      "https://other.example",
      "other-token",
    ],
    ["--url of the local stack", { url: "http://127.0.0.1:4321" }, {}, LOCAL.url, "local-token"],
    ["--url of DEJAVU_URL", { url: "https://env.example/" }, ENVIRONMENT, "https://env.example", "env-token"],
    ["--profile before the environment", { profile: "other" }, ENVIRONMENT, "https://other.example", "other-token"],
    ["the environment before the default profile", {}, ENVIRONMENT, "https://env.example", "env-token"],
    ["the default profile before the local stack", {}, { DEJAVU_TOKEN: "t" }, "https://work.example", "work-token"],
  ])("is that of %s", (_, choice, env, url, token) => {
    expect(choose(choice, env)).toMatchObject({ url, token });
  });

  it("is the local stack if nothing else is chosen", () => {
    const service = choose({}, { DEJAVU_TOKEN: "t" }, { hasProfiles: false });
    expect(service).toEqual({
      url: LOCAL.url,
      token: "local-token",
      chosenBy: "the local stack",
      key: "checkout /clone",
      isLocal: true,
    });
  });

  it.each<[string, ServiceChoice, Record<string, string>, string]>([
    ["there is none", {}, {}, "dejavu login --url <url>"],
    [
      "the token belongs to another address",
      { url: "https://a.example" },
      ENVIRONMENT,
      "There is no token for https://a.example",
    ],
    ["the profile belongs to another address", { url: "https://a.example", profile: "work" }, {}, "has no profile"],
    ["a port differs", { url: "https://env.example:444" }, ENVIRONMENT, "There is no token"],
    ["only the scheme differs", { url: "http://env.example" }, ENVIRONMENT, "There is no token"],
  ])("is an error if %s", (_, choice, env, message) => {
    expect(() => choose(choice, env, { hasProfiles: false, hasLocal: false })).toThrow(message);
  });
});

it("a token of the environment without an address is noted", () => {
  const env = { DEJAVU_TOKEN: "t" };
  expect(unusedToken({}, env)).toContain("set DEJAVU_URL");
  expect(() => choose({}, env, { hasProfiles: false, hasLocal: false })).toThrow(/^DEJAVU_TOKEN is set but not used/);
  for (const choice of [{ url: "https://a.example" }, { profile: "work" }]) expect(unusedToken(choice, env)).toBeNull();
  expect(unusedToken({}, ENVIRONMENT)).toBeNull();
  expect(unusedToken({}, {})).toBeNull();
});

describe("an address", () => {
  it("may have a path, and loses its last slash", () => {
    expect(normalUrl("https://example.com/dejavu/", "--url")).toBe("https://example.com/dejavu");
  });

  it.each(["ftp://a", "a", "https://", "https://a?b=c", "https://a#b", "https://u@a", "javascript:1"])(
    "is not %j",
    (text) => {
      expect(() => normalUrl(text, "--url")).toThrow("--url");
    },
  );

  it("is of this machine only with a loopback host", () => {
    const hosts = [
      "localhost",
      "127.0.0.1",
      "127.8.9.1",
      "[::1]",
      "127.0.0.1.example.com",
      "localhost.example",
      "10.0.0.1",
    ];
    expect(hosts.filter((host) => isLoopback(`http://${host}:80`))).toEqual(hosts.slice(0, 4));
  });
});
