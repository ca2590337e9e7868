// The policy for addresses of private networks. One for the process, set by the composition root: a process has one
// environment, and an argument would have to pass every place that redacts, where a forgotten one leaks.

let privateAddressesHidden = false;

/** Sets whether addresses of private networks are redacted, too. By default they stay: overlaps of networks are incidents. */
export function setAddressPolicy({ hidePrivate }: { readonly hidePrivate: boolean }): void {
  privateAddressesHidden = hidePrivate;
}

export function hidesPrivateAddresses(): boolean {
  return privateAddressesHidden;
}
