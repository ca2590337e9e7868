import { expect, it } from "vitest";
import { REFERENCE_PAGES } from "../../../dev/reference/generate.ts";
import { readPage } from "../../support/markdown-pages.ts";

it.each(Object.entries(REFERENCE_PAGES))("%s is what npm run generate -- reference writes", async (path, write) => {
  const { text } = readPage(path);
  expect(text).toBe(await write(text));
});
