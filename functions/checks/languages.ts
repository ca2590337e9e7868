// The languages of checks. To add one: a folder with its support, a line here, and its name in schemas/evidence/check.ts.

import { CHECK_LANGUAGES, type CheckLanguage } from "../schemas/evidence/check.ts";
import type { CheckLanguageSupport } from "./check-language.ts";

const UNSUPPORTED: CheckLanguageSupport = {
  validate: () => [],
  prepare: () => ({ ok: false, reason: "This version cannot run checks of this language." }),
};

export const LANGUAGES: Readonly<Record<CheckLanguage, CheckLanguageSupport>> = {
  promql: UNSUPPORTED,
  logql: UNSUPPORTED,
  sql: UNSUPPORTED,
  k8s: UNSUPPORTED,
};

export function isCheckLanguage(name: string): name is CheckLanguage {
  return CHECK_LANGUAGES.some((each) => each === name);
}
