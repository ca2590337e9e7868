// Redaction rules for passwords in options and arguments of programs, where no name announces them.

import type { Rule } from "../rules/rule.ts";
import { isPlaceholderValue } from "./placeholder-values.ts";
import { measureSecret } from "./secret-values.ts";

/** The rest of a command up to an option; another command ends it. */
const ARGUMENTS = "(?:[^\\n|;]|\\\\\\r?\\n){0,300}?";
const QUOTE = `\\\\{0,3}["']?`;
/** A value that is no marker; in quotes it may have blanks. */
const VALUE = `(?!\\\\{0,3}["']?\\[REDACTED_)(?:(?<=\\\\")[^"\\n\\\\]{1,500}|(?<=[^\\\\]")[^"\\n]{1,500}|(?<=')[^'\\n]{1,500}|(?<!["'])[^\\s"'\`|;<>\\\\]+)`;

/** Programs by the option that holds the password. */
const ATTACHED_P =
  "mysql|mariadb|mysql(?:dump|admin|import|check|show|sh|slap|binlog|pump)|mariadb-\\w+|mydumper|myloader|xtrabackup|mariabackup|innobackupex|mycli|pt-[a-z-]{3,30}|7z[ar]?";
const SPACED_P =
  "mongo(?:sh|dump|restore|import|export|stat|top|files)?|sshpass|cqlsh|cypher-shell|hdbsql|beeline|psexec|rdesktop|clickhouse-client|impala-shell|arangosh|arangodump|couchbase-cli|cbq|cbbackupmgr|rabbitmqadmin|evil-winrm|elasticsearch-(?:users|certutil)|tabcmd|sqoop|crackmapexec|nxc|smbmap|kafkacat|presto|trino|wbadmin|dotnet|trident|activemq|asadmin|jboss-cli|wlst|nodetool|sstableloader";
const UPPER_P = "sqlcmd|bcp|osql|tsql|ipmitool|zip|unzip|mosquitto_(?:pub|sub|rr)|fpm|isql|racadm|amqp-publish";
const LOWER_A = "redis-(?:cli|benchmark|shake|dump)|keydb-cli|valkey-(?:cli|benchmark)|iredis|rdbtools";
const LOWER_W = "ldap(?:search|modify|add|delete|passwd|whoami|compare|modrdn|exop)|dsconf|dsidm|dsmod";
const USER_AND_PASSWORD =
  "curl|wget|http|https|httpie|xh|etcdctl|ab|hey|siege|lftp|elasticdump|nats|rclone|influx|jira|artifactory|kcat|s3curl|curlie|jf|jfrog|skopeo|oras|crane|nexus|restic|mongoimport|ncftp\\w{0,3}|couchdb|clickhouse";
const LOGIN =
  "docker|podman|nerdctl|buildah|helm|oc|az|cf|argocd|doctl|ibmcloud|aliyun|flux|regctl|kubelogin|rancher|cosign";
const SAMBA = "smbclient|rpcclient|net|winexe|smbget|smbcacls|wmic|mount[.\\w]{0,6}";
const WINDOWS = "xfreerdp|wfreerdp|freerdp|sdl-freerdp|mstsc|cmdkey|runas|schtasks|psexec";

function option(programs: string, options: string): Rule {
  return rule(`(?<![\\w-])(?:${programs})(?![\\w.])${ARGUMENTS}\\s(?:${options})${QUOTE}`);
}

function rule(before: string, { value = VALUE, after = "", measure = measureArgument } = {}): Rule {
  return { name: "PASSWORD", pattern: new RegExp(`(?<keep>${before})${value}${after}`, "g"), measure };
}

function measureArgument(value: string): number {
  return isPlaceholderValue(value) || value.startsWith("-") || value.length < 2 ? 0 : value.length;
}

