import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, MAX_ANSWER_BYTES, type ToolCall } from "../../../../functions/routes/mcp/tool.ts";

describe("a text that is longer than an answer may be", () => {
  const shortened = async (text: string) => {
    const tool = defineTool({
      ...{ name: "look", title: "Look", description: "Looks.", scope: "read" },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      ...{ input: z.strictObject({}), output: z.object({}) },
      run: async () => ({ isError: false, text, data: {} }),
    });
    // The tool reads nothing else of a call.
    const call = { caller: { scopes: ["read"] } } as unknown as ToolCall;
    const { content } = await tool.call({}, call);
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(MAX_ANSWER_BYTES);
    return JSON.stringify(content);
  };

  it("keeps the beginning of a line that has no end, as in Chinese", async () => {
    const text = await shortened(`根因\n${"数据库连接数已经达到上限，".repeat(200)}`);
    expect(text).toMatch(/根因\\n(?:数据库连接数已经达到上限，){80,}.{0,12}…\\n\\n\[Shortened: /);
  });

  it("keeps no half of a command", async () => {
    const text = await shortened(`Drop it:\n\`\`\`\n${"DROP TABLE a;\n".repeat(400)}\`\`\``);
    expect(text).toContain('"Drop it:\\n\\n[Shortened: ');
  });
});
