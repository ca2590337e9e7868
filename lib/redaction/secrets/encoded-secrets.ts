// Base64 of a text that holds a secret: files in Kubernetes Secrets, kubeconfigs, registry credentials.

/** Standard base64, or that of URLs. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])/g;
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
  return segment.replace(RUN, (run) => {
    const text = decodeText(run);
    return text !== undefined && holdsSecret(text) ? replace() : run;
  });
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
