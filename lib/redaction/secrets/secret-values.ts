// Whether the value next to a secret's name is the secret. Each function returns how many leading characters it takes up;
// 0 when it is none.

import { isPlaceholderValue, trimEnd } from "./placeholder-values.ts";

/** Short numbers after "token" or "key" are counts and ids; after "password" they are passwords. */
const COUNT = /^\d{1,6}(?:\.\d+)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Names of objects: lower-case words and short numbers, joined; or a path. */
const OBJECT_NAME = /^[a-z]{1,24}\d{0,4}(?:[-_./:][a-z]{0,24}\d{0,4}){1,12}$/;
/** Groups of a licence key. */
const LICENCE = /^(?=.*\d)[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){3,9}$/;
const WORD = /^[A-Za-z]{1,24}$/;
const PATH = /^\/[\w./-]+$/;
const TRAILING = ".,;:!?)]}*_~";

/** Any value but a placeholder. */
export function measureAny(value: string): number {
  return isPlaceholderValue(value) || COUNT.test(value) ? 0 : value.length;
}

export function measurePassword(value: string): number {
  return isPlaceholderValue(value) || (PATH.test(value) && value.length > 1) ? 0 : value.length;
}

/** A password, but no count, name or file of tests that passed. */
export function measureVerdict(value: string): number {
  return /^\d{1,4}$|^test|^[\w-]+(?:\/[\w.-]+)+$/i.test(value) ? 0 : measurePassword(value);
}

/** Any value that is neither a word nor the name of an object, such as `prod/tls-cert`. */
export function measureUnnamed(value: string): number {
  return OBJECT_NAME.test(value) || WORD.test(value) ? 0 : measureAny(value);
}

/** A value with a digit or a symbol, and a letter; no number with a unit, date, path, address or name. */
export function measureSecret(value: string): number {
  const { length } = trimEnd(value, TRAILING);
  const core = value.slice(0, length);
  if (length < 5 || isPlaceholderValue(core) || !/[A-Za-z]/.test(core) || !/[\d!@#$%^&*?~+=]/.test(core)) return 0;
  const isOrdinary =
    /^[\d.,]+[a-z%]{0,8}$/i.test(core) ||
    /^\d{4}-\d\d/.test(core) ||
    /^[\w.-]+\.[a-z]{2,}(?::\d{1,5})?$/i.test(core) ||
    /^[\w.-]+:\d{1,5}$/.test(core) ||
    /^\w+(?:\[\d*\]|\(\S*)$/.test(core) ||
    core.includes("://") ||
    /^HTTP\//.test(core) ||
    /^[./~]/.test(core) ||
    OBJECT_NAME.test(core);
  return isOrdinary ? 0 : length;
}

/** A code of a few digits, or another secret. */
export function measureCode(value: string): number {
  return /^\d{4,8}$/.test(value) ? value.length : measureSecret(value);
}

/** A long run of mixed letters and digits, as generated keys are; no id in the form of a UUID. */
export function measureRandom(value: string): number {
  const core = trimEnd(value, TRAILING);
  if (LICENCE.test(core) && !UUID.test(core)) return core.length;
  if (
    core.length < 16 ||
    !alternates(core, 3) ||
    UUID.test(core) ||
    isPlaceholderValue(core) ||
    !/^[\w+/=.~%-]+$/.test(core)
  )
    return 0;
  return !OBJECT_NAME.test(core) && /[A-Za-z0-9+/_]{12}/.test(core) ? core.length : 0;
}

const OTHER = 0;
const DIGIT = 1;
const LOWER = 2;
const UPPER = 3;

/** Whether letters and digits, or lower and upper case, alternate at least four times. */
function alternates(value: string, minLetters: number): boolean {
  let digits = 0;
  let letters = 0;
  let changes = 0;
  let last = OTHER;
  for (let i = 0; i < value.length; i++) {
    const kind = kindOf(value.charCodeAt(i));
    if (kind === DIGIT) digits += 1;
    else if (kind !== OTHER) letters += 1;
    const isChange = kind !== OTHER && last !== OTHER && (kind === DIGIT) !== (last === DIGIT);
    if (isChange || (last === LOWER && kind === UPPER)) changes += 1;
    last = kind;
  }
  return digits >= 2 && letters >= minLetters && changes >= 4;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 48 && code <= 57) return DIGIT;
  return code >= 65 && code <= 90 ? UPPER : OTHER;
}

/** A shorter run of upper and lower case letters and digits in turn, beside a word that announces it. */
export function measureMixed(value: string): number {
  const core = trimEnd(value, TRAILING);
  if (!alternates(core, 2)) return 0;
  const isMixed = /^(?=.*\d.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=.~!@#$%^&*-]{10,}$/.test(core);
  if (!isMixed || UUID.test(core) || isPlaceholderValue(core) || /^[\w.-]+\.[a-z]{2,}$|\/\d|[=@]/.test(core)) return 0;
  return core.length;
}

/** Shorter runs in a URL, where words and numbers stand beside them. */
export function measureParameter(value: string): number {
  const isShortRun =
    value.length >= 10 && value.length < 16 && /^(?=\D*\d\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w-]+$/.test(value);
  return isShortRun && !OBJECT_NAME.test(value) && !isPlaceholderValue(value) ? value.length : measureRandom(value);
}

/** Below a name there may also be other words or the next name. */
export function measureBelow(value: string): number {
  return isName(value) ? 0 : measureSecret(value);
}

/** A password that a person typed below a prompt: not one word in one case, as the next line of a log may be. */
export function measurePrompted(value: string): number {
  const isWord = /^[A-Z]?[a-z]+[.,!?…]*$|^[A-Z]+[.,!?…]*$/.test(value);
  return isName(value) || isWord || value.length < 6 ? 0 : measurePassword(value);
}

function isName(value: string): boolean {
  return (
    /[:,]$/.test(value) || /^[-\w.]+:/.test(value) || /^[A-Z][A-Z\d_]{1,40}=(?!=?$)|^[A-Z]+_[A-Z\d_]*=$/.test(value)
  );
}

/** A block of YAML that is no file of its own. */
export function measureBlock(value: string): number {
  return isPlaceholderValue(value) || /:(?:\s|$)|=/.test(value.replace(/={1,2}$/gm, "")) ? 0 : value.length;
}
