// Names with dots: which of them are hosts, and which are public places that everybody uses.

/** Top-level domains of hosts, and the endings of private ones. Endings of files and of Java packages are missing. */
const TOP_LEVEL = new Set(
  (
    "com net org edu gov mil int info biz io dev app cloud tech online site xyz ai co tv eu de fr uk nl be ch at it es pt pl cz " +
    "se no dk fi ie us ca mx br ar jp kr cn hk sg au nz za ru ua tr gr hu ro bg hr si sk lt lv ee is lu il ae sa " +
    "local internal lan corp intra intranet home localdomain private svc consul cluster test example invalid localnet arpa"
  ).split(" "),
);
/** Top-level domains that are words in programs: `System.in`, `it.is`. They count from three labels on. */
const WORDS = new Set(
  "in is it to at be by me my no so us do as am app test local private home site si sa int".split(" "),
);

/** Places of public software: their names show nothing about anybody. */
const PUBLIC = new Set(
  (
    "anthropic.com apache.org alpinelinux.org archlinux.org centos.org claude.com cloudflare.com cloudflarestatus.com cncf.io debian.org docker.com docker.io elastic.co " +
    "fedoraproject.org freedesktop.org gcr.io ghcr.io git.io github.com githubusercontent.com gitlab.com gnu.org golang.org " +
    "google.com googleapis.com grafana.com hashicorp.com helm.sh istio.io jetstack.io k8s.io kernel.org kubernetes.io " +
    "letsencrypt.org mariadb.org maven.org mcr.microsoft.com mozilla.org mysql.com nginx.org npmjs.com npmjs.org nodejs.org " +
    "opencontainers.org openai.com openssl.org opentelemetry.io pkg.dev podman.io postgresql.org prometheus.io public.ecr.aws pypi.org " +
    "python.org pythonhosted.org quay.io rabbitmq.com redhat.com redis.io rubygems.org slack.com supabase.com ubuntu.com w3.org x-k8s.io"
  ).split(" "),
);

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?$/u;

/** Whether a host belongs to public software or a public service: `registry.k8s.io`. */
export function isPublicHost(text: string): boolean {
  const labels = text.toLowerCase().split(".");
  return labels.some((_, i) => PUBLIC.has(labels.slice(i).join(".")));
}

/** Whether a text with dots is the name of a host: `db-01.prod.acme.com`, `checkout.shop.svc.cluster.local`. */
export function isHostName(text: string): boolean {
  const labels = text.toLowerCase().split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false;
  return TOP_LEVEL.has(last) && (labels.length > 2 || !WORDS.has(last)) && !isPublicHost(text);
}

/** The domain that an organisation registers: the last two labels, three under `co.uk` and its like. */
export function registeredDomain(text: string): string | undefined {
  const labels = text.split(".");
  const isSecondLevel =
    /^(?:co|com|org|net|gov|ac|edu)$/i.test(labels.at(-2) ?? "") && (labels.at(-1) ?? "").length === 2;
  const count = isSecondLevel ? 3 : 2;
  return labels.length > count ? labels.slice(-count).join(".") : undefined;
}
