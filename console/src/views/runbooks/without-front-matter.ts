// The Markdown of a runbook without its front matter and its title, which the page shows above it. Pure functions.

export function withoutFrontMatter(markdown: string): string {
  const lines = markdown.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  const body = end > 0 ? lines.slice(end + 1) : lines;
  const first = body.findIndex((line) => line.trim() !== "");
  return (/^# /.test(body[first] ?? "") ? body.slice(first + 1) : body).join("\n");
}
