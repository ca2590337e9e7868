// The one-time code of a link: `/console#code=…`.

const CODE_IN_LINK = /#code=([A-Za-z2-7]+)$/;
const BARE_CODE = /^[A-Za-z2-7]{26}$/;

/** Reads the code from the page's address and removes it there and from the history: it must not be copied or reopened. */
export function takeCode(): string | null {
  const code = CODE_IN_LINK.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}

/** What a person pasted: a link, its code, or else a token. */
export function readCredential(text: string): { readonly code: string } | { readonly token: string } {
  const trimmed = text.trim();
  const code = CODE_IN_LINK.exec(trimmed)?.[1] ?? (BARE_CODE.test(trimmed) ? trimmed : null);
  return code === null ? { token: trimmed } : { code };
}
