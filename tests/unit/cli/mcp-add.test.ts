import { describe, expect, it } from "vitest";
import { programCall, withServer } from "../../../cli/commands/mcp-add.ts";

const SERVER = {
  path: "mcp.json",
  field: "mcpServers",
  name: "dejavu",
  entry: { command: "dejavu", args: ["mcp"] },
} as const;
const OTHER = { mcpServers: { other: { url: "https://other.example/mcp" } }, theme: "dark" };

describe("the configuration of a client", () => {
  it.each([undefined, "", " \n"])("is made anew from %j", (text) => {
    expect(JSON.parse(withServer(text, SERVER))).toEqual({ mcpServers: { dejavu: SERVER.entry } });
  });

  it("keeps other entries, their order and the indentation, and replaces its own entry", () => {
    const text = JSON.stringify({ ...OTHER, mcpServers: { dejavu: { url: "old" }, ...OTHER.mcpServers } }, null, "\t");
    const changed = withServer(text, SERVER);
    expect(JSON.parse(changed)).toEqual({ ...OTHER, mcpServers: { dejavu: SERVER.entry, ...OTHER.mcpServers } });
    expect(Object.keys(JSON.parse(changed))).toEqual(["mcpServers", "theme"]);
    expect(changed).toMatch(/^\{\n\t"mcpServers"/);
    expect(withServer(changed, SERVER)).toBe(changed);
  });

  it.each([
    ['{\n  // a comment\n  "mcpServers": {}\n}', "is not plain JSON"],
    ["[]", "holds no JSON object"],
    ['{"mcpServers": []}', "has a field mcpServers that is no object"],
  ])("is left as it is where it could lose something: %s", (text, reason) => {
    expect(() => withServer(text, SERVER)).toThrow(
      `mcp.json ${reason}, so it is left as it is. Add this by hand: {"mcpServers":{"dejavu":{`,
    );
  });

  it("starts the same program without a PATH", () => {
    expect(programCall("/opt/node", "/srv/dejavu.js")).toEqual(["/opt/node", "/srv/dejavu.js"]);
  });
});
