// Owns what the subcommands of each program do, by the program's name. Pure data.

import { COMPOSE, CONTAINERS, HELM, KUBECTL, UNITS } from "./platform-subcommands.ts";
import { type SubcommandRules, type SubcommandTable, subcommandRules } from "./subcommand-rules.ts";

const simple = (reading: string, changing: string, more: Partial<SubcommandTable> = {}) =>
  subcommandRules({ reading, changing, ...more });

/** By the program's name. */
export const SUBCOMMAND_RULES: ReadonlyMap<string, SubcommandRules> = new Map(
  Object.entries<SubcommandRules>({
    docker: CONTAINERS,
    podman: CONTAINERS,
    nerdctl: CONTAINERS,
    "docker-compose": COMPOSE,
    "podman-compose": COMPOSE,
    kubectl: KUBECTL,
    k: KUBECTL,
    oc: KUBECTL,
    systemctl: UNITS,
    helm: HELM,
    apt: simple(
      "list show policy search",
      "install remove purge update upgrade full-upgrade autoremove autoclean clean",
    ),
    "apt-cache": simple("policy show search depends rdepends madison", ""),
    "apt-get": simple("", "install remove purge update upgrade dist-upgrade autoremove clean autoclean"),
    crictl: simple(
      "ps pods images img inspect inspecti inspectp logs stats statsp info version imagefsinfo events",
      "rm rmi rmp stop stopp start create run runp pull update update-runtime-config checkpoint",
      { valued: "-r --runtime-endpoint -i --image-endpoint -t --timeout -c --config", runs: { exec: 1 } },
    ),
    ctr: simple(
      `version info
       containers: ls list info
       container: ls list info
       c: ls list info
       tasks: ls list ps metrics
       task: ls list ps metrics
       t: ls list ps metrics
       images: ls list check
       image: ls list check
       i: ls list check
       namespaces: ls list
       namespace: ls list
       ns: ls list
       snapshots: ls list info usage tree`,
      `run
       containers: rm delete create label
       container: rm delete create label
       tasks: kill rm delete start pause resume exec
       task: kill rm delete start pause resume exec
       t: kill rm delete start pause resume exec
       images: rm delete pull push import tag label
       image: rm delete pull push import tag label
       namespaces: rm create label
       snapshots: rm prepare commit`,
      { valued: "-n --namespace -a --address --timeout" },
    ),
    dnf: simple(
      "list info search check-update repolist repoquery history",
      "install remove update upgrade downgrade clean",
    ),
    yum: simple("list info search check-update repolist history", "install remove update upgrade downgrade clean"),
    etcdctl: simple(
      "get version watch\nmember: list\nendpoint: health status hashkv\nalarm: list\nsnapshot: status",
      "put del defrag compaction txn move-leader\nmember: add remove update promote\nalarm: disarm\nsnapshot: save restore",
      { valued: "--endpoints --cacert --cert --key --user -w --write-out --command-timeout" },
    ),
    git: simple(
      "status log diff show blame describe rev-parse ls-files",
      "add commit push pull fetch checkout reset clean merge",
    ),
    hostnamectl: simple("status", "set-hostname hostname set-icon-name set-deployment", { bare: "read_only" }),
    ipset: simple("list save test", "create add del destroy flush rename swap restore"),
    kubeadm: simple(
      "version\ncerts: check-expiration\nconfig: print view\ntoken: list",
      "init join reset upgrade\ncerts: renew",
    ),
    loginctl: simple(
      "list-sessions session-status show-session list-users user-status show-user list-seats seat-status show-seat",
      `activate lock-session unlock-session terminate-session kill-session enable-linger disable-linger terminate-user kill-user
       lock-sessions unlock-sessions terminate-seat attach flush-devices`,
      { valued: "-p --property -H --host -M --machine", bare: "read_only" },
    ),
    networkctl: simple("list status lldp", "up down renew reconfigure reload delete forcerenew", { bare: "read_only" }),
    nft: simple("list monitor describe", "add create delete destroy flush insert replace rename reset import", {
      valued: "-I --includepath",
      changes: { "": /^(?:-f|--file)/ },
    }),
    patronictl: simple(
      "list topology history show-config version",
      "failover switchover restart reinit edit-config pause resume reload remove",
      {
        valued: "-c --config-file -d --dcs-url",
      },
    ),
    pg_ctl: simple("status", "start stop restart reload promote init initdb kill logrotate logreopen register", {
      valued: "-D --pgdata -m --mode -o --options -l --log -t --timeout -p",
    }),
    pgbackrest: simple(
      "info version",
      "backup restore expire stop start archive-push stanza-create stanza-delete stanza-upgrade",
    ),
    pip: simple("list show freeze check", "install uninstall download"),
    resolvectl: simple(
      "status query statistics show-cache",
      "flush-caches reset-statistics revert reset-server-features",
      {
        bare: "read_only",
      },
    ),
    skopeo: simple("inspect list-tags", "copy delete sync login logout"),
    timedatectl: simple(
      "status show timesync-status show-timesync list-timezones",
      "set-time set-timezone set-local-rtc set-ntp",
      {
        bare: "read_only",
      },
    ),
    ufw: simple("status show version", "enable disable reload reset allow deny reject limit delete insert default"),
    chronyc: simple("tracking sources sourcestats activity ntpdata", "makestep burst add delete online offline"),
    snap: simple("list info services changes logs", "install remove refresh restart start stop revert"),
    supervisorctl: simple("status tail avail pid", "start stop restart reload update shutdown reread clear"),
  }),
);
