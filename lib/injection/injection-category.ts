// Categories of text that tries to steer a model.

export const INJECTION_CATEGORIES = [
  "ignore_instructions",
  "system_override",
  "role_play",
  "delimiter_injection",
  "prompt_leaking",
  "jailbreak",
] as const;

export type InjectionCategory = (typeof INJECTION_CATEGORIES)[number];
