/** The environment parts start from: what a process needs to run at all, and none of a developer's own settings. */

/**
 * Everything else stays out on purpose: `PG*` redirects libpq, `CLOUDFLARE_*` picks another environment or account,
 * `SUPABASE_*` another project, `NODE_OPTIONS` of a test runner breaks a child.
 */
const PASSED_ON = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];

export function baseEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { NO_COLOR: "1" };
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
