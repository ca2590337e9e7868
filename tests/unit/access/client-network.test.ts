import { describe, expect, it } from "vitest";
import { networkOf } from "../../../functions/access/client-network.ts";

describe("networkOf", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1"],
    ["2001:db8:0:1::5", "2001:db8:0:1"],
    ["2001:db8::", "2001:db8:0:0"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
  ])("takes %s for %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each(["", ":", ":::", "1:2", "a".repeat(1_000), ":".repeat(1_000), "::1::2::3"])("survives %j", (address) => {
    expect(typeof networkOf(address)).toBe("string");
  });
});
