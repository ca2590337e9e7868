// The languages of checks. To add one: a folder with its support, a line here, and its name in schemas/evidence/check.ts.

import { CHECK_LANGUAGES, type CheckLanguage } from "./check.ts";
import { k8s } from "./k8s/k8s.ts";
import { logql } from "./logql/logql.ts";
import { promql } from "./promql/promql.ts";
import type { CheckLanguageSupport } from "./scope/check-language.ts";
import { sql } from "./sql/sql.ts";

export const LANGUAGES: Readonly<Record<CheckLanguage, CheckLanguageSupport>> = {
  promql,
  logql,
  sql,
  k8s,
};

export function isCheckLanguage(name: string): name is CheckLanguage {
  return CHECK_LANGUAGES.some((each) => each === name);
}
