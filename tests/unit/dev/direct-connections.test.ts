import { afterEach, describe, expect, it, vi } from "vitest";
import { connectDirectly } from "../../../dev/stack/system/direct-connections.ts";

afterEach(() => void vi.unstubAllEnvs());

describe("connectDirectly()", () => {
  it("excepts this machine from the proxy, and keeps the exceptions of the person", () => {
    vi.stubEnv("NO_PROXY", "example.com, .internal");
    vi.stubEnv("no_proxy", undefined);
    connectDirectly();
    const expected = "example.com,.internal,127.0.0.1,localhost,::1";
    expect([process.env.NO_PROXY, process.env.no_proxy]).toEqual([expected, expected]);
    connectDirectly();
    expect(process.env.no_proxy).toBe(expected);
  });
});
