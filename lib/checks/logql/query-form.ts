// Whether a text is LogQL, for readers of commands.

import { parser } from "@grafana/lezer-logql";
import { isValidWith } from "../scope/syntax-tree.ts";

const FORMS = new Set(["Matcher"]);

/** Whether a text is a query with a matcher, a form that no command has. */
export function isLogql(text: string): boolean {
  return isValidWith(parser.parse(text), FORMS);
}
