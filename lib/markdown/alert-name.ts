// Names of alerts, by their form: `KubeJobFailed`, `disk_space_usage`. Pure functions.

import { camelParts } from "../text/tokenize.ts";

/** Names of products have as many words: OpenShift, CloudNativePG. */
const MIN_WORDS = 2;
const MIN_WORDS_OF_HEADING = 3;
const PRODUCT = /^\w{1,40}(?:SQL|DB|PG|MQ|BSD|OS|API)$/;
const LABEL = /^alert(?:[ -]?name)?\s{0,3}:\s{0,3}(?=\S)/i;
const QUOTES = /^["'“`]{1,3}|["'”`]{1,3}$/g;
const CAMEL_NAME = /^[A-Za-z][A-Za-z0-9]{2,99}$/;
const JOINED_NAME = /^\w{3,100}$/;

/** Whether a text has the form of an alert's name and nothing else. */
export function isAlertName(text: string): boolean {
  return wordsIn(text) >= MIN_WORDS;
}

/** Whether a heading or a title is an alert's name, such as `KubeJobFailed` or `alert: Watchdog`. */
export function isAlertHeading(heading: string): boolean {
  if (LABEL.test(heading)) return true;
  const name = heading.trim().replace(QUOTES, "");
  return wordsIn(name) >= MIN_WORDS_OF_HEADING && !PRODUCT.test(name);
}

/** "KubeJobFailed" of "Alert Name: KubeJobFailed". */
export function withoutAlertLabel(heading: string): string {
  return heading.replace(LABEL, "");
}

function wordsIn(name: string): number {
  if (name.includes("_")) return JOINED_NAME.test(name) ? name.split("_").filter((word) => word !== "").length : 0;
  return CAMEL_NAME.test(name) ? camelParts(name).length : 0;
}
