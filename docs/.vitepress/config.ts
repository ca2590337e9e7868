// The documentation site: `npm run docs` shows it while one writes, `npm run build` makes it a part of the Worker's static
// assets, at /guide. Its files work on any web server that serves them below /guide/.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { drawDiagrams, keepBraces, slugify, unlinkOtherFiles } from "./markdown.ts";
import { SECTIONS, type Section } from "./pages.ts";

const DOCS = fileURLToPath(new URL("..", import.meta.url));
const BASE = "/guide/";

export default defineConfig({
  title: "Dejavu",
  description: "Triages incidents and remembers what fixed them.",
  lang: "en",
  base: BASE,
  // A file of its own instead of an inline script, which the Content-Security-Policy would refuse.
  metaChunk: true,
  head: [["link", { rel: "icon", href: `${BASE}icon.svg` }]],
  transformHead: ({ page, pageData }) =>
    pageData.isNotFound ? [] : [["link", { rel: "alternate", type: "text/markdown", href: `${BASE}${page}` }]],
  markdown: {
    // The default light theme has keywords of less than 4.5:1.
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    anchor: { slugify },
    toc: { slugify },
    config: (markdown) => {
      unlinkOtherFiles(markdown);
      keepBraces(markdown);
      drawDiagrams(markdown);
    },
  },
  // It would add an inline style, which the policy refuses.
  appearance: { disableTransition: false },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial/1-first-answer" },
      { text: "Guides", link: "/guides/alerts" },
      { text: "Reference", link: "/reference/settings" },
      { text: "Explanation", link: "/explanation/answers" },
    ],
    // A page shows the sections of its folder; the first page shows all.
    sidebar: Object.fromEntries([
      ["/", SECTIONS.map(linksOf)],
      ...SECTIONS.map(({ folder }) => [`/${folder}/`, SECTIONS.filter((one) => one.folder === folder).map(linksOf)]),
    ]),
  },
});

function linksOf({ title, folder, pages }: Section) {
  const items = pages.map((page) => ({ text: headingOf(`${folder}/${page}.md`), link: `/${folder}/${page}` }));
  return { text: title, items };
}

function headingOf(path: string): string {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(join(DOCS, path), "utf8")) ?? [];
  if (heading === undefined) throw new Error(`docs/${path} has no heading.`);
  return heading.replace(
    /^Tutorial (\d): (.)/,
    (_, number: string, first: string) => `${number}. ${first.toUpperCase()}`,
  );
}
