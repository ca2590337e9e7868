// Redaction rules for tokens whose format is more than a prefix, and for addresses whose path is a secret.

import type { Rule } from "../rules/rule.ts";
import { TOKEN_START, VENDOR_PREFIXES } from "./vendor-formats.ts";

function format(name: string, hint: string, body: string, measure?: Rule["measure"]): Rule {
  return { name, hint, pattern: new RegExp(`${TOKEN_START}${body}`, "g"), ...(measure && { measure }) };
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

/** Lower case; every format contains one. */
export const TOKEN_KEYWORDS: readonly string[] = [
  ...VENDOR_PREFIXES.map((prefix) => prefix.toLowerCase()),
  ...["eyj", "sk-", "xox", "hooks.slack", "/webhooks/", "webhook", ":aa", "atlasv1.", "-us", "accountkey"],
  ...[
    "sharedaccesskey",
    "sig=",
    "+as",
    "aiot",
    "+aeh",
    "+arm",
    "acdb",
    "azse",
    "azca",
    "azfu",
    "azdo",
    "apim",
    "7q~",
    "8q~",
    "jqqj99",
    ":apa91b",
    "amzn.mws",
    "pat",
    "hook",
  ],
];

export const TOKEN_FORMATS: readonly Rule[] = [
  format(
    "JWT",
    "eyJ",
    "eyJ[\\w-]+(?:\\.[\\w-]+)*(?:\\.\\.[\\w-]+(?:\\.[\\w-]+)*)?",
    // RFC 7519; eyJ is base64url of {"
    isJwt,
  ),
  format(
    "SLACK",
    "xox",
    "xox[a-z](?:\\.xox[a-z])?-[\\w-]{10,}",
    // Slack bot, user, refresh and configuration tokens
    hasDigit,
  ),
  format(
    "SLACK_WEBHOOK",
    "hooks\\.slack(?:-gov)?\\.com",
    "(?<keep>hooks\\.slack(?:-gov)?\\.com/(?:services|workflows|triggers)/)[\\w/-]{20,}",
    // Slack incoming webhooks: the path is the secret
  ),
  format(
    "DISCORD_WEBHOOK",
    "/webhooks/",
    "(?<keep>discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/)\\d{17,20}/[\\w-]{60,}",
    // Discord execute-webhook address
  ),
  format(
    "WEBHOOK",
    "webhook|zapier\\.com|chat\\.googleapis|logic\\.azure",
    "(?<keep>(?:[\\w.-]{1,100}\\.webhook\\.office\\.com/webhookb2/|outlook\\.office(?:365)?\\.com/webhook/|hooks\\.zapier\\.com/hooks/catch/|open\\.(?:feishu\\.cn|larksuite\\.com)/open-apis/bot/v2/hook/|webhook\\.site/|events\\.pagerduty\\.com/integration/|hook\\.[a-z0-9.]{1,20}\\.make\\.com/))[\\w@/-]{16,}",
    // Teams, Zapier, Lark and Make webhooks: the path is the secret
  ),
  format(
    "TELEGRAM",
    ":AA",
    "(?<keep>(?:bot)?)\\d{8,10}:AA[\\w-]{32,33}(?![\\w-])",
    // Telegram bot tokens: bot id, colon, 35 characters
  ),
  format(
    "AZURE",
    "AccountKey|SharedAccessKey",
    "(?<keep>(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}",
    // Azure Storage, Service Bus and Event Hubs connection strings
  ),
  format("AZURE", "sig=", "(?<keep>sig=)[A-Za-z0-9%+/=_-]{20,}"), // Azure shared access signatures
  format(
    "AZURE",
    "\\+A|AIoT|ASt|ACDb|AzS|AzCa|AzFu|APIM|AZDO",
    "[A-Za-z0-9+/]{32,76}(?:\\+ASt|AIoT|\\+AEh|\\+ARm|ACDb|AzSe|AzCa|AzFu|APIM|AZDO|ACR)[A-Za-z0-9+/]{4,8}={0,2}",
    // Azure keys and Azure DevOps tokens with the signature of their service
  ),
  format("AZURE", "Q~", "[\\w~.-]{3}[78]Q~[\\w~.-]{31,34}(?![\\w~-])"), // Azure: secrets of an application
  format("AZURE", "JQQJ99", "[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}"), // Azure: keys of its AI services
  format("FIREBASE", ":APA91b", "AAAA[\\w-]{7}:APA91b[\\w-]{100,}"), // Firebase: server keys
  format("AWS_SECRET_KEY", "amzn\\.mws", "amzn\\.mws\\.[0-9a-f-]{36}"), // Amazon: keys of its marketplaces
  format("TERRAFORM", "\\.atlasv1\\.", "[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}"), // HCP Terraform API tokens
  format(
    "MAILCHIMP",
    "-us\\d",
    "[0-9a-f]{32}-us\\d{1,2}(?!\\w)",
    // Mailchimp: 32 hexadecimal digits and the data centre
  ),
  format("AIRTABLE", "pat", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{40,64}"), // Airtable personal access tokens
  // OpenAI's first format, which other vendors imitate.
  format("OPENAI", "sk-", "sk-[\\w-]{17,}", hasLongRun), // OpenAI legacy keys, OpenRouter, DeepSeek and others
];

/** Begins with no literal that a keyword could find. */
export const DISCORD_TOKEN: Rule = format(
  "DISCORD",
  "\\.[\\w-]{6}\\.",
  "[MNO][A-Za-z\\d]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}",
  // Discord bot tokens: id, time, signature
);
