// Whether the value next to a secret's name is the secret. Each function returns how many leading characters it takes up;
// 0 when it is none.

import { isPlaceholderValue } from "./placeholder-values.ts";

/** Short numbers after "token" or "key" are counts and ids; after "password" they are passwords. */
const COUNT = /^\d{1,6}(?:\.\d+)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Names of objects: lower-case words and short numbers, joined; or a path. */
const OBJECT_NAME = /^[a-z]{1,24}\d{0,4}(?:[-_./:][a-z]{0,24}\d{0,4}){1,12}$/;
/** Groups of a licence key. */
const LICENCE = /^(?=.*\d)[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){3,9}$/;
const WORD = /^[A-Za-z]{1,24}$/;
const PATH = /^\/[\w./-]+$/;
const TRAILING = /(?<![.,;:!?)\]}*_~])[.,;:!?)\]}*_~]+$/;

/** Any value but a placeholder. */
export function measureAny(value: string): number {
  return isPlaceholderValue(value) || COUNT.test(value) ? 0 : value.length;
}

export function measurePassword(value: string): number {
  return isPlaceholderValue(value) || (PATH.test(value) && value.length > 1) ? 0 : value.length;
}

/** Any value that is neither a word nor the name of an object, such as `prod/tls-cert`. */
export function measureUnnamed(value: string): number {
  return OBJECT_NAME.test(value) || WORD.test(value) ? 0 : measureAny(value);
}

/** A value with a digit or a symbol, and a letter; no number with a unit, date, path, address or name. */
export function measureSecret(value: string): number {
  const { length } = value.replace(TRAILING, "");
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
  const core = value.replace(TRAILING, "");
  if (LICENCE.test(core) && !UUID.test(core)) return core.length;
  if (core.length < 16 || UUID.test(core) || isPlaceholderValue(core) || !/^[\w+/=.~%-]+$/.test(core)) return 0;
  const digits = core.match(/\d/g)?.length ?? 0;
  const letters = core.match(/[A-Za-z]/g)?.length ?? 0;
  const changes = core.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])/g)?.length ?? 0;
  if (digits < 2 || letters < 3 || changes < 4 || OBJECT_NAME.test(core)) return 0;
  return /[A-Za-z0-9+/_]{12}/.test(core) ? core.length : 0;
}

/** A shorter run of upper and lower case letters and digits in turn, beside a word that announces it. */
export function measureMixed(value: string): number {
  const core = value.replace(TRAILING, "");
  const isMixed = /^(?=.*\d.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=.~!@#$%^&*-]{10,}$/.test(core);
  if (!isMixed || UUID.test(core) || isPlaceholderValue(core) || /^[\w.-]+\.[a-z]{2,}$|\/\d|[=@]/.test(core)) return 0;
  return (core.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])/g)?.length ?? 0) >= 4 ? core.length : 0;
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
