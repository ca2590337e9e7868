// Token formats of vendors: a literal prefix, then a run of characters. The vendors document them; the names of the rules of
// gitleaks (MIT) were the checklist. Bodies match a little more than documented, since vendors lengthen them.

import { type Counts, marker } from "../rules/rule.ts";

/** Characters of a body: letters and digits, the same with - and _, with dots too, base64, and hexadecimal. */
const BODIES = { c: "\\w:-", a: "A-Za-z0-9", w: "\\w-", d: "\\w.-", b: "\\w+/=-", h: "0-9a-fA-F" } as const;

/** Name in the marker, prefixes, characters of the body, its minimum length. Specific prefixes come first. */
type Format = readonly [name: string, prefixes: string, body: keyof typeof BODIES, minimum: number];

const FORMATS: readonly Format[] = [
  // Models.
  ["ANTHROPIC", "sk-ant-", "w", 16],
  ["GROQ", "gsk_", "a", 40],
  ["HUGGINGFACE", "hf_ api_org_", "a", 30],
  ["PERPLEXITY", "pplx-", "a", 32],
  ["REPLICATE", "r8_", "a", 32],
  ["XAI", "xai-", "a", 60],
  ["LANGSMITH", "lsv2_pt_ lsv2_sk_", "w", 30],
  ["NVIDIA", "nvapi-", "w", 40],
  ["PINECONE", "pcsk_", "w", 30],
  // Source code and delivery.
  ["GITHUB", "ghp_ gho_ ghu_ ghs_ ghr_", "d", 30],
  ["GITHUB", "github_pat_", "w", 22],
  ["GITLAB", "glpat- gldt- glrt- glcbt- glptt- glft- glagent- glsoat- gloas- glimt- glffct- glwt- GR1348941", "d", 20],
  ["BITBUCKET", "ATBB ATCTT3 ATATT3", "b", 24],
  ["NPM", "npm_", "a", 36],
  ["PYPI", "pypi-AgE", "w", 50],
  ["RUBYGEMS", "rubygems_", "h", 40],
  ["CRATES_IO", "cio", "a", 32],
  ["NUGET", "oy2", "a", 43],
  ["DOCKER", "dckr_pat_ dckr_oat_", "w", 20],
  ["ARTIFACTORY", "AKCp cmVmdGtu", "a", 40],
  ["CIRCLECI", "CCIPAT_ CCIPRJ_", "w", 30],
  ["BUILDKITE", "bkua_ bkaj_ bkct_", "w", 36],
  ["SONAR", "squ_ sqp_ sqa_", "h", 40],
  ["SNYK", "snyk_uat. snyk_sat.", "d", 30],
  ["SOURCEGRAPH", "sgp_ slk_", "w", 40],
  ["PULUMI", "pul-", "h", 40],
  ["POSTMAN", "PMAK-", "w", 50],
  ["FIGMA", "figd_ figu_ figo_", "w", 36],
  // Platforms.
  ["AWS_ACCESS_KEY", "AKIA ASIA ABIA ACCA", "a", 16],
  ["AWS_BEDROCK", "ABSK bedrock-api-key-", "b", 60],
  ["GOOGLE", "AIza", "w", 35],
  ["GOOGLE", "GOOG1", "a", 20],
  ["YANDEX", "t1.9eu", "d", 60],
  ["GOOGLE", "ya29. 1//0", "d", 20],
  ["GOOGLE", "GOCSPX-", "w", 24],
  ["ALIBABA", "LTAI", "a", 12],
  ["TENCENT", "AKID", "a", 28],
  ["DIGITALOCEAN", "dop_v1_ doo_v1_ dor_v1_", "h", 60],
  ["CLOUDFLARE", "cfk_ cfut_ cfat_", "w", 40],
  ["FLYIO", "fo1_ fm1r_ fm1a_ fm2_ FlyV1", "b", 40],
  ["HEROKU", "HRKU-", "w", 36],
  ["VERCEL", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", "w", 24],
  ["NETLIFY", "nfp_ nfc_ nfo_ nfu_ nfb_", "w", 36],
  ["SUPABASE", "sb_secret_", "w", 20],
  ["SUPABASE", "sbp_", "w", 40],
  ["PLANETSCALE", "pscale_tkn_ pscale_pw_ pscale_oauth_", "d", 30],
  ["NEON", "napi_ npg_", "a", 12],
  ["MONGODB", "mdb_sa_sk_ mdb_sa_id_", "w", 24],
  ["AIVEN", "aivenv1 AVNS_", "w", 16],
  ["DATABRICKS", "dapi dose dkea", "w", 32],
  ["OPENSHIFT", "sha256~", "w", 40],
  ["KUBERNETES", "base64url.bearer.authorization.k8s.io.", "w", 20],
  ["RANCHER", "kubeconfig-u- kubeconfig-user-", "c", 20],
  ["DOPPLER", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "d", 36],
  ["ONEPASSWORD", "ops_eyJ", "b", 100],
  ["ONEPASSWORD", "A3-", "w", 32],
  ["VAULT", "hvs. hvb. hvr.", "w", 20],
  ["TAILSCALE", "tskey-", "w", 20],
  ["AGE", "AGE-SECRET-KEY-1", "a", 50],
  // Operations.
  ["GRAFANA", "glsa_ glc_", "b", 32],
  ["GRAFANA", "eyJrIjoi", "b", 60],
  ["SENTRY", "sntrys_ sntryu_ sntrya_", "b", 40],
  ["NEWRELIC", "NRAK- NRII- NRJS- NRRA- NRIQ- NRSP- NRBR-", "w", 19],
  ["DYNATRACE", "dt0c01. dt0s16. dt0s01. dt0s08.", "d", 60],
  ["HONEYCOMB", "hcaik_ hcalk_ hcbik_ hcxik_", "a", 30],
  ["PAGERDUTY", "pdus+ pdeu+", "b", 20],
  ["LAUNCHDARKLY", "api- sdk- mob-", "w", 36],
  ["POSTHOG", "phx_ phc_ phs_", "a", 36],
  // Messages, offices and payments.
  ["SLACK", "xapp-", "w", 16],
  ["SENDGRID", "SG.", "d", 40],
  ["TWILIO", "SK", "h", 32],
  ["MAILGUN", "key-", "h", 32],
  ["BREVO", "xkeysib- xsmtpsib-", "w", 60],
  ["RESEND", "re_", "w", 30],
  ["ATLASSIAN", "ATATT3x ATCTT3x ATSTT3x", "b", 40],
  ["LINEAR", "lin_api_ lin_oauth_ lin_wh_", "a", 32],
  ["NOTION", "ntn_ secret_", "a", 40],
  ["HUBSPOT", "pat-na1- pat-na2- pat-eu1-", "w", 30],
  ["TYPEFORM", "tfp_", "d", 40],
  ["FACEBOOK", "EAAM EAAC EAAB EAAG", "a", 80],
  ["SQUARE", "EAAA EAAE sq0atp- sq0csp- sq0idp-", "w", 22],
  ["STRIPE", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", "a", 10],
  ["STRIPE", "whsec_", "b", 24],
  ["SHOPIFY", "shpat_ shpca_ shppa_ shpss_ shptka_", "h", 32],
  ["ELEVENLABS", "sk_", "a", 40],
  ["FLUTTERWAVE", "FLWSECK_TEST- FLWSECK-", "w", 12],
  ["RAZORPAY", "rzp_live_ rzp_test_", "a", 14],
  ["ADYEN", "AQE", "b", 90],
  ["PLAID", "access-sandbox- access-development- access-production-", "w", 36],
  ["GOCARDLESS", "live_ sandbox_", "w", 36],
  ["SHIPPO", "shippo_live_ shippo_test_", "h", 40],
  ["EASYPOST", "EZAK EZTK", "a", 50],
  ["DEJAVU", "djv_ djs_", "w", 40],
];

// A token starts at a word boundary; escapes such as \n, %3D, \u003d or a terminal colour do not count as a word.
export const TOKEN_START = "(?<=^|[^A-Za-z0-9]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\\\u00[0-9a-fA-F]{2}|\\x1b\\[[\\d;]{0,8}m)";

const PREFIXES: readonly (readonly [prefix: string, name: string])[] = FORMATS.flatMap(([name, prefixes]) =>
  prefixes.split(" ").map((prefix) => [prefix, name] as const),
);

/** Beginnings of tokens, for the segmenter. */
export const VENDOR_PREFIXES: readonly string[] = PREFIXES.map(([prefix]) => prefix);

function patternOf([, prefixes, body, minimum]: Format): string {
  const literals = prefixes.split(" ").map((prefix) => prefix.replace(/[.+/]/g, "\\$&"));
  return `(?:${literals.join("|")})[${BODIES[body]}]{${minimum},}`;
}

/** Bodies are random. Names of Kubernetes objects may begin like a token, but they are words joined by hyphens. */
function hasRandomRun(token: string): boolean {
  if (/^dj[vs]_/.test(token)) return true;
  if (/^[A-Z0-9]+(?:-[A-Z0-9]{5,8}){4,}$/.test(token)) return true;
  const runs = token.match(/[A-Za-z0-9]{10,}/g) ?? [];
  return runs.some((run) => (/\d/.test(run) || hasMixedCase(run)) && /[A-Za-z]/.test(run));
}

/** A long run without a digit, as one key of a hundred is. */
function hasMixedCase(run: string): boolean {
  return run.length >= 20 && (run.match(/[a-z](?=[A-Z])/g)?.length ?? 0) >= 4;
}

const TRAILING = /(?<![.=_-])[.=_-]+$/;

/** All formats in one pattern. The name follows from the prefix. */
const ANY_FORMAT = new RegExp(`${TOKEN_START}(?:${FORMATS.map(patternOf).join("|")})`, "g");

/** Replaces the tokens of all formats, and adds to `counts`. */
export function redactVendorTokens(text: string, counts: Counts): string {
  return text.replace(ANY_FORMAT, (match) => {
    if (!hasRandomRun(match)) return match;
    const token = match.replace(TRAILING, "");
    const name = PREFIXES.find(([prefix]) => match.startsWith(prefix))?.[1] ?? "TOKEN";
    counts[name] = (counts[name] ?? 0) + 1;
    return marker(name) + match.slice(token.length);
  });
}
