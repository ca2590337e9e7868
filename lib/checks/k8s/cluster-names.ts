// Syntax of the names in requests to a cluster. A value that fits it cannot leave its place in a path or a selector.

const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** RFC 1123: labels of lower-case letters, digits and hyphens. No pattern has a run of characters that may be split in two. */
const DNS_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LABEL_TEXT = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const FIELD_TEXT = /^[A-Za-z0-9](?:[A-Za-z0-9_.:-]{0,251}[A-Za-z0-9])?$/;
const FIELD_PATH = /^[a-z][A-Za-z0-9]{0,62}(?:\.[a-z][A-Za-z0-9]{0,62}){0,5}$/;

/** The name of a namespace. */
export function isNamespaceName(text: string): boolean {
  return DNS_LABEL.test(text);
}

/** The name of an object, or of an API group. */
export function isObjectName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && text.split(".").every((label) => DNS_LABEL.test(label));
}

/** The value of a label; not empty. */
export function isLabelValue(text: string): boolean {
  return LABEL_TEXT.test(text);
}

/** The name of a label, with or without a prefix: "app", "app.kubernetes.io/name". */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return (
    name.length <= MAX_LABEL_LENGTH && LABEL_TEXT.test(name) && (slash === -1 || isObjectName(text.slice(0, slash)))
  );
}

/** A value in a field selector: a name, a phase, a reason, a uid; not empty. */
export function isFieldValue(text: string): boolean {
  return FIELD_TEXT.test(text);
}

/** A path in a field selector: "involvedObject.name". */
export function isFieldPath(text: string): boolean {
  return FIELD_PATH.test(text);
}
