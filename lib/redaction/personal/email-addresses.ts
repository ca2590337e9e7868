// Redaction rule for e-mail addresses. Logs write many other things with an @: nodes of a cluster, accounts on a host,
// packages with a version, units of systemd.

import type { Rule } from "../rules/rule.ts";

/** @, of full width, percent-encoded, escaped as in JSON, as an entity of HTML, or as people hide it. */
const AT = "(?:@|＠|%(?:25)?40|\\[at\\]|\\(at\\)|\\\\u0040|&#0{0,3}64;|&#x40;|&commat;)";
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
/** The lookbehind of the pattern has the same characters, so that a run has one start only. */
const LOCAL = "[\\p{L}\\p{M}\\p{N}._%+'-]";

/** Endings of names after an @ that are not domains: systemd units, files, image variants. */
const NOT_TOP_LEVEL =
  /\.(?:service|socket|timer|target|mount|automount|slice|scope|device|swap|path|container|png|jpe?g|gif|svg|webp|js|mjs|cjs|ts|tsx|jsx|json|ya?ml|css|log|tgz|gz|go|java|conf|cfg|so|jar)$/i;
/** A label of a domain that is an image variant or a version: `logo@2x.md`, `lib@v2.py`. */
const VERSION_LABEL = /^(?:v?\d+|\d+x)$/i;
/** Domains that only exist within a network. */
const INNER_DOMAIN = /\.(?:local|localdomain|internal|intranet|lan|corp|home|private|svc|cluster|localhost)$/i;
/** Hosts of clusters and clouds, and the identities of machines. */
const MACHINE_DOMAIN =
  /\.(?:svc|pod)\.|\.cluster\.local$|(?:^|\.)compute(?:-\d)?\.(?:internal|amazonaws\.com)$|\.ec2\.internal$|\.gserviceaccount\.com$|\.cloudapp\.azure\.com$|\.c\.[\w-]+\.internal$/i;
/** A pod of a deployment: its replica set and five characters. */
const POD = /-[0-9a-f]{8,10}-[a-z0-9]{5}$/;
/** A local part of a person: two names. */
const TWO_NAMES = /^\p{L}[\p{L}\p{M}]+[._+-]\p{L}/u;
/** `shop@` or `rabbit@` before a numbered host of a domain: `rmq-server-2.rmq-nodes.messaging`. */
const ACCOUNT = /^[A-Za-z0-9_-]+$/;
const NUMBERED_HOST = /^(?:ip-\d|[a-z][a-z0-9-]*-\d+(?:-\d+)*$)/i;

/** Text before an account on a host, or before the id of a message. */
const REMOTE_SHELL = /(?:^|[\s;|&("'`])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|autossh|sshfs)\s[^;|&\n]{0,60}$/i;
/** The user of a URL before a placeholder of a password: `https://user:password@host`. */
const USER_INFO = /:\/\/[^\s@/:]{1,64}:$/;
const MESSAGE_ID = /message-?id["']?\s{0,2}[:=]\s{0,2}["']?<?$/i;
/** Text after an account on a host: a port, a path of scp, the prompt of a shell. */
const AFTER_HOST = /^:(?:\d{2,5}(?!\d)|[/~])/;

export const EMAIL: Rule = {
  name: "EMAIL",
  pattern: new RegExp(
    `(?:(?<!${LOCAL}|:\\/\\/)(?!git@)${LOCAL}+|(?<![\\\\"])\\\\?"[^"\\s@]{1,64}")${AT}(?:${LABEL}(?:\\.|%2E|\\[dot\\]|\\(dot\\))){1,8}(?:xn--[A-Za-z0-9-]{2,59}|\\p{L}[\\p{L}\\p{M}]{1,23})(?![\\p{L}\\p{N}])`,
    "gu",
  ),
  // RFC 5321 and RFC 6531 mailbox; the domain ends in letters only
  hint: '(?:@|＠|[[(]at[\\])]|%(?:25)?40|u0040|&#x?[046]{2,5};|&commat;)[^\\s@/:%"]{1,250}(?:\\.|%2E|[[(]dot)',
  measure: (address, before, after) => (isMailbox(address, before, after) ? address.length : 0),
};

const WRITTEN_DOT = /%2E|[[(]dot[\])]/gi;
const SPLIT_AT = new RegExp(AT, "i");

function isMailbox(address: string, before: string, after: string): boolean {
  const [local = "", written = ""] = address.split(SPLIT_AT);
  const domain = written.replace(WRITTEN_DOT, ".");
  if (NOT_TOP_LEVEL.test(domain) || AFTER_HOST.test(after)) return false;
  const labels = domain.split(".");
  if (labels.slice(0, -1).some((label) => VERSION_LABEL.test(label)) && labels.length === 2) return false;
  if (MACHINE_DOMAIN.test(domain) || MESSAGE_ID.test(before) || USER_INFO.test(before) || REMOTE_SHELL.test(before))
    return false;
  if (INNER_DOMAIN.test(domain)) return TWO_NAMES.test(local);
  const [host = ""] = labels;
  return !(ACCOUNT.test(local) && (POD.test(host) || (labels.length > 2 && NUMBERED_HOST.test(host))));
}
