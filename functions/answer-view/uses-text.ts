// What a runbook answered, in words. A pure function.

/** `Answered 14 incidents: helped 9, did not help 1`; what nobody judged is left out. */
export function usesText(uses: {
  readonly answered: number;
  readonly helped: number;
  readonly did_not_help: number;
}): string {
  const { answered, helped, did_not_help } = uses;
  if (answered === 0) return "Answered nothing yet";
  const judged = [
    ...(helped > 0 ? [`helped ${helped}`] : []),
    ...(did_not_help > 0 ? [`did not help ${did_not_help}`] : []),
  ];
  const total = `Answered ${answered === 1 ? "1 incident" : `${answered} incidents`}`;
  return judged.length === 0 ? total : `${total}: ${judged.join(", ")}`;
}
