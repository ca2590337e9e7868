// Who has an incident, in words. A pure function.

/** `Acknowledged by dana, owner: kim`; null for nobody. */
export function holderText({
  owner,
  acknowledged_by,
}: {
  readonly owner: string | null;
  readonly acknowledged_by: string | null;
}): string | null {
  if (acknowledged_by === null) return owner === null ? null : `Owner: ${owner}`;
  const other = owner === null || owner === acknowledged_by ? "" : `, owner: ${owner}`;
  return `Acknowledged by ${acknowledged_by}${other}`;
}
