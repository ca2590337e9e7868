// Signs in to the console with a token.

/** The cookie's name on plain HTTP, where no browser stores a `__Host-` cookie. */
export const CONSOLE_COOKIE = "dejavu_session";

/** @returns the cookie's value. @throws Error when the Worker refuses the token */
export async function signInCookie(worker: string, token: string): Promise<string> {
  const response = await fetch(new URL("/v1/session", worker), {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(worker).origin },
    body: JSON.stringify({ token }),
  });
  const value = new RegExp(`^${CONSOLE_COOKIE}=([^;]+)`).exec(response.headers.get("set-cookie") ?? "")?.[1];
  if (value === undefined) throw new Error(`Signing in ended with status ${response.status}: ${await response.text()}`);
  return value;
}
