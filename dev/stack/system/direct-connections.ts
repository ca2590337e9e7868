// Connections to this machine that no proxy sees.

const THIS_MACHINE = ["127.0.0.1", "localhost", "::1"];

/**
 * Excepts this machine from the proxy of HTTP_PROXY. Node uses that proxy with NODE_USE_ENV_PROXY=1, for every address
 * that NO_PROXY does not name, and reads NO_PROXY anew at each fetch.
 */
export function connectDirectly(): void {
  // Both spellings count, and the lower case one wins.
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const listed = (process.env[name] ?? process.env.NO_PROXY ?? process.env.no_proxy ?? "").split(/[,\s]+/);
    process.env[name] = [...new Set([...listed, ...THIS_MACHINE])].filter((host) => host !== "").join(",");
  }
}
