// The pages are written for GitHub. These rules make them read alike on the site.

import { posix } from "node:path";
import { renderMermaidSVG } from "beautiful-mermaid";
import type { MarkdownRenderer } from "vitepress";

/** Colors are custom properties of the theme, which differ between the light and the dark scheme. Spaces in pixels. */
const DIAGRAM = { bg: "var(--vp-c-bg)", fg: "var(--vp-c-text-1)", padding: 8, nodeSpacing: 14, layerSpacing: 30 };

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/** The anchor of a heading, as GitHub derives it. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** Links to files of the checkout that are not on the site become plain text. */
export function unlinkOtherFiles(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("unlink_other_files", ({ tokens, env }) => {
    const folder = posix.dirname(String(env.relativePath));
    for (const token of tokens) token.children &&= withoutOutwardLinks(token.children, folder);
  });
}

/** Double braces in a page are text; Vue would read an expression. */
export function keepBraces({ renderer }: MarkdownRenderer): void {
  for (const name of ["text", "code_block"] as const) {
    const render = renderer.rules[name];
    renderer.rules[name] = (...args) => (render?.(...args) ?? "").replaceAll("{{", "&#123;&#123;");
  }
}

/** Mermaid blocks become inline SVG in the colors of the theme: nothing is drawn in the browser. */
export function drawDiagrams({ renderer }: MarkdownRenderer): void {
  const renderFence = renderer.rules.fence;
  renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    const { info, content } = tokens[index] ?? { info: "", content: "" };
    if (info.trim() !== "mermaid") return renderFence?.(...args) ?? "";
    // Its style element loads a font from elsewhere and the policy refuses it; theme/diagrams.css stands for it.
    const svg = renderMermaidSVG(content, DIAGRAM).replace(/<style>[\s\S]*?<\/style>/, "");
    // A reader without a mouse scrolls it with the keys.
    return `<div class="diagram" tabindex="0" role="group" aria-label="Diagram" v-pre>${svg}</div>`;
  };
}

function withoutOutwardLinks(tokens: readonly Token[], folder: string): Token[] {
  let isOutward = false;
  return tokens.filter(({ type, attrs }) => {
    if (type === "link_close" && isOutward) {
      isOutward = false;
      return false;
    }
    if (type !== "link_open") return true;
    const href = new Map(attrs ?? []).get("href") ?? "";
    isOutward = !/^(?:[a-z]+:|[/#])/.test(href) && posix.join(folder, href).startsWith("../");
    return !isOutward;
  });
}
