// Tables of known programs: which of their options and subcommands only read, and which well-known ones change something.

import type { Options } from "./arguments.ts";

interface Constraints {
  /** Long options begin with one dash, as those of openssl. */
  readonly singleDash?: boolean;
  /** Takes flags before its subcommand. */
  readonly flagsFirst?: boolean;
  /** Lists without a subcommand. */
  readonly listsAlone?: boolean;
  /** Subcommands are the same in capitals. */
  readonly ignoresCase?: boolean;
  /** Matches the arguments, joined by blanks. */
  readonly arguments?: RegExp;
  /** Matches the values of an option. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Matches an option, with "=" and its value, that changes something. */
  readonly changingOption?: RegExp;
  /** The language of a text among the arguments. */
  readonly language?: "sql" | "shell" | "sed" | "awk";
}

export interface ProgramRule extends Constraints {
  /** Options that only read; with any other the command is not verified. */
  readonly options: Options;
  /** One of these options has to be there. */
  readonly required: ReadonlySet<string>;
  /** Subcommands: "ps", "network ls". */
  readonly reads: ReadonlySet<string>;
  readonly changes: ReadonlySet<string>;
}

/** How a program runs another one. */
export interface Runner {
  readonly options: Options;
  /** Arguments before the command. */
  readonly skipped?: number;
  /** The command stands behind `--`. */
  readonly dashes?: boolean;
  /** Adds arguments that cannot be seen. */
  readonly appends?: boolean;
}

/** Programs that write nothing and run nothing, whatever their arguments. */
export const ANY_ARGUMENTS: ReadonlySet<string> = new Set(
  words(`basename cat cd cmp column comm cut df diff dig dirname du echo egrep expr false fgrep findmnt free getenforce getent
    getfacl grep groups head host id iostat jq last ls lsblk lscpu lsmod md5sum mpstat namei netstat nproc nslookup od
    pg_controldata pg_isready pgrep pidof ping pmap printenv ps pstree pwd readlink realpath seq sestatus sha256sum sleep
    stat tac tail tr traceroute true type uname uptime vmstat w wc which who whoami zcat`),
);

export const CHANGING_PROGRAMS: ReadonlySet<string> = new Set(
  words(`chcon chgrp chmod chown cp createdb dd dropdb kafka-leader-election kafka-leader-election.sh kill killall ln mkdir mkfs mkfs.ext4 mv pg_basebackup pg_rewind pgbench
    pkill poweroff reboot reindexdb restorecon rm rmdir setenforce shutdown tee touch truncate umount useradd userdel usermod
    vacuumdb`),
);

const KUBECTL = `-n= --namespace= --context= --cluster= --kubeconfig= --user= --as= --request-timeout= -o= --output= -l=
  --selector= --field-selector= --sort-by= --timeout= -A --all-namespaces`;
const CURL = `-s -S -f -L -k -i -I -v -4 -6 -g --silent --show-error --fail --location --insecure --include --head --verbose
  --compressed -m= --max-time= --connect-timeout= --retry= -H= --header= -A= -u= --user= -x= --unix-socket= --resolve= --cacert=
  -X= --request= -o= --output= -D= --dump-header= -w= --write-out=`;
const REDIS = `-h= -p= -s= -n= -a= -u= -t= -i= -2 -3 --user= --pass= --no-auth-warning --askpass --tls --sni= --cacert= --cacertdir=
  --cert= --key= --raw --no-raw --csv --json`;
const RABBITMQ = `-n= --node= -t= --timeout= -p= --vhost= --formatter= -l --longnames -q --quiet -s --silent --no-table-headers`;

const KAFKA = "--bootstrap-server= --bootstrap-controller= --command-config=";

/**
 * Programs, their options, and their subcommands. `-n=` takes a value; that of `-b?` can only be attached; of those marked `!`
 * one has to be there. Of several entries for a program one is enough.
 */