export const COMMAND_LINES: readonly Rule[] = [
  option(ATTACHED_P, "-p(?=[^\\s-])"), // MySQL's clients and 7-Zip: -pPASSWORD
  option(SPACED_P, "-p(?!ort)[ \\t=]{0,4}"), // -p PASSWORD
  option(UPPER_P, "-P[ \\t=]{0,4}"), // -P PASSWORD
  option(LOWER_A, "-a[ \\t=]{0,4}"), // redis-cli -a PASSWORD
  option(LOWER_W, "-[wsa][ \\t=]{0,4}(?=\\S{3})(?!(?:sub|base|one|always|never)\\b)"), // ldapsearch -w PASSWORD
  option("snmp\\w{2,12}", "-[AXc][ \\t]{1,4}"), // SNMP communities and passphrases
  option("ssh-keygen", "-[NP][ \\t]{1,4}"), // passphrases of SSH keys
  option(LOGIN, "(?<=\\blogin\\b.{0,250})-p[ \\t=]{0,4}"), // docker login -p PASSWORD
  option(
    USER_AND_PASSWORD,
    `(?:-u|-U|-a|-A|--user|--proxy-user|--auth|--creds|--(?:src|dest)-creds|--basic)[ \\t=]{0,4}${QUOTE}[^\\s:,"'@/]{1,80}[:,]`,
    // curl -u USER:PASSWORD
  ),
  option(SAMBA, `-U[ \\t=]{0,4}${QUOTE}[^\\s%"']{1,80}%`), // smbclient -U USER%PASSWORD
  option(WINDOWS, "/(?:p|pass|rp):?[ \\t]{0,2}"), // options of Windows
  rule(
    `\\bnet1?[ \\t]+use[ \\t]+(?:[^\\s/]{1,200}[ \\t]+){0,3}/user:\\S{1,80}[ \\t]+(?!/)`,
    // net use /user:USER PASSWORD
  ),
  rule("\\bnet1?[ \\t]+user[ \\t]+[^\\s/]{1,60}[ \\t]+(?![/*])"), // net user USER PASSWORD
  option(
    "openssl",
    `-(?:pass(?:in|out)?|k|K)[ \\t=]{1,4}${QUOTE}(?:pass:)?(?!(?:env|file|fd|stdin):?)`,
    // openssl -passin pass:PASSWORD
  ),
  rule(
    `\\b(?:rabbitmqctl|rabbitmq)${ARGUMENTS}\\b(?:add_user|change_password|authenticate_user)[ \\t]+\\S{1,80}[ \\t]+${QUOTE}`,
    // rabbitmqctl add_user USER PASSWORD
  ),
  rule(
    `\\bhtpasswd[ \\t]+(?=[^\\n]{0,60}-\\w{0,6}b)(?:-\\S+[ \\t]+(?:\\d+[ \\t]+)?){1,5}(?:[^\\s-]\\S{0,120}[ \\t]+){1,2}${QUOTE}`,
    // htpasswd -b FILE USER PASSWORD
    {
      after: `(?=["']?[ \\t]{0,16}(?:$|[|;&>\\r\\n]))`,
    },
  ),
  rule(`\\bwpa_passphrase[ \\t]+\\S{1,80}[ \\t]+${QUOTE}`), // wpa_passphrase SSID PASSWORD
  rule(
    `\\bmc[ \\t]+(?:alias|config)[ \\t]+(?:set|host[ \\t]+add)[ \\t]+(?:\\S{1,200}[ \\t]+){3}${QUOTE}`,
    // MinIO client: alias set NAME URL KEY SECRET
  ),
  rule(
    `\\bmc[ \\t]+(?:alias|config)[ \\t]+(?:set|host[ \\t]+add)[ \\t]+\\S{1,200}[ \\t]+\\S{1,200}[ \\t]+${QUOTE}`,
    // the same: its access key
  ),
  rule(
    `\\b(?:sqlplus|sqlldr|expdp|impdp|exp|imp|rman|sqlcl|tnsping|oracle)\\b${ARGUMENTS}[\\w$]{1,60}/`,
    // Oracle: USER/PASSWORD@SERVICE
    {
      value: `(?!\\[REDACTED_)[^\\s/@"']{1,100}`,
      after: "(?=@)",
    },
  ),
  rule(
    `\\b(?:echo|printf)[ \\t]+(?:-\\w+[ \\t]+)?${QUOTE}(?:[\\w.@-]{1,60}:)?`,
    // echo PASSWORD | program that reads it
    {
      value: `(?!\\[REDACTED_)[^\\s"'|:]{3,200}`,
      after: `(?=["']?[ \\t]*\\|[^|\\n]{0,100}(?:--password-stdin|--stdin|sudo[ \\t]+-S|chpasswd|\\bpasswd\\b|passphrase-fd|with-token|cryptsetup|smbpasswd|pass(?:word)?-?(?:file|fd)|secret[^|\\n]{0,80}/dev/stdin))`,
    },
  ),
  rule(
    `(?:--password-stdin|sudo[ \\t]+-S|\\bpasswd\\b|chpasswd|--with-token|cryptsetup)[^\\n<]{0,120}<<<[ \\t]*${QUOTE}(?:[\\w.@-]{1,60}:)?`,
    // a here string
  ),
  rule(
    `\\b(?:vault[ \\t]+login|operator[ \\t]+unseal|vault[ \\t]+unseal|(?:add-)?authtoken|snyk[ \\t]+auth|_authToken|service[ \\t]+install|auth:token)[ \\t]+${QUOTE}`,
    // a token as an argument
    { measure: measureSecret },
  ),
  rule(`\\bConvertTo-SecureString[ \\t]+(?:-\\w+[ \\t]+){0,3}${QUOTE}`), // PowerShell
  rule(`\\bSETUSER[ \\t]+\\S{1,60}[ \\t]+(?:[\\w+~@*&-]{1,40}[ \\t]+){0,6}>`), // Redis ACL SETUSER
];

/** Redis AUTH, SMTP AUTH. */
export const AUTH_COMMAND: Rule = {
  ...rule(`\\bAUTH["']?[ \\t]+["']?(?:[\\w-]{1,40}["']?[ \\t]+["']?)?`, {
    measure: measureSecret,
  }),
  hint: "AUTH",
};
/** Every match of AUTH_COMMAND contains one of these; lower case. */
export const AUTH_WORDS: readonly string[] = ["auth ", "auth\t", 'auth"', "auth'"];

/** Words of which each other rule's match contains one; lower case. Names of programs end in a blank. */
export const COMMAND_WORDS: readonly string[] = [
  ...[ATTACHED_P, SPACED_P, UPPER_P, LOWER_A, LOWER_W, USER_AND_PASSWORD, LOGIN, WINDOWS, SAMBA].flatMap(namesOf),
  ...(
    "ssh-keygen openssl rabbitmqctl htpasswd wpa_passphrase mc sqlplus sqlldr expdp impdp exp imp rman " +
    "sqlcl echo printf stdin sudo chpasswd with-token cryptsetup vault authtoken snyk setuser"
  )
    .split(" ")
    .map((word) => `${word} `),
  ..."snmp mount mysql mariadb elasticsearch- pt- ncftp mongo oracle securestring _authtoken auth:token smbclient".split(
    " ",
  ),
  ...["ldap", "redis-cli", "redis-benchmark", "valkey-", "mosquitto_", "7z ", "7za ", "net1 "],
];

/** The literal names among alternatives. */
function namesOf(programs: string): string[] {
  return programs
    .split("|")
    .filter((name) => /^[\w-]+$/.test(name))
    .map((name) => `${name.toLowerCase()} `);
}
