// `j` and `k` move the focus between the rows of a list. Enter opens the focused link by itself.

import { useKeys } from "./keys.ts";

/** @param selector of the links of the rows, in their order */
export function useRowKeys(selector: string): void {
  const move = (step: 1 | -1) => {
    const rows = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = rows.findIndex((row) => row.matches(":focus"));
    const next = at === -1 ? rows[step === 1 ? 0 : rows.length - 1] : rows[at + step];
    next?.focus();
  };
  useKeys([
    { keys: "j", name: "Next row", run: () => move(1) },
    { keys: "k", name: "Previous row", run: () => move(-1) },
  ]);
}