const TABLE = `
docker podman: -H= --host= -c= --context= --connection= --url= -l= --log-level= -n= --tail= --since= --until= --filter=
  --format= -f= --type= --last= -a --all -q --quiet -s --size --no-trunc -t --timestamps --follow --details --no-stream --stream=
  --names --ctr-names --ctr-status --latest --digests -v --verbose --help --file= -p= --services
  reads: ps logs inspect images port top stats events info version history diff search; system: df info events;
    container: ls list ps inspect logs top stats port diff; image: ls list inspect history exists; network: ls inspect;
    volume: ls inspect; context: ls show inspect; manifest: inspect; pod: ps inspect logs top stats;
    compose: ps ls logs top images port events version
  changes: rm rmi run start stop restart kill pause unpause update create rename tag commit cp load import pull push build login
    logout; container: rm start stop restart kill prune; image: rm prune pull; volume: rm prune create; builder: prune;
    network: rm prune create connect disconnect reload; system: prune reset migrate service; kube: play down;
    pod: rm start stop restart kill create; compose: up down start stop restart rm kill pause run create build pull push scale
docker-compose: -f= --file= -p= --tail= -n= --since= --until= --format= -a --all -q --quiet --services --follow -t --timestamps
  reads: ps ls logs top images port events version
  changes: up down start stop restart rm kill pause unpause run create build pull push scale
podman: --get-login! --quick!
  reads: login; system: check
kubectl k: ${KUBECTL} -c= --container= -L= --label-columns= --tail= --since= --since-time= --limit-bytes= --raw= --revision= --for= --types=
  -w --watch --show-labels --no-headers --ignore-not-found -p --previous --follow -f --timestamps --prefix --all-containers
  --containers --minify --recursive --client --help --list
  reads: get describe logs top events explain version api-resources api-versions cluster-info; auth: can-i whoami;
    config: view get-contexts current-context get-clusters; rollout: status history
  changes: delete apply create replace patch edit scale autoscale set label annotate taint cordon uncordon drain run expose debug
    cp; rollout: restart undo pause resume; config: use-context set-context delete-context;
    certificate: approve deny
kubectl k: ${KUBECTL} --dry-run?! -f= --filename= --replicas= --grace-period= --force --ignore-daemonsets --delete-emptydir-data
  reads: apply create delete drain scale
oc: ${KUBECTL} -c= --container= -L= --label-columns= --tail= --since= -w --watch --show-labels --no-headers -p --previous -f
  --all-containers
  reads: get describe logs events explain version status whoami; adm: top; rollout: status history
  changes: delete apply create replace patch edit scale set label annotate; adm: drain cordon uncordon taint; rollout: restart undo
skopeo: --raw --config --format= --no-tags
  reads: inspect list-tags
systemctl: -H= --host= -M= --machine= -p= --property= -t= --type= --state= -n= --lines= -o= --output= --user --system --no-pager
  --no-legend -l --full -a --all --failed -q --quiet --value --plain --reverse
  reads: status show cat list-units list-unit-files list-timers list-sockets list-jobs list-dependencies is-active is-enabled
    is-failed is-system-running get-default
  changes: start stop restart reload try-restart reload-or-restart kill enable disable mask unmask daemon-reload reset-failed
    set-property isolate edit revert set-default reboot poweroff
loginctl: -p= --property= --no-pager --value -a
  reads: list-sessions list-users show-user show-session user-status session-status
  changes: enable-linger disable-linger terminate-user terminate-session kill-user kill-session
openssl: -connect= -servername= -showcerts -brief -noout -issuer -subject -dates -enddate -text -serial -fingerprint -in=
  -starttls= -checkend= -checkhost= -CAfile= -CApath= -untrusted= -verify_return_error -verify_hostname= -pubkey -ext=
  reads: s_client x509 verify version
dockerd: --validate! --config-file=
timedatectl:
resolvectl: -4 -6 -i= --interface= -t= --type= -p= --protocol= --no-pager --cache= --legend=
  reads: status query statistics
  changes: flush-caches reset-statistics reset-server-features revert log-level
chronyc: -h= -p= -n -N -v -a
  reads: tracking sources sourcestats activity ntpdata selectdata serverstats
  changes: makestep burst online offline add delete refresh reselect settime
smartctl: -a -x -i -H -c -A -j -d= -l= -n= --all --xall --info --health --capabilities --attributes --json --scan
nvme: -o= --output-format= -H
  reads: list smart-log error-log
  changes: format sanitize reset fw-commit
mdadm: -D! --detail! --scan
tune2fs: -l!
ethtool: -S -i -k -g -c -a -l -m --statistics --driver --show-features --show-ring --show-coalesce --show-pause --show-channels
conntrack: -L! -S! -C! --count! --stats! -p= -s= -d= -o= --proto= --src= --dst= --state=
mtr: -r! -w! --report! --report-wide! -n -b -z -T -u -4 -6 -c= -i= -m= -P= -s= --no-dns --report-cycles=
nc: -z! -v -n -u -4 -6 -w=
nstat: -s! --noupdate! -a -z -j -p
pidstat: -d -u -r -w -t -h -H -s -v -l -p= -C= -G= -T=
top: -b! -n= -d= -o= -p= -u= -E= -e= -c -H -i -1
kubeadm: --config= --kubeconfig= --cert-dir= -o=
  reads: version; certs: check-expiration
  changes: init join reset; certs: renew; upgrade: apply node
journalctl: -u= --unit= --user-unit= -n= --lines= -S= --since= -U= --until= -g= --grep= -p= --priority= -o= --output= -t= -M= -k
  --dmesg --no-pager -b? --boot? -f --follow -r --reverse -x --catalog -e -a -q --user --system --list-boots --disk-usage --utc
dmesg: -T -H -k -u -w -x -L? -l= -f= --ctime --human --level= --facility= --time-format= --follow --since=
ausearch: -m= -ts= -te= -i -k= -c= -sv= -su= -ui= -p=
ss: -H -l -t -n -p -a -u -4 -6 -s -e -i -m -o -x -w -O -r
lsof: -n -P -t -l -b -w -O -R -U -i? -a -p= -u= -c= +L1
ip: -4 -6 -s -d -o -j -p -br -brief -json -details -c
iptables: -t= -L! -S! -n -v -w --line-numbers
firewall-cmd: --zone= --permanent --state --list-all --list-sources --list-ports --list-services --get-zones --get-active-zones
sysctl: -a -n
date: -u -d= --date= -I? -R
hostname: -f -i -I -s -d
sort: -b -d -f -g -h -i -M -n -R -r -u -V -z -c -s -k= -t= --key= --reverse --numeric-sort --human-numeric-sort --unique
uniq: -c -d -u -i -f= -s= -w= --count
printf:
base64: -d -D -w= --decode --wrap=
env:
curl: ${CURL}
curl: ${CURL} -G! --get! -d= --data= --data-urlencode=
wget: -q -S -O=! -T= -t= --output-document=! --timeout= --tries= --header=
find: -name= -iname= -path= -regex= -type= -size= -mtime= -mmin= -newer= -newermt= -user= -group= -perm= -maxdepth= -mindepth= -empty
  -xdev -mount -prune -not -o -a -print -print0 -ls -printf= -nouser -inum=
sed: -n -E -r -e=
awk: -F= -v=
kafka-topics kafka-topics.sh: ${KAFKA} --describe! --list! --topic= --topic-id= --under-replicated-partitions
  --unavailable-partitions --under-min-isr-partitions --at-min-isr-partitions --topics-with-overrides --exclude-internal
kafka-consumer-groups kafka-consumer-groups.sh: ${KAFKA} --describe! --list! --group= --all-groups --members --offsets --state
  --verbose --timeout=
kafka-consumer-groups kafka-consumer-groups.sh: ${KAFKA} --dry-run! --reset-offsets --group= --topic= --all-topics --to-earliest
  --to-latest --to-current --to-offset= --to-datetime= --by-duration= --shift-by=
kafka-log-dirs kafka-log-dirs.sh: ${KAFKA} --describe! --broker-list= --topic-list=
kafka-configs kafka-configs.sh: ${KAFKA} --describe! --all --entity-type= --entity-name= --entity-default
kafka-acls kafka-acls.sh: ${KAFKA} --list! --topic= --group= --cluster --transactional-id= --principal= --resource-pattern-type=
kafka-reassign-partitions kafka-reassign-partitions.sh: ${KAFKA} --list!
kafka-broker-api-versions kafka-broker-api-versions.sh: ${KAFKA}
kafka-metadata-quorum kafka-metadata-quorum.sh: ${KAFKA} --status --replication --human-readable
  reads: describe
  changes: add-controller remove-controller
kafka-transactions kafka-transactions.sh: ${KAFKA} --topic= --partition= --broker-id= --transactional-id= --max-transaction-timeout=
  reads: list describe describe-producers find-hanging
  changes: abort
kcat: -L! -b= -t= -m= -J
nginx: -t! -T! -v! -V! -q
psql: -h= --host= -p= --port= -U= --username= -d= --dbname= -c=! --command=! -w -A -t -x -q -X -F= --csv
pg_amcheck: --heapallindexed --jobs= -j= --table= -t= --index= -i= --no-dependent-indexes -h= -p= -U= -d= -P -a --all -w
redis-cli valkey-cli: ${REDIS} -r= -c
  reads: info ping role dbsize lastsave time get mget strlen exists type ttl pttl llen hlen scard zcard xlen xpending scan;
    lrange lindex zrange smembers hgetall; config: get; memory: usage stats doctor; slowlog: get len; latency: latest history doctor graph histogram;
    client: list info getname id; cluster: info nodes shards slots links myid keyslot countkeysinslot replicas
    count-failure-reports; acl: whoami list users getuser cat log dryrun; object: encoding idletime freq refcount;
    pubsub: channels numsub numpat; xinfo: stream groups consumers; module: list;
    sentinel: masters master replicas slaves sentinels get-master-addr-by-name ckquorum myid
  changes: set del unlink expire flushall flushdb save bgsave bgrewriteaof replicaof slaveof failover shutdown debug eval swapdb;
    config: set rewrite resetstat; client: kill pause unpause no-evict; slowlog: reset; latency: reset; memory: purge;
    script: kill flush; function: kill flush delete; acl: setuser deluser load save; module: load unload;
    cluster: failover reset meet forget replicate addslots delslots setslot flushslots bumpepoch;
    sentinel: failover reset set remove monitor
redis-cli valkey-cli: ${REDIS} --scan! --bigkeys! --memkeys! --hotkeys! --latency! --latency-history! --stat! --cluster=! --pattern=
redis-check-rdb:
redis-check-aof:
rabbitmqctl rabbitmq-diagnostics rabbitmq-queues: ${RABBITMQ} --online --offline --local -N= --number= --unit= --within=
  reads: status cluster_status environment report ping version list_queues list_connections list_channels list_consumers
    list_exchanges list_bindings list_vhosts list_users list_permissions list_user_permissions list_topic_permissions
    list_policies list_operator_policies list_parameters list_global_parameters list_feature_flags list_unresponsive_queues
    list_vhost_limits list_user_limits alarms check_alarms check_local_alarms check_running check_port_connectivity
    check_port_listener check_protocol_listener check_virtual_hosts check_certificate_expiration is_running is_booting listeners
    memory_breakdown runtime_thread_stats maybe_stuck resolve_hostname resolver_info os_env server_version erlang_version
    log_location log_tail check_if_node_is_quorum_critical quorum_status
    metadata_store_status
  changes: stop stop_app start_app shutdown reset force_reset force_boot join_cluster forget_cluster_node rename_cluster_node
    close_connection close_all_connections close_all_user_connections purge_queue delete_queue set_policy clear_policy
    set_operator_policy clear_operator_policy set_parameter clear_parameter set_vm_memory_high_watermark set_disk_free_limit
    set_permissions clear_permissions set_vhost_limits clear_vhost_limits set_user_limits clear_user_limits set_log_level
    add_user delete_user change_password add_vhost delete_vhost restart_vhost suspend_listeners resume_listeners force_gc
    enable_feature_flag eval import_definitions grow shrink rebalance add_member delete_member reclaim_quorum_memory
    add_replica delete_replica
mysql mariadb: -h= --host= -P= --port= -u= --user= -p? -S= --socket= -D= --database= --login-path= -e=! -N -B -E -t -s -v
mysqldumpslow: -s= -t= -g= -r -a
innochecksum: -c -v -n -S -i -s= -e= -p= -a=
jcmd: -l -e
jstat: -gc -gcutil -gccause -gccapacity -gcmetacapacity -gcnew -gcold -class -t
py-spy: -p= --pid= -l --locals -n --native
  reads: dump
git: -C= -n= --since= --until= --author= --format= --oneline --stat --name-only --name-status --no-merges --all
  reads: log show diff
gh: -R= --repo= -L= --limit= -b= --branch= -s= --status= -j= --job= --log --log-failed --json=
  reads: run: list view; workflow: list view; release: list view; pr: list view checks; cache: list; secret: list; variable: list
  changes: run: rerun cancel delete; workflow: run disable enable; release: create delete; pr: merge close; cache: delete;
    secret: set delete; variable: set delete
helm: -n= --namespace= -A --all-namespaces -a --all -o= --output= --revision= --max= --filter= --pending --failed -q --short
  --kube-context= --kubeconfig=
  reads: list ls history status version; get: all hooks manifest metadata notes values
  changes: install upgrade rollback uninstall delete; repo: add update remove; dependency: update build
argocd: --server= --grpc-web -o= --output= -N= --app-namespace= -l= --selector= -p= --project=
  reads: version; app: list get history resources; proj: list get; cluster: list; repo: list
  changes: app: create sync set rollback delete patch terminate-op; repo: add rm
vault bao: -address= -namespace= -format=
  reads: status version; token: lookup capabilities; policy: list read; auth: list; audit: list; secrets: list;
    operator: members
  changes: write delete patch login; operator: init unseal seal step-down rekey rotate; token: create renew revoke;
    lease: renew revoke; policy: write delete; auth: enable disable tune; audit: enable disable;
    secrets: enable disable move tune
terraform tofu: -chdir= -json -no-color -type= -draw-cycles
  reads: version show graph; state: list show; workspace: list show
  changes: init apply destroy import refresh taint untaint force-unlock; state: rm mv push replace-provider;
    workspace: new select delete; providers: lock mirror
aws: --region= --profile= --output= --query= --no-cli-pager --filters= --max-items= --names= --subnet-ids= --instance-ids=
  --group-ids= --nat-gateway-ids= --load-balancer-arn= --target-group-arn= --hosted-zone-id= --namespace= --metric-name=
  --dimensions= --start-time= --end-time= --period= --statistics= --table-name= --key= --bucket= --prefix= --role-name=
  reads: sts: get-caller-identity; cloudwatch: get-metric-statistics list-metrics describe-alarms; iam: get-role;
    ec2: describe-subnets describe-instances describe-network-interfaces describe-security-groups describe-security-group-rules
    describe-nat-gateways describe-route-tables describe-network-acls describe-vpcs;
    elbv2: describe-load-balancers describe-load-balancer-attributes describe-listeners describe-target-groups
    describe-target-group-attributes describe-target-health; route53: list-hosted-zones list-resource-record-sets;
    dynamodb: describe-table get-item; s3api: list-object-versions head-object
  changes: ec2: terminate-instances reboot-instances authorize-security-group-ingress revoke-security-group-ingress
    assign-private-nat-gateway-address associate-nat-gateway-address delete-network-interface;
    elbv2: modify-load-balancer-attributes modify-target-group-attributes register-targets deregister-targets;
    dynamodb: put-item update-item delete-item; s3api: put-object delete-object
promtool:
  reads: check: config rules; query: instant series labels; tsdb: list analyze
amtool: --alertmanager.url= --config.file= -o= --output=
  reads: check-config; alert: query; silence: query; config: show
  changes: alert: add; silence: add expire update import
celery: -b= --broker= -t= --timeout= -d= --destination= -j --json
  reads: inspect: ping active reserved scheduled registered stats active_queues
  changes: purge; control: shutdown pool_restart cancel_consumer add_consumer revoke rate_limit
sh bash: -c=! -l -e -u -x`;

