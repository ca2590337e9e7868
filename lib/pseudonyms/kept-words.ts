// Words that are no names: ordinary words of failures, of technologies and of the prompts. A name that is one of them
// stays in its place, since replacing it would change the meaning of every other sentence.

import { FAILURE_WORDS, GATE_WORDS } from "../logs/failure-words.ts";
import { MECHANISMS, WORD_LISTS } from "../mechanisms/mechanisms.ts";

/** Public software, and the parts of names that it gives its own components. */
const SOFTWARE = words(`
  alertmanager alpine ansible apache apiserver apparmor argo argocd autoscaler aws azure bash bind buildah calico
  cassandra celery centos ceph cert certbot chroma chrony chronyd cilium cloudflare cni collector consul containerd coredns cri cron
  crond crun curl daemon debian dejavu django docker dockerd dockershim dotnet ebs ec2 ecs efs eks elasticsearch envoy etcd
  exporter fargate fedora firewalld flannel fluent fluentbit fluentd flux galera gcp git github gitlab gke aks go golang
  grafana gunicorn haproxy helm hibernate httpd influxdb ingress iptables istio jaeger java jenkins jetty journald jvm
  k3s k8s kafka keepalived kibana kube kubectl kubelet kubernetes lambda linkerd linux logstash loki longhorn mariadb
  memcached minio mongo mongod mongodb mysql mysqld nats netdata nfs nginx node nodejs nomad ntpd nvidia openshift
  opensearch openssl openssh opentelemetry operator otel pagerduty patroni pause pgbouncer pgpool php phoenix podman
  postfix postgres postgresql prometheus promtail proxysql psql pushgateway python rabbit rabbitmq rails rds redis rhel
  rook ruby runc rust selinux sentinel sentry sidekiq slack solr spark spring springboot sqlite sshd statsd supabase
  systemd telegraf tempo timesyncd terraform thanos tomcat traefik ubuntu unbound uwsgi valkey varnish vault vector velero victoria
  weave windows zabbix zookeeper
`);

/** What public software calls its parts. */
const COMPONENTS = words(`
  agent api backup broker cache client cluster collector controller csi db dns driver exporter gateway leader manager
  master metrics metric mgmt node operator plugin primary proxy replica router scheduler server service sidecar slave
  state svc system ui web webhook worker
`);

/** Roles, environments, kinds of objects, and words that describe an operation. */
const GENERAL = words(`
  account accounts action active admin administrator affinity agent alert alerts anti alertname all anonymous any apache api app
  application applications apps archive attached auth authentication available aws backend backends backup base batch
  beta blue broker brokers bucket buffer build built bytes cache caches canary channel child class client clients clock
  cloud cluster clusters code command component condition config configmap configuration connect connected connection
  console consumer consumers container containers control controller core count cpu created cronjob cross custom daemonset
  dashboard data database databases db debug default demo deploy deployment deployments dest destination dev developer
  development device disk disks dns docs domain down driver east edge endpoint endpoints engine env environment eu event
  events external feature file files first fleet follower free frontend gateway general global good green group groups
  guest handler hard health healthy heap high home host hostname hosts http https icmp id image images in index info infra
  infrastructure ingress init inner input instance instances internal io ip ipv4 ipv6 item job jobs kernel key keys kind
  label labels lan last latest leader left legacy library lib level limit lines list listener live load loadbalancer local
  localhost lock log logger logging logs long loop low machine main manager map master member memory message metric
  metrics middleware migrate migration migrations mode model module monitor monitoring mount multi name named names
  namespace namespaces nat net network new nobody no node nodes none normal north null number object observability off old
  on open operation operations ops outer output owner package page parent partition password patch path paused pci
  peer per pid pipeline plane platform pod pods point policy pool port ports post preprod present primary private probe process
  processes prod producer production progress project provider proxy public publisher pull push pvc qa query queue queues
  rate read reader ready real reason recent record region registry release releases remote replica replicas replicaset
  report request requests resource response restart result retry role roles rollback root route router rule run runner
  running runtime safe same sandbox scale schedule scheduled scheduler schema scope script search second secondary secret
  section security self send server servers service services session set shared short side sidecar single site size sized slave
  slot small snapshot socket soft source south space sql ssd ssh stable stack stage staging standby start started state
  stateful statefulset static statement status step stg storage store stream string sub success supervisor svc swap sync
  system table tag target task tasks tcp team teams template tenant test testing tests thread time timer tls token topic
  topics total traffic transaction transit true type udp uat udp undefined unit unix unknown up update upgrade upstream uri url
  us user username users uuid vacuum value var version view virtual vm volume volumes wait warm web webhook webhooks west
  work worker workers workload write writer yes zero zone
  critical benign cause deployed drill error errors evidence hypotheses info low medium minor major none probability
  severity summary title question answer runbook runbooks feedback citations verdict outcome
  january february march april may june july august september october november december
`);

