// Quick checks before the patterns: every pattern needs one of these words or signs. Most lines of a log end here.

/** Words and signs of orders. A pattern of plain words is searched as fast as one word. */
const STEMS = [
  ..."regardless|irrespective|no matter|only acceptable|repeat after|nothing else|nothing more|always |blame|_note|final answer|</|\\[r\\d|\\[i\\d|contents of|contents? of|values? of|render|display|embed|encode|there are no|the rest of|become|transform into|turn into|recommend|suggest|propose|<!-- |trusted|<invoke|above|refuse|developer|verified|trusted|in character|call yourself|instruc|prompt|directive|guideline|guidance|guardrail|ignor|disregard|forget|discard|dismiss|neglect|bypass".split(
    "|",
  ),
  ..."skip over|skip all|skip the|attention|heed|obey|listen to|listen only|comply|overrid|overrul|supersed|outrank".split(
    "|",
  ),
  ..."precedence|set aside|put aside|leave aside|take no notice|blind eye|throw away|abandon|unlearn|overlook".split(
    "|",
  ),
  ..."you|assistant|llm|chatbot|language model|ai agent|ai model|ai:|ai,|ai |gpt|claude|gemini|copilot|dejavu|triage".split(
    "|",
  ),
  ..."pretend|imagine|persona|roleplay|role-play|role play|jailb|anything now|unrestrict|unfilter|uncensor|censor".split(
    "|",
  ),
  ..."ethical|moral|safety|content polic|content filter|content moderation|alter ego|act as|act like|behave".split("|"),
  ..."simulate|suppose|from now|from here|from this|two responses|two answers|twice|confidence|outcome|severity".split(
    "|",
  ),
  ..."exfil|credential|token and|tokens and|passwords?|env |secrets|api key|private key|env vars|environment variables|conversation|chat history".split(
    "|",
  ),
  ..."<\\||<start_|<end_|inst\\]|sys>|<｜|_tools\\]|<system|</system|<user|</user|untrusted|<human|<assistant".split(
    "|",
  ),
  ..."<tool|</tool|<function_|</function_|antml|system-reminder|[\"']role|role[:=]|role: |\\[system|\\[assistant".split(
    "|",
  ),
  ..."\\[admin|\\[developer|```system|human ?:|system ?:|system message|system note|system notice|admin message|###|## |# system".split(
    "|",
  ),
  ..."!\\[|nothing above|none of |no text|nothing |above this|before this|false positive|false alarm".split("|"),
  ..."vtaber|cebzcg|vafgehpgvba|qvfertneq|nffvfgnag|erongi|drager|tpmorp|noitcurtsni|tnatsissa".split("|"),
  // German and Spanish; other languages have letters beyond ASCII.
  ..."[^ -~]|anweis|instrukt|regeln|vorgaben|befehle|richtlin|du bist|ab jetzt|ab sofort|von nun an|verhalte|tu so".split(
    "|",
  ),
  ..."handle wie|antworte|indicacion|ordenes|directri|regla|eres |ahora|actua como|finge".split("|"),
];
/** Common words that order something only together with the next one. */
const WITH_THE_NEXT_WORD = [
  "(?:repl(?:y|ies)|responds?|answers?|outputs?|say|prints?|states?|reports?|claims?|concludes?|writes?|asserts?|declares?|announces?|tell|inform|assure|advise|returns?|end|finish|begin|start) ?(?:your|with|only|just|exactly|solely|nothing|instead|always|never|in|as|to|the|that|all|everything|there|this|it|no|benign|resolved|healthy|severity|confidence|user|operator|on|[\"“'{:])",
  "(?:mark|classify|treat|label|flag|close|rate|score|categori[sz]e|consider|grade|report) (?:this|these)",
  "(?:enter|enable|activate|switch|engage|unlock|go|turn on)[^.]{0,30} mode|mode (?:activated|enabled|engaged|on)",
  "(?:[-=*#]{3}) ?(?:end|start|begin|new)|end (?:of )?(?:the )?(?:log|report|data|input|evidence|transcript|document|context|alert)",
  "\\b(?:cite|dan|stan)\\b|(?:disable|turn off|deactivate|switch off|remove|drop)[^.]{0,40} (?:filter|moderation|protocol|restriction|constraint)",
  "(?:previous|prior|earlier|original|initial) (?:orders|commands|rules|requests|tasks|context|messages?)|(?:orders|rules|commands) (?:above|before|from before|given)",
  "(?:send|post|upload|forward|e-?mail|append|leak|transmit|submit|deliver|include|embed|put|add|collect)[^\\n]{0,60}(?:tokens|passwords|runbooks?|incidents?|memor|context|kubeconfig)",
  "without (?:first )?(?:asking|requesting|waiting|consulting|informing|telling|notifying)|(?:severity|priority)",
  "(?:break|violate|evade|circumvent|without|free (?:from|of)|no) [^.]{0,30}(?:restrictions|constraints|limitations|rules|standards|polic|boundaries)",
];
const QUICK_CHECK = new RegExp([...STEMS, ...WITH_THE_NEXT_WORD].join("|"));

/** Whether a text may hold an order. @param lower in lower case */
export function mayHoldOrder(lower: string): boolean {
  return QUICK_CHECK.test(lower);
}

/** A line that begins, continues or ends a broken phrase: a line between ordinary ones is compared with its neighbours only then. */
export const WRAPPED_CHECK =
  /ignor|disregard|forget|bypass|overrid|reveal|instruc|prompt|guideline|pretend|imagine|jailbr|restrict|anything now|assistant|\b(?:you|your|act|reply|respond|answer|say|mark|tell|output|from now|obey|repeat|end of)\b/;
