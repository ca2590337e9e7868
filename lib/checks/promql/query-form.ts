// Whether a text is PromQL, for readers of commands.

import { parser } from "@prometheus-io/lezer-promql";
import { isValidWith } from "../scope/syntax-tree.ts";

/** A name alone is a query, too, but may be a command as well: `reboot`. So may be `kill -9`. */
const FORMS = new Set(["UnquotedLabelMatcher", "QuotedLabelMatcher", "FunctionCall", "AggregateExpr"]);

/** Whether a text is a query and has a form that no command has. */
export function isPromql(text: string): boolean {
  return isValidWith(parser.parse(text), FORMS);
}
