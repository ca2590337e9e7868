// Owns the programs whose effect no table tells: what HTTP method is sent, which script is run, what is done to each file.

import { names, readOptions } from "./command-options.ts";
import { type CommandEffect, worstEffect } from "./effect.ts";

type Effect = CommandEffect | undefined;

/** Judges the command that a program runs in turn. */
export type Judge = (words: readonly string[]) => Effect;

const READING_METHOD = /^(?:get|head|options)$/i;
const NO_FILE = /^(?:-|\/dev\/(?:null|stdout|stderr))$/;

const CURL_VALUED =
  names(`-A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --request --data
  --data-raw --data-binary --data-urlencode --data-ascii --json --form --form-string --upload-file --output --header
  --user --max-time --connect-timeout --write-out --cookie --cookie-jar --dump-header --config --unix-socket --cacert
  --cert --key --resolve --retry --proxy --user-agent --referer --url --connect-to --interface --trace --trace-ascii
  --stderr --output-dir --quote --retry-delay --range --etag-save`);
const CURL_SENDS = /^(?:-[dFTQt]|--(?:dat.*|jso.*|for.*|upl.*|quote|prequote|postquote|mail-.*))$/;
const CURL_WRITES =
  /^(?:-[oODc]|--(?:output|output-dir|remote-name.*|dump-header|cookie-jar|trace|trace-ascii|stderr|etag-save|hsts|alt-svc))$/;

function curl(args: readonly string[]): Effect {
  const { options } = readOptions(args, CURL_VALUED);
  const puts = options.some(({ name }) => /^(?:-G|--get)$/.test(name));
  return worstEffect(
    options
      .map(({ name, value = "" }) => {
        if (/^(?:-X|--req.*)$/.test(name)) return methodEffect(value);
        if (puts && /^(?:-d|--data.*)$/.test(name)) return "read_only";
        if (CURL_SENDS.test(name)) return "changes_state";
        if (CURL_WRITES.test(name)) return NO_FILE.test(value) ? "read_only" : "changes_state";
        return /^(?:-K|--config)$/.test(name) ? undefined : "read_only";
      })
      .concat("read_only"),
  );
}

function methodEffect(method: string): Effect {
  if (READING_METHOD.test(method)) return "read_only";
  return /^[a-z]+$/i.test(method) ? "changes_state" : undefined;
}

const WGET_VALUED =
  names(`-O -o -a -T -t -P -U -e -i -w -Q -l -A -R -D -B --output-document --output-file --timeout --tries
  --header --method --body-data --body-file --post-data --post-file --user --password`);

function wget(args: readonly string[]): Effect {
  const { options } = readOptions(args, WGET_VALUED);
  const sends = options.some(
    ({ name, value = "" }) => /^--(?:post|body)-/.test(name) || (name === "--method" && !READING_METHOD.test(value)),
  );
  const writesNoFile = options.some(
    ({ name, value = "" }) => name === "--spider" || (/^(?:-O|--output-document)$/.test(name) && NO_FILE.test(value)),
  );
  const writesLog = options.some(
    ({ name, value = "" }) =>
      /^(?:-[oa]|--(?:output|append)-.*)$/.test(name) && !/-document$/.test(name) && !NO_FILE.test(value),
  );
  return sends || writesLog || !writesNoFile ? "changes_state" : "read_only";
}

const IP_OBJECT =
  /^(?:a|addr|address|r|ro|route|l|link|n|neigh|neighbor|neighbour|ru|rule|netns|maddr|mroute|tunnel|xfrm|monitor|vrf|nexthop|ntable|qdisc|class|filter|fdb|vlan|mdb)$/;
const IP_READS = /^(?:s|sh|sho|show|list|ls|lst|get|save|identify|pids|stats)$/;
const IP_CHANGES =
  /^(?:a|add|append|change|chg|c|d|de|del|delete|flush|f|prepend|replace|restore|set|exec|attach|up|down|import)$/;

