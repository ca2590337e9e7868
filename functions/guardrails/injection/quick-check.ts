// Quick checks before the patterns: every pattern needs one of these words or signs.

import type { InjectionCategory } from "../../schemas/injection-category.ts";

/** Before the patterns of one category; on folded text in lower case. */
export const CATEGORY_CHECKS: Readonly<Record<InjectionCategory, RegExp>> = {
  ignore_instructions:
    /ignor|disregard|forget|discard|dismiss|neglect|bypass|skip|attention|heed|follow|obey|listen|comply|aside|notice of|blind eye|throw away|abandon|\bdrop|cancel|unlearn|overlook|overrid|break|violate|nothing|none of|no text|void|null|obsolete|revoked|superseded|no longer|fake|mistake|trick|invalid|not |(?:your|the) (?:real|true|actual|only)|vergiss|oublie|olvida|esque/,
  system_override: /./,
  role_play:
    /pretend|imagine|\bact\b|behave|role-?play|simulate|suppose|you |you're|from (?:now|this|here)|respond|answer|reply|speak|persona|character|identity|alter ego|let'?s|unrestricted|unfiltered|uncensored|jailbreak|dan mode|assistant|(?:ai|model|chatbot) (?:that|who|with)/,
  delimiter_injection: /[<#`{=*[]|---|system|assistant|human|\bai ?:|role|end of/,
  prompt_leaking:
    /prompt|instruc|directive|guideline|programm|above|before|preced|prior to|told|you were|rules|conversation|secret|credential|keys?\b|password|environment|env vars|token|runbook|incident|memor|everything|your |context|history|exfil|!\[|encode|starting with|beginning with/,
  jailbreak:
    /\bdan\b|anything now|jailb|ethical|moral|safety|content|\bai\b|usage|legal|censor|you (?:have|are|now|do|don't|must)|unrestricted|unfiltered|refuse|decline|disclaim|can't|cannot|unable|warn me|evil|\bstan\b|dude|\baim\b|omega|devmode|developer mode|twice|two |your /,
};

export const QUICK_CHECK =
  /instruc|prompt|directive|guideline|guidance|guardrail|ignor|disregard|forget|discard|dismiss|neglect|bypass|\bskip|attention|follow|obey|listen|\b(?:real|true|actual|only|exactly|just)\b|overrid|mode\b|\byour?\b|you'|filter|safety|\bai\b|llms?\b|language|chatbot|assistant|gpt|claude|gemini|copilot|dejavu|triage|pretend|imagine|behave|role-?play|simulate|\bact\b|respond|answer|reply|speak|persona|character|<\||<start_|<end_|inst\]|sys>|<｜|_prompt\]|_tools\]|<\/?(?:system|user|untrusted|human|tool|function|antml)|##|---|===|\*{3}|```system|human ?:|system|"?role"?|always|never|above|before this|preceding|prior|rules|conversation|secrets|credentials|api keys?|DAN\b|anything|jailb|without|\bfree\b|censor|unrestricted|evil|\bstan\b|tell |confidence|outcome|\bmark |\bclassify|\btreat |\blabel |\bflag |\bclose |\brate |\bscore |consider|\bgrade |\bsay |state |report|claim|conclude|\bwrite |cite |end of|exfil|encode|!\[|[a-z][*~`_]{1,3}[a-z]|[^ -~\t]|vergiss|vergess|anweis|missacht|verwirf|umgeh|befolg|regeln|du bist|oubli|consign|regles|tu es|vous etes|olvid|descart|eres|indicacion|esque[cs]|desconsid|voce|dimentic|trascur|istruz|istruc|ora sei|negeer|vergeet|omzeil|je bent|zapomn|pomin|jestes|yok say|unut|talimat|gormez|vtaber|cebzcg|vafgehpgvba|qvfertneq|erongi|tpmorp|noitcurtsni/i;

/** A line that begins, continues or ends a broken phrase: a line between ordinary ones is compared with its neighbours only then. */
export const WRAPPED_CHECK =
  /ignor|disregard|forget|bypass|overrid|reveal|instruc|prompt|guideline|pretend|imagine|jailbr|restrict|anything now|assistant|\b(?:you|your|act|reply|respond|answer|say|mark|tell|output|from now|obey|repeat|end of)\b|[^ -~\t]|vergiss|anweis|oubli|consign|olvid|esque[cs]|dimentic|istruz|negeer|vergeet|zapomn|talimat|unut/i;
