// Redaction rules for secrets with a recognisable format. Each vendor documents a prefix. The bodies match a little more
// than documented, since vendors lengthen them. Specific prefixes come before the generic sk-.

import type { Rule } from "./redaction-rule.ts";

// A token starts at a word boundary; escapes such as \n, %3D, \u003d or a terminal colour do not count as a word.
const START = "(?<=^|[^A-Za-z0-9]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\\\u00[0-9a-fA-F]{2}|\\x1b\\[[\\d;]{0,8}m)";

/** Length of the shortest format; shorter runs of word characters, dots and hyphens are skipped. */
export const MIN_TOKEN_LENGTH = 20;

function format(name: string, hint: string, body: string, source: string, measure?: Rule["measure"]): Rule {
  return { name, hint, pattern: new RegExp(`${START}${body}`, "g"), source, ...(measure && { measure }) };
}

/** Kubernetes names and options may also begin with sk-, but they consist of short words. */
function hasLongRun(candidate: string): number {
  return /[A-Za-z0-9]{16}/.test(candidate) ? candidate.length : 0;
}

function hasDigit(candidate: string): number {
  return /\d/.test(candidate) ? candidate.length : 0;
}

function isJwt(candidate: string): number {
  const parts = candidate.split(".");
  return parts.length >= 3 && (parts[0]?.length ?? 0) >= 10 ? candidate.length : 0;
}