const STANDARD_OUTPUT = /^(?:-|\/dev\/(?:null|stdout|stderr))$/;
const METHOD = /^(?:GET|HEAD|OPTIONS)$/;
/** `%output{file}` writes a file. */
const FORMAT = /^(?!.*%output|@)/is;
const CONSTRAINTS: Readonly<Record<string, Constraints>> = {
  kubectl: { values: { "--dry-run": /^(?:client|server)$/ } },
  systemctl: { flagsFirst: true, listsAlone: true },
  loginctl: { flagsFirst: true, listsAlone: true },
  "redis-cli": {
    flagsFirst: true,
    ignoresCase: true,
    arguments: /^(?!acl log reset)/i,
    changingOption:
      /^--(?:pipe|eval|rdb|cluster=(?:create|fix|reshard|rebalance|add-node|del-node|call|set-timeout|import))\b/,
    values: { "--cluster": /^(?:check|info)$/ },
  },
  rabbitmqctl: { flagsFirst: true },
  openssl: { singleDash: true },
  ausearch: { singleDash: true },
  vault: { singleDash: true },
  terraform: { singleDash: true },
  find: { singleDash: true },
  ip: {
    singleDash: true,
    arguments: /^(?:a|addr|address|r|route|l|link|n|neigh|rule|netns)(?: (?:show|list|ls|get)\b.*)?$/,
  },
  dockerd: { arguments: /^$/ },
  env: { arguments: /^$/ },
  journalctl: { changingOption: /^--(?:vacuum|rotate)/ },
  iptables: { changingOption: /^-[ADFIPRXZ]/ },
  timedatectl: { arguments: /^(?:status|show|timesync-status|show-timesync)?$/ },
  smartctl: {
    changingOption: /^(?:-[tsoSX]|--(?:test|smart|offlineauto|saveauto|set|abort))=/,
    // Others reset counters (`sasphy,reset`) or set time limits (`scterc,70,70`).
    values: { "-l": /^(?:x?error|x?selftest|background|devstat|scterc)$/ },
  },
  mdadm: { changingOption: /^(?:-[ACGFSafr]|--(?:add|fail|remove|re-add|stop|grow|create|assemble|zero-superblock))=/ },
  tune2fs: { arguments: /^\S+$/ },
  // Long options begin with two dashes, but short ones cannot be joined.
  ethtool: { singleDash: true, arguments: /^\S+$/ },
  conntrack: { changingOption: /^-[DFIU]=/, arguments: /^(?:conntrack|expect|dying|unconfirmed)?$/ },
  "firewall-cmd": { arguments: /^$/, changingOption: /^--(?:add|remove|set|reload)/ },
  sysctl: { arguments: /^[\w.*/ -]*$/, changingOption: /^-w/ },
  date: { arguments: /^(?:\+.*)?$/ },
  hostname: { arguments: /^$/ },
  // A second file is written.
  uniq: { arguments: /^[^\s$]*$/ },
  curl: {
    // No other scheme: `gopher:` sends any bytes.
    arguments: /^(?:(?:https?:\/\/)?[^\s:/{}]+(?::[^\s:/{}]+)?(?:\/[^\s{}]*)?(?: |$))+$/i,
    changingOption: /^(?:-X|--request)=(?:POST|PUT|PATCH|DELETE)$/,
    values: {
      "-o": STANDARD_OUTPUT,
      "--output": STANDARD_OUTPUT,
      "-D": STANDARD_OUTPUT,
      "--dump-header": STANDARD_OUTPUT,
      "-X": METHOD,
      "--request": METHOD,
      "-w": FORMAT,
      "--write-out": FORMAT,
    },
  },
  wget: { values: { "-O": STANDARD_OUTPUT, "--output-document": STANDARD_OUTPUT } },
  sed: { language: "sed", changingOption: /^(?:-i|--in-place)/ },
  awk: { language: "awk" },
  "kafka-topics": { arguments: /^$/, changingOption: /^--(?:create|alter|delete)=/ },
  "kafka-consumer-groups": { arguments: /^$/, changingOption: /^--(?:execute|delete|delete-offsets)=/ },
  "kafka-log-dirs": { arguments: /^$/ },
  "kafka-configs": { arguments: /^$/, changingOption: /^--alter=/ },
  "kafka-acls": { arguments: /^$/, changingOption: /^--(?:add|remove)=/ },
  // `--verify` removes throttles.
  "kafka-reassign-partitions": { arguments: /^$/, changingOption: /^--(?:execute|cancel)=/ },
  "kafka-broker-api-versions": { arguments: /^$/ },
  kcat: { arguments: /^$/ },
  // `-c`, `-p` and `-g` load another configuration, which may load modules.
  nginx: { arguments: /^$/, changingOption: /^-s/ },
  psql: { language: "sql" },
  mysql: { language: "sql" },
  innochecksum: { changingOption: /^(?:-w|--write)=/ },
  jcmd: {
    arguments:
      /^(?:\S+ (?:Thread\.print|GC\.(?:heap_info|class_histogram)|VM\.(?:native_memory(?: summary| detail)?(?: scale=\w+)?|metaspace|classloader_stats|flags|command_line|uptime|version)))?$/,
  },
  jstat: { singleDash: true },
  sh: { language: "shell" },
};

