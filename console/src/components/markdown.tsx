// Markdown as elements. HTML in it is shown as text, images as their description, and links lead only to web pages: a
// runbook can neither run nor load anything. marked is loaded on first use.

import type { Token, Tokens } from "marked";
import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { displayText } from "../../../lib/text/display-text.ts";
import { Badge } from "./badge.tsx";
import { CodeBlock } from "./code-block.tsx";
import { Skeleton } from "./states.tsx";
import { useLoaded } from "./use-loaded.ts";

/** @param level of its first heading on the page, 2 to 6 */
export function Markdown({ text, level = 2 }: { readonly text: string; readonly level?: number }) {
  const marked = useLoaded(() => import("marked"));
  const shown = displayText(text);
  const tokens = useMemo(
    () => (marked === null || marked === "failed" ? [] : marked.lexer(shown, { gfm: true })),
    [marked, shown],
  );
  if (marked === null) return <Skeleton name="the text" />;
  if (marked === "failed") return <pre>{shown}</pre>;
  return <div class="markdown">{blocks(tokens, level)}</div>;
}

function blocks(tokens: readonly Token[] | undefined, level: number): ComponentChildren {
  return tokens?.map((token, index) => <Block key={index} token={token} level={level} />);
}

function Block({ token, level }: { readonly token: Token; readonly level: number }): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return h(`h${Math.min(6, (token as Tokens.Heading).depth + level - 1)}`, null, inline(token.tokens));
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "code":
      return <Code {...(token as Tokens.Code)} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens, level)}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return list(token as Tokens.List, level);
    case "table":
      return table(token as Tokens.Table);
    case "text":
      return token.tokens ? inline(token.tokens) : (token as Tokens.Text).text;
    default:
      return <p>{token.raw}</p>;
  }
}

const CHECK = /^(\w+) *\{ *check *= *"?([\w.-]+)/;

/** An evidence check says so: its query is asked with the labels of an alert. */
function Code({ text, lang = "" }: Tokens.Code) {
  const [, language, check] = CHECK.exec(lang) ?? [];
  if (check === undefined) return <CodeBlock text={text} name={lang || "code"} />;
  return (
    <div class="markdown-check">
      <Badge tone="info">Check {check}</Badge> <span class="note">{language}</span>
      <CodeBlock text={text} name={`query of ${check}`} />
    </div>
  );
}

function list({ ordered, start, items }: Tokens.List, level: number) {
  const children = items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled aria-label="done" />}
      {blocks(item.tokens, level)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows }: Tokens.Table) {
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{inline(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined): ComponentChildren {
  return tokens?.map((token, index) => <Inline key={index} token={token} />);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
};

function Inline({ token }: { readonly token: Token }): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token as Tokens.Link);
    case "image":
      return (token as Tokens.Image).text || "(image)";
    case "escape":
      return plain((token as Tokens.Escape).text);
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens) : plain((token as Tokens.Text).text);
    default:
      return token.raw;
  }
}

/** Only web addresses are links: no `javascript:`, and nothing that looks like a page of the console. */
function link({ href, tokens }: Tokens.Link) {
  if (!/^https?:\/\//i.test(href)) return inline(tokens);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {inline(tokens)}
    </a>
  );
}

function plain(text: string): string {
  return text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