/** Tags and field names of the prompts. */
const OF_PROMPTS = words(`
  error_lines past_incident past_question past_procedure cited_sources unexplained_lines look_next worked_before
  incident_type search_query read_only changes_state
`);

/** Function words of English. */
const FUNCTION_WORDS = words(`
  about after again against also an and another are as at back be because been before being between both but by can
  cannot could did do does done due during each either else even every few for from get gets getting give given go goes
  got had has have having he her here him his how however if into is it its itself just keep keeps let like made make many
  more most much must my neither never next nor not now of often once one only or other others our out over own please
  put rather really she should since so some still such take than that the their them then there these they thing this
  those though three through to today together too two until upon use used uses using very via want was we were what when
  where whether which while who whose why will with within without would yet you your
`);

/** Users that software creates, and namespaces and components that every cluster has. */
const WELL_KNOWN = words(`
  cluster.local ec2-user kube-node-lease kube-public kube-system localhost.localdomain metrics-server svc.cluster.local www-data
`);

/** Words of failures that are more often the names of services. */
const SERVICE_NAMES = words("checkout delivery feed grace order orders profile subscription");

/** The vocabulary of the failure mechanisms: what retrieval reads must stay readable. */
const OF_FAILURES: ReadonlySet<string> = new Set([
  ...FAILURE_WORDS.keys(),
  ...GATE_WORDS,
  ...[
    ...Object.values(WORD_LISTS),
    ...MECHANISMS.flatMap(({ sure = [], likely = [], hint = [] }) => [...sure, ...likely, ...hint]),
  ].flatMap((phrase) => phrase.toLowerCase().match(/(?<![a-z0-9])[0-9]*[a-z][a-z0-9]*/g) ?? []),
]);

const KEPT = [SOFTWARE, GENERAL, OF_PROMPTS, FUNCTION_WORDS, WELL_KNOWN, OF_FAILURES];

const NUMBER = /^\d+$/;
const PART = /[-_./:@\\]+/;

/** Whether one word, in lower case, is part of the vocabulary. Plural forms count. */
export function isKeptWord(word: string): boolean {
  if (SERVICE_NAMES.has(word)) return false;
  return (
    KEPT.some((list) => list.has(word)) || (word.endsWith("s") && KEPT.some((list) => list.has(word.slice(0, -1))))
  );
}

/** Whether every part of a compound is vocabulary: `read-only`, `message-queue`. Numbers count with `ignoreNumbers`. */
export function isKeptCompound(text: string, { ignoreNumbers }: { readonly ignoreNumbers: boolean }): boolean {
  return text
    .toLowerCase()
    .split(PART)
    .every(
      (part) =>
        part === "" ||
        (part.length === 1 && !NUMBER.test(part)) ||
        isKeptWord(part) ||
        (ignoreNumbers && NUMBER.test(part)),
    );
}

/** Whether a name is a component of public software: `node-exporter`, `kube-proxy`, `redis-cluster`. */
export function isPublicComponent(text: string): boolean {
  const parts = text.toLowerCase().split(PART);
  return parts.some((part) => SOFTWARE.has(part)) && parts.every((part) => SOFTWARE.has(part) || COMPONENTS.has(part));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