export const PROGRAMS: ReadonlyMap<string, readonly ProgramRule[]> = readTable();

const EXEC: Runner = { options: options("-i -t -u= --user= -e= --env= -w= --workdir= --privileged"), skipped: 1 };
const KUBECTL_EXEC: Runner = { options: options(`${KUBECTL} -i -t --stdin --tty -c= --container=`), dashes: true };
export const RUNNERS: ReadonlyMap<string, Runner> = new Map(
  Object.entries<Runner>({
    sudo: { options: options("-n -u= --user= -g= -H") },
    timeout: { options: options("-k= --kill-after= -s= --signal="), skipped: 1 },
    nsenter: { options: options("-t= --target= -a -m -u -i -n -p -C -U --all --mount --uts --ipc --net --pid") },
    xargs: { options: options("-0 -r -n= -L= -P= --no-run-if-empty"), appends: true },
    "docker exec": EXEC,
    "podman exec": EXEC,
    "podman unshare": { options: options("") },
    "kubectl exec": KUBECTL_EXEC,
    "oc exec": KUBECTL_EXEC,
  }),
);

function readTable(): Map<string, ProgramRule[]> {
  const rules = new Map<string, ProgramRule[]>();
  for (const entry of TABLE.trim().split(/\n(?=\S)/)) {
    const [head = "", reads = "", changes = ""] = entry.split(/\n {2}(?:reads|changes):/);
    const colon = head.indexOf(":");
    const names = words(head.slice(0, colon));
    const list = head.slice(colon + 1);
    const rule: ProgramRule = {
      options: options(list),
      required: new Set(words(list).flatMap((word) => (word.endsWith("!") ? word.replace(/[=?]?!$/, "") : []))),
      reads: subcommands(reads),
      changes: subcommands(changes),
      ...CONSTRAINTS[names[0] ?? ""],
    };
    for (const name of names) rules.set(name, [...(rules.get(name) ?? []), rule]);
  }
  return rules;
}

function options(list: string): Options {
  return new Map(
    words(list).map((word) => {
      const [, name = "", kind] = /^(.*?)([=?]?)!?$/.exec(word) ?? [];
      return [name, kind === "=" ? "value" : kind === "?" ? "attached" : "flag"];
    }),
  );
}

/** "ps logs; network: ls inspect" */
function subcommands(list: string): ReadonlySet<string> {
  return new Set(
    list.split(";").flatMap((part) => {
      const [members = "", group] = part.split(":").toReversed();
      return words(members).map((name) => (group === undefined ? name : `${group.trim()} ${name}`));
    }),
  );
}

function words(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== "");
}
