// The formats that can be imported. A new one is a file here and a line in this list.

import { csv } from "./csv.ts";
import type { ImportFormat } from "./format.ts";
import { jira } from "./jira.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import { postmortem } from "./postmortem.ts";

/** The first one that recognises a file reads it; any CSV comes last. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [postmortem, pagerduty, opsgenie, jira, csv];