export const TOKEN_FORMATS: readonly Rule[] = [
  format(
    "JWT",
    "eyJ",
    "eyJ[\\w-]+(?:\\.[\\w-]+)*(?:\\.\\.[\\w-]+(?:\\.[\\w-]+)*)?",
    'RFC 7519; eyJ is base64url of {"',
    isJwt,
  ),
  format(
    "ANTHROPIC",
    "sk-ant-",
    "sk-ant-[\\w-]{16,}",
    "Anthropic console: sk-ant-api03-…, sk-ant-admin01-…, sk-ant-oat01-…",
  ),
  format(
    "OPENAI",
    "sk-(?:proj|svcacct|admin|None)-",
    "sk-(?:proj|svcacct|admin|None)-[\\w-]{20,}",
    "OpenAI project, service account and admin keys",
    hasLongRun,
  ),
  format("STRIPE", "[sr]k_(?:live|test)_", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", "Stripe secret and restricted keys"),
  format("STRIPE", "whsec_", "whsec_[A-Za-z0-9+/=]{24,}", "Stripe and Standard Webhooks signing secrets"),
  format(
    "AWS_ACCESS_KEY",
    "A(?:KI|SI|BI|CC)A",
    "A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?![A-Za-z0-9])",
    "IAM unique ids: prefix and 16 base32 characters",
  ),
  format(
    "GITHUB",
    "gh[pousr]_",
    "gh[pousr]_[A-Za-z0-9_.-]{30,}",
    "GitHub token formats of 2021; ghs_ grew longer since",
  ),
  format("GITHUB", "github_pat_", "github_pat_\\w{22,}", "GitHub fine-grained personal access tokens"),
  format(
    "GITLAB",
    "gl(?:pat|dt|rt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-",
    "gl(?:pat|dt|rt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}",
    "GitLab token prefixes",
  ),
  format(
    "SLACK",
    "xox|xapp-",
    "(?:xox[a-z](?:\\.xox[a-z])?|xapp)-[\\w-]{10,}",
    "Slack bot, user, app, refresh and configuration tokens",
    hasDigit,
  ),
  format(
    "SLACK_WEBHOOK",
    "hooks\\.slack\\.com",
    "(?<keep>hooks\\.slack\\.com/(?:services|workflows|triggers)/)[\\w/-]{20,}",
    "Slack incoming webhooks: the path is the secret",
  ),
  format(
    "DISCORD_WEBHOOK",
    "/webhooks/",
    "(?<keep>discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/)\\d{17,20}/[\\w-]{60,}",
    "Discord execute-webhook address",
  ),
  format(
    "TELEGRAM",
    ":AA",
    "(?<keep>(?:bot)?)\\d{8,10}:AA[\\w-]{32,33}(?![\\w-])",
    "Telegram bot tokens: bot id, colon, 35 characters",
  ),
  format(
    "GOOGLE",
    "AIza|ya29\\.|GOCSPX-|1//0",
    "(?:AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{28}|1//0[\\w-]{40,})",
    "Google API keys, OAuth access tokens, client secrets, refresh tokens",
  ),
  format(
    "AZURE",
    "AccountKey|SharedAccessKey",
    "(?<keep>(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}",
    "Azure Storage, Service Bus and Event Hubs connection strings",
  ),
  format("AZURE", "sig=", "(?<keep>sig=)[A-Za-z0-9%+/=_-]{20,}", "Azure shared access signatures"),
  format(
    "SUPABASE",
    "sb_secret_|sbp_",
    "(?:sb_secret_[\\w-]{20,}|sbp_(?:oauth_|v0_)?[0-9a-f]{40})",
    "Supabase secret API keys and personal access tokens; sb_publishable_ is public",
  ),
  format(
    "CLOUDFLARE",
    "cf(?:k|ut|at)_",
    "cf(?:k|ut|at)_[A-Za-z0-9_-]{40,}",
    "Cloudflare token formats: prefix, 40 characters, checksum",
  ),
  format("CLOUDFLARE", "v1\\.0-", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}", "Cloudflare Origin CA keys"),
  format("NPM", "npm_", "npm_[A-Za-z0-9]{36,}", "npm granular and automation tokens"),
  format("PYPI", "pypi-AgE", "pypi-AgE[\\w-]{50,}", "PyPI macaroons"),
  format("SENDGRID", "SG\\.", "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}", "SendGrid: SG., 22 and 43 characters"),
  format("TWILIO", "SK", "SK[0-9a-f]{32}(?![A-Za-z0-9])", "Twilio API key ids"),
  format("DIGITALOCEAN", "do[opr]_v1_", "do[opr]_v1_[0-9a-f]{64}", "DigitalOcean personal, OAuth and refresh tokens"),
  format("HUGGINGFACE", "hf_|api_org_", "(?:hf|api_org)_[A-Za-z0-9]{30,}", "Hugging Face user and organisation tokens"),
  format("VAULT", "hv[sbr]\\.", "hv[sbr]\\.[\\w-]{20,}", "HashiCorp Vault 1.10: service, batch and recovery tokens"),
  format("TERRAFORM", "\\.atlasv1\\.", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}", "HCP Terraform API tokens"),
  format("DATABRICKS", "dapi", "dapi[0-9a-f]{32}(?:-\\d)?", "Databricks personal access tokens"),
  format("GRAFANA", "gl(?:sa|c)_", "gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}", "Grafana service account and cloud tokens"),
  format("DOCKER", "dckr_", "dckr_(?:pat|oat)_[\\w-]{20,}", "Docker Hub access tokens"),
  format("SENTRY", "sntry[su]_", "sntry[su]_[A-Za-z0-9+/=_-]{40,}", "Sentry organisation and user tokens"),
  format("SHOPIFY", "shp(?:at|ca|pa|ss)_", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "Shopify access tokens"),
  format("LINEAR", "lin_(?:api|oauth)_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "Linear API keys"),
  format("NEWRELIC", "NRAK-|NRII-", "NR(?:AK|II)-[A-Za-z0-9_-]{27,}", "New Relic user and insert keys"),
  format("GROQ", "gsk_", "gsk_[A-Za-z0-9]{40,}", "Groq API keys"),
  format("TAILSCALE", "tskey-", "tskey-[a-z]+-[\\w-]{20,}", "Tailscale auth and API keys"),
  format("DEJAVU", "djv_", "djv_[\\w-]{40,}", "Dejavu tokens: djv_ and 43 characters of base64url"),
  format("AGE", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[0-9A-Z]{50,}", "age identities"),
  // OpenAI's first format, which other vendors imitate.
  format("OPENAI", "sk-", "sk-[\\w-]{17,}", "OpenAI legacy keys, OpenRouter, DeepSeek and others", hasLongRun),
];
