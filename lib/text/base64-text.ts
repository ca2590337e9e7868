// Quick check of base64 before it is decoded: whether the first bytes can be ASCII, as those of a random token cannot.

const SEXTETS = new Uint8Array(128);
for (const [value, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  SEXTETS[letter.charCodeAt(0)] = value;
SEXTETS["-".charCodeAt(0)] = 62;
SEXTETS["_".charCodeAt(0)] = 63;
/** The bits of three bytes that ASCII leaves empty, in four characters. */
const EMPTY_BITS = [32, 8, 2, 0] as const;
const PROBE_LENGTH = 16;

/** Whether the base64 at `start`, standard or that of URLs, may be a text. Reads 16 characters. */
export function mayBeBase64Text(text: string, start: number): boolean {
  for (let i = 0; i < PROBE_LENGTH; i++) {
    if ((SEXTETS[text.charCodeAt(start + i)] ?? 0) & (EMPTY_BITS[i % EMPTY_BITS.length] ?? 0)) return false;
  }
  return true;
}
