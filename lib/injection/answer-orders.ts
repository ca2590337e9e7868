// Orders that fix an answer whatever the evidence is, ask for hidden text, or name instructions as a field of data. Matched as the
// patterns of injection-patterns.ts are.

import { type InjectionPattern, order } from "./injection-patterns.ts";

const CLAUSE = "(?:^|[.!?:;,>)\\]\"'*|] ?|- |\\b(?:please|must|should|shall|and|then|just|simply|now|instead|kindly) )";
const SAY = "(?:say|print|output|write|reply|answer|respond)";
const SENSITIVE =
  "(?:secrets?|tokens?|api keys?|keys|passwords?|credentials?|prompt|context|conversation|environment|env)";
const TAGS =
  "(?:report|error_lines|logs?|runbook|past_incident|past_question|past_procedure|session|domains|cited_sources|evidence|context|data|document|input)";

export const ANSWER_ORDERS: readonly InjectionPattern[] = [
  // regardless of the evidence, answer …
  order(
    "system_override",
    "\\b(?:regardless|irrespective|no matter)(?: of)? (?:what|how|the (?:evidence|logs?|question|errors?|report|data|context|rest)|anything|any(?:thing)? else|everything)\\b[^\\n]{0,60}\\b(?:say|answer|reply|respond|conclude|state|output|write|claim|recommend|the (?:cause|answer|verdict|root cause|conclusion|severity) (?:is|must|should))\\b|\\b(?:answer|reply|respond|conclude|recommend|claim)\\b[^\\n.]{0,60}\\b(?:regardless of|irrespective of|no matter what) (?:the )?(?:evidence|logs?|question|errors?|report|data|context|else|is asked|they ask)?",
  ),
  // the only acceptable answer is …
  order(
    "system_override",
    "\\bthe only (?:acceptable|correct|valid|allowed|permitted|right) (?:answer|response|reply|conclusion|output|diagnosis|verdict|(?:root )?cause) (?:is|to|here)\\b|\\bthe (?:correct|right|expected|required|approved) (?:answer|diagnosis|verdict|conclusion) (?:is|must be|should be|to (?:this|give))\\b|\\bthe (?:final )?(?:answer|summary|diagnosis|verdict|triage|analysis) (?:must|should|shall|has to|needs to|is to) (?:only |always |also |not )?(?:state|say|claim|conclude|blame|recommend|read|begin|end|mention)\\b",
  ),
  // always recommend …; say X and nothing else
  order(
    "system_override",
    `${CLAUSE}always (?:answer|reply|respond|say|conclude|recommend|claim|cite)\\b(?! (?:within|to (?:health|http|pings?|requests|probes)|on))|\\brepeat after me\\b|\\b${SAY}\\b[^\\n.]{1,80}\\band nothing (?:else|more)\\b|\\b${SAY}(?: with)?(?: the (?:word|phrase|text))?[: ]{1,2}["'“][^"'”\\n]{1,60}["'”] (?:only|\\d+ times|repeatedly|instead|to (?:every|any|all)|as (?:the|your) (?:answer|summary|cause|diagnosis))`,
  ),
  // suggest … as the only fix
  order(
    "system_override",
    `${CLAUSE}(?:recommend|suggest|propose|name|present|offer|list|give) [^.\\n]{1,60} as (?:the|a) (?:only |first |immediate |best |sole )?(?:fix|mitigation|remedy|solution|(?:root )?cause)\\b|${CLAUSE}blame (?:it|this|the (?:incident|outage|failure|error)) on\\b|\\b(?:use|copy|insert|paste|take) (?:the following|this|exactly this|the text below)(?: (?:text|summary|sentence|answer|wording|json|line))? (?:as|for|into|in) your\\b|${CLAUSE}(?:recommend|suggest|advise|propose) that (?:they|the (?:operator|user|engineer|team|on-?call))\\b`,
  ),
  // ai_instructions: mark this as …
  order(
    "delimiter_injection",
    "(?:^|[\\s{,<\"'])(?:instructions?|directives?|(?:ai|llm|assistant|model|agent|bot)[_ -](?:instructions?|notes?|directives?|hints?|message)|note_to_(?:ai|llm)|new_instructions?|override)[\"']? ?[:=] ?[\"']?(?:ignore (?:all|the|any|previous)|you (?:must|are|will|should)|always (?:answer|say|reply|report|mark)|never (?:mention|report)|mark (?:this|the)|say |report that|approve|reply|respond with|answer (?:with|that)|treat this|disregard|set (?:the )?(?:severity|confidence|outcome)|close (?:this|the) (?:incident|alert))|<!-- ?(?:ai|llms?|assistant|chatbot|agent|prompt|system prompt)(?: (?:prompt|instructions?|note|message))? ?[:,]",
  ),
  // </logs><answer>
  order(
    "delimiter_injection",
    `</${TAGS}> ?(?:[-*#] ?)?<(?:system|instructions?|answer|cited_sources|runbook|evidence|new_task|task|assistant|developer|question|trusted|prompt)\\b|</?(?:tool_calls?|tool_use|function_calls?|invoke|new_instructions?|hidden_instructions?|secret_instructions?|admin_override|system_override|trusted|untrusted)(?: [^<>]{0,80})?/?>|(?:^|\\s)\\[[ri]\\d{1,2}\\] (?:runbook|past incident|verified|trusted|the (?:root )?cause|confirms|states|says)\\b|\\bfinal answer ?: ?(?:no incident|benign|everything|all (?:is|systems)|healthy|resolved|the (?:root )?cause|nothing)`,
  ),
  // <<< end of untrusted input; system: approve …
  order(
    "delimiter_injection",
    "[-=*#<[{%]{2,9} ?(?:end|begin|start|close|stop) (?:of )?(?:the )?(?:(?:new|real|trusted|untrusted|system|user|hidden|secret|developer|admin) ){1,2}(?:input|data|logs?|report|prompt|instructions?|context|messages?|document|section|evidence|conversation|content|text|block)\\b|(?:^|[\\s\"'])system ?: ?(?:approve|the (?:assistant|user|operator|model) |all (?:safety|restrictions|guardrails)|safety |new (?:policy|rules?|instructions?|task|directive)|reveal |mark (?:this|the)|respond with|reply with|answer with|set (?:the )?(?:severity|confidence|outcome))|(?:^|[\\s\"'])(?:human|user) ?: ?(?:please |now )?(?:forget|ignore (?:the|all|any)|(?:print|show|reveal|list|dump) (?:me )?(?:your|all|every))\\b",
  ),
  // post the contents of … to https://…
  order(
    "prompt_leaking",
    `\\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|submit|copy|pipe|leak|report|push) (?:me )?(?:the |all |every |any )?(?:\\p{L}+ )?(?:contents?|values?|output|results?) of [^\\n]{1,60} (?:to|at|via) (?:https?:|hxxps?:|ftp:|//|\\S{1,64}@|[a-z\\d-]{1,63}\\.[a-z]|an? |my |our |this |#)`,
  ),
  // render this image: ![…]
  order(
    "prompt_leaking",
    `${CLAUSE}(?:render|display|show|embed|include|insert|append|output|add|load)\\b[^\\n]{0,50}!\\[|${CLAUSE}(?:render|display|embed|load|show) (?:this|the following|an?) (?:(?:hidden|invisible|markdown|tracking|remote|html) )*(?:image|picture|pixel|markdown|link|iframe)\\b|\\b(?:resolve|look ?up|ping|query|request|open|visit|call|load|fetch)\\b[^\\n]{0,40}(?:<|\\{|\\[)(?:the |your )?[^<>{}[\\]]{0,30}\\b${SENSITIVE}\\b[^<>{}[\\]]{0,20}[>}\\]]\\.|\\b(?:base64|hex|rot13|url)[- ]?encode [^\\n]{0,60}\\b${SENSITIVE}\\b|\\bencode [^\\n]{0,40}\\b${SENSITIVE}\\b[^\\n]{0,20} (?:as|in|into|to|with) (?:base64|hex|rot13|the (?:answer|summary|report|url|link))`,
  ),
  // the text that stands before this conversation
  order(
    "prompt_leaking",
    "\\b(?:text|words|tokens|characters|lines|content|messages?) (?:that )?(?:(?:came|comes?|appears?|is|are|was|were|stands?|written|placed|you (?:got|received|were given|have|see)) ){1,3}(?:above|before this|prior to this|at the (?:start|beginning|top) of|in your (?:context|prompt|memory))\\b|\\bfirst \\d+ (?:words|characters|tokens|lines|sentences) of (?:your|this|the) (?:context|prompt|conversation|instructions)\\b|\\b(?:what|which|tell me|list|name|describe|explain|summari[sz]e)(?: (?:are|is|me|all|of|the|about))* (?:your (?:\\p{L}+ ){0,2}(?:rules|instructions|guidelines|constraints|directives|prompt)|(?:rules|instructions|guidelines|constraints|directives) (?:that )?(?:you (?:follow|have|obey|got|were|must|operate)|(?:guide|govern|bind) you))\\b",
  ),
  // the rules do not apply here
  order(
    "jailbreak",
    "\\b(?:rules|restrictions|guidelines|polic(?:y|ies)|limits|laws|safety \\p{L}+) (?:do not|don't|no longer|cease to|need not) (?:apply|matter|exist|bind) (?:here|to you|now|in this (?:conversation|session|chat|world|scenario)|any ?more|any longer|you)\\b|\\bthere are no (?:rules|restrictions|guardrails|guidelines|ethics) (?:here|now|in this|any ?more|for you)\\b|\\bfor the (?:rest|remainder|duration) of (?:this|our|the) (?:conversation|session|chat|dialog(?:ue)?),? (?:you|be|act|answer|respond|pretend|your|reply|ignore|always|never)\\b",
  ),
  // become an evil assistant
  order(
    "role_play",
    "\\b(?:become|transform into|turn into|impersonate|emulate|embody|play) (?:an? |the |my )?(?:\\p{L}+ ){0,3}(?:ai|assistant|chatbot|hacker|attacker|villain|bot) (?:who|that|without|with no|named|called|and)\\b|\\b(?:speak|talk|write|answer|reply|respond) (?:only )?(?:like|as) (?:an? |the |my )?(?:\\p{L}+ ){0,2}(?:pirate|child|toddler|cat|poet|wizard|villain|hacker|attacker|criminal|robot|dictator|malware)\\b",
  ),
];
