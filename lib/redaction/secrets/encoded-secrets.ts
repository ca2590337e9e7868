// Base64 of a text that holds a secret: files in Kubernetes Secrets, kubeconfigs, registry credentials.

import { mayBeBase64Text } from "../../text/base64-text.ts";

/** Standard base64, or that of URLs. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])/g;
const MIN_RUN_LENGTH = 24;
const IS_BASE64 = new Uint8Array(128);
for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
  IS_BASE64[letter.charCodeAt(0)] = 1;
/** Characters that decide whether a run is text at all. */
const PROBE_LENGTH = 16;
const MAX_RUN_LENGTH = 16_384;

/**
 * Replaces base64 runs whose text `holdsSecret`.
 * @param holdsSecret receives the decoded text
 */
export function replaceEncodedSecrets(
  segment: string,
  holdsSecret: (decoded: string) => boolean,
  replace: () => string,
): string {
  if (!mayHoldText(segment)) return segment;
  return segment.replace(RUN, (run) => {
    const text = decodeText(run);
    return text !== undefined && holdsSecret(text) ? replace() : run;
  });
}

/** Whether one of the runs may be a text. A loop, because the pattern begins at each word. */
function mayHoldText(segment: string): boolean {
  let length = 0;
  for (let i = 0; i < segment.length; i++) {
    length = IS_BASE64[segment.charCodeAt(i)] === 1 ? length + 1 : 0;
    if (length === MIN_RUN_LENGTH && mayBeBase64Text(segment, i + 1 - MIN_RUN_LENGTH)) return true;
  }
  return false;
}

/** The text that base64 stands for; `undefined` when it is not printable ASCII. */
function decodeText(run: string): string | undefined {
  if (run.length > MAX_RUN_LENGTH || (/[+/]/.test(run) && /[_-]/.test(run))) return undefined;
  const core = run
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  if (!isPrintable(atob(core.slice(0, PROBE_LENGTH)))) return undefined;
  if (core.length % 4 === 1) return undefined;
  const text = atob(core);
  return isPrintable(text) ? text : undefined;
}

function isPrintable(text: string): boolean {
  return /^[\t\n\r\x20-\x7e]+$/.test(text);
}