/** Of the family of `ip`: ip, tc and bridge. */
function ip(args: readonly string[], judge: Judge): Effect {
  const { options, positionals } = readOptions(args, names("-n"));
  if (options.some(({ name }) => name === "--batch") || args.some((word) => /^-b(?:a|at|atch)?$/.test(word)))
    return undefined;
  const [object, verb, , inner] = positionals;
  if (!object || !IP_OBJECT.test(object.word)) return undefined;
  if (object.word === "netns" && verb?.word === "exec") return inner && judge(args.slice(inner.index));
  if (!verb || object.word === "monitor" || IP_READS.test(verb.word)) return "read_only";
  return IP_CHANGES.test(verb.word) ? "changes_state" : undefined;
}

function find(args: readonly string[], judge: Judge): Effect {
  const effects: Effect[] = ["read_only"];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (/^-(?:delete|fls|fprint0?|fprintf)$/.test(word)) effects.push("changes_state");
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) continue;
    const start = at + 1;
    while (at < args.length && args[at] !== ";" && args[at] !== "+") at += 1;
    effects.push(judge(args.slice(start, at)));
  }
  return worstEffect(effects);
}

// Of a script: `w file`, `e`, and the flags of that name on `s///`.
const SED_WRITES = /(?:^|[\d$/|#@,:%;{}!\n])[ \t]*[gpimIM\d]{0,6}[wWe](?:[ \t\n;}]|$)/;

function sed(args: readonly string[]): Effect {
  const { options, positionals } = readOptions(args, names("-e --expression -f --file -l"));
  if (options.some(({ name }) => /^(?:-i|--in-place)$/.test(name))) return "changes_state";
  if (options.some(({ name }) => /^(?:-f|--file)$/.test(name))) return undefined;
  const given = options.filter(({ name }) => /^(?:-e|--expression)$/.test(name)).map(({ value = "" }) => value);
  const scripts = given.length > 0 ? given : [positionals[0]?.word ?? ""];
  return scripts.some((script) => SED_WRITES.test(script)) ? undefined : "read_only";
}

function awk(args: readonly string[]): Effect {
  if (args.some((word, at) => /^(?:-i|--include)$/.test(word) && args[at + 1] === "inplace")) return "changes_state";
  const { options, positionals } = readOptions(args, names("-F -v -f -e -i --file --source"));
  const script = positionals[0]?.word ?? "";
  const isOpen = script.split(/[;}\n]/).some((piece) => {
    const start = piece.indexOf("print");
    return start !== -1 && Math.max(piece.lastIndexOf(">"), piece.lastIndexOf("|")) > start;
  });
  const runs = isOpen || /\bsystem\s*\(|\bgetline\b|@/.test(script);
  return runs || options.some(({ name }) => !/^-[Fv]$/.test(name)) ? undefined : "read_only";
}

// The signal may be written as an option: -KILL.
function kill(args: readonly string[]): Effect {
  return /^(?:-l|-L|-0|--list|--table)$/.test(args[0] ?? "") ? "read_only" : "changes_state";
}

function service(args: readonly string[]): Effect {
  return args[0] === "--status-all" ? "read_only" : actionEffect(args[1]);
}

function pgCtlCluster(args: readonly string[]): Effect {
  return actionEffect(args[2]);
}

function actionEffect(action = ""): Effect {
  if (action === "status") return "read_only";
  return /^(?:start|stop|restart|reload|force-reload|try-restart|promote)$/.test(action) ? "changes_state" : undefined;
}

// Its long options have one dash.
function openssl(args: readonly string[]): Effect {
  if (args.some((word) => /^-(?:out|keyout|sess_out|keylogfile|writerand|CAcreateserial)$/.test(word)))
    return "changes_state";
  return /^(?:s_client|x509|verify|version|crl|dgst|ciphers|asn1parse|ocsp|rsa|pkey|ec)$/.test(args[0] ?? "")
    ? "read_only"
    : undefined;
}

/** By the program's name. */
export const SPECIAL_PROGRAMS: ReadonlyMap<string, (args: readonly string[], judge: Judge) => Effect> = new Map(
  Object.entries({
    curl,
    wget,
    ip,
    tc: ip,
    bridge: ip,
    find,
    sed,
    awk,
    gawk: awk,
    mawk: awk,
    nawk: awk,
    kill,
    service,
    pg_ctlcluster: pgCtlCluster,
    openssl,
  }),
);
