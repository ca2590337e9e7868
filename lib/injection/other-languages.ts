// Orders to a model in German, Romance languages, Russian, Chinese, Japanese and Korean: a word for its instructions, with a
// verb that drops or reveals them and a word that says which, all within a few words. Each alone is ordinary: servers ignore
// errors, and statements are instructions.

import type { InjectionCategory } from "./injection-category.ts";

/** Characters before and after the word for instructions. */
const WINDOW = 60;

/** The words as `foldCharacters` leaves them, in lower case: without diacritics. */
interface Language {
  /** Words for instructions, rules and prompts. */
  readonly objects: string;
  /** Verbs that drop them, as orders. */
  readonly drops: string;
  /** "previous", "all", "your". */
  readonly which: string;
  /** Verbs that reveal a prompt. */
  readonly reveals: string;
  /** "you are now a": the beginning of a role. */
  readonly roles: string;
  /** The words need no blank around them. */
  readonly isUnbounded?: boolean;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  de: {
    objects:
      "anweisungen|instruktionen|regeln|vorgaben|befehle|richtlinien|system-?prompts?|systemanweisungen|prompts?|anweisung",
    drops:
      "ignoriere|ignorieren sie|vergiss|vergesst|vergessen sie|missachte|missachten sie|verwirf|umgehe|befolge nicht|befolge keine|uberschreibe|ignorieren",
    which:
      "vorherigen?|bisherigen?|vorigen?|fruheren?|obigen?|alle|deine|ihre|eure|deinen|ursprunglichen|vorangegangenen|gegebenen",
    reveals: "zeige?|verrate|nenne|gib|wiederhole|offenbare|drucke|schreibe",
    roles:
      "du bist (?:jetzt|nun|ab jetzt|ab sofort|von nun an) (?:eine?|kein|frei|der|die|mein)|(?:ab jetzt|ab sofort|von nun an) (?:bist du|antwortest du|wirst du|antworte|gilt fur dich)|(?:verhalte dich|handle|antworte) wie ein(?:e)? (?:ki|assistent|hacker|mensch|chatbot)|tu so,? als (?:ob|warst|seist) du",
  },
  // Spanish, Portuguese, French and Italian.
  romance: {
    objects:
      "instruc(?:cion|oe|tion)\\p{L}*|istruzion[ei]|indicaciones|ordenes|direc?t(?:ri|iv)\\p{L}*|consignes?|reg(?:la|le|ra|ola|ole)s?|prompt",
    drops:
      "ignor(?:[ae]d?|ez|er|ate|em)|ol?vid[ae]|oublie[zr]?|esqueca|dimentica(?:te)?|des(?:cart[ae]|obedece|considere)|omit[ea]|pas[ae] por alto|(?:no|nao|non) (?:sigas?|seguire|obedezcas|obedeca)|ne (?:suis|suivez|tiens|tenez) p(?:as|lus)|deja de seguir",
    which:
      "anterior(?:es)?|precedent[ei]?s?|previ[ao]s|tod[ao]s|tou(?:te)?s|tutt[ei]|t(?:e|u|on|a)s?|(?:t|s)[ue][aoe]?[ius]?|suas|vos|recibidas|recues|de arriba|ci-dessus|acima|sopra|origina[il]\\p{L}*|initiales|dad[ao]s",
    reveals:
      "m(?:ue|o)s?tr[ae](?:me|mi)?|montre(?:-moi)?|rivela|revel[ae]z?|di[mg](?:e|mi|a)|affiche[zr]?|imprim[ae]|stampa|ensena(?:me)?|ecri[st]|escrib[ae]|scrivi|rep(?:it[ea]|ete)|ripeti",
    roles:
      "(?:ahora eres|eres ahora|actua como|a partir de ahora eres|finge (?:ser|que eres)|(?:ora|adesso) sei|da ora in poi sei|voce agora e|agora voce e|aja como|tu es (?:maintenant|desormais)|agis comme|comportati come) (?:una?|uma?|une|um|el|la|le|il|o|a)|a partir d(?:e ahora|e agora|e maintenant),? (?:tu|voce|responde|solo|debes)",
  },
  ru: {
    objects:
      "инструкци\\p{L}*|указани\\p{L}*|правил\\p{L}*|команд\\p{L}*|распоряжени\\p{L}*|промпт\\p{L}*|подсказк\\p{L}*",
    drops:
      "(?:про)?игнорируи(?:те)?|забудь(?:те)?|не следуи(?:те)?|отбрось(?:те)?|пренебреги(?:те)?|не обращаи(?:те)? внимания|отмени(?:те)?|обоиди(?:те)?",
    which:
      "предыдущи\\p{L}*|прежни\\p{L}*|всех?|сво[ие]\\p{L}*|твои\\p{L}*|ваши\\p{L}*|выше\\p{L}*|данные|системн\\p{L}*",
    reveals: "покажи(?:те)?|раскрои(?:те)?|выведи(?:те)?|повтори(?:те)?|назови(?:те)?|напиши(?:те)?",
    roles: "ты теперь|теперь ты|отныне ты|с этого момента ты|представь,? что ты|веди себя как|притворись",
  },
  // Chinese, and Japanese without the marks of its letters.
  zh: {
    objects: "指令|指示|提示词?|规则|規則|ルール|命令|说明|要求|系统提示|系統提示|フロンフト",
    drops:
      "(?<![被已])(?:忽略|无视|無視(?!された))|忘记|忘記|忘掉|忘れて|従わない|不要遵[守循]|别管|不用管|跳过|绕过|抛弃|放弃",
    which: "之前|以前|先前|以上|上面|前面|上述|所有|全部|你的|原来|此前|これまて|すへて|あなた",
    reveals: "显示|顯示|表示して|教えて|見せて|透露|告诉|告訴|输出|輸出|重复|打印|泄露|说出",
    roles:
      "你现在是|你現在是|从现在(?:开始|起),?你|從現在開始,?你|假装你是|あなたは(?:今|これ)から|扮演(?:一个)?(?:没有|不受)|你不再是",
    isUnbounded: true,
  },
  ko: {
    objects: "지시\\p{L}*|지침\\p{L}*|명령\\p{L}*|규칙\\p{L}*|프롬프트\\p{L}*",
    drops: "무시(?:하(?:세요|고(?! 다시)|라|십시오|시오)|해)|잊어\\p{L}*|따르지 (?:마|말)\\p{L}*|잊으\\p{L}*",
    which: "이전\\p{L}*|위의|위|앞의|앞선|모든|당신의|너의|기존\\p{L}*|지금까지\\p{L}*|시스템",
    reveals: "보여\\p{L}*|공개\\p{L}*|출력\\p{L}*|알려\\p{L}*|말해\\p{L}*",
    roles: "(?:너는|당신은) (?:이제|지금부터)|(?:이제|지금)부터 (?:너는|당신은)|인 척 (?:해|하)",
    isUnbounded: true,
  },
};

const RULES = Object.values(LANGUAGES).map(({ objects, drops, which, reveals, roles, isUnbounded }) => {
  const pattern = (words: string, flags = "u") =>
    new RegExp(isUnbounded ? words : `(?<!\\p{L})(?:${words})(?!\\p{L})`, flags);
  return {
    objects: pattern(objects, "gu"),
    drops: pattern(drops),
    which: pattern(which),
    reveals: pattern(reveals),
    roles: pattern(roles),
  };
});

/** A system prompt: revealing it needs no word that says which. */
const SYSTEM_PROMPT =
  /system-?prompt|prompts? (?:del?|d[iou]) sist\p{L}+|prompt systeme|системн\p{L}+ промпт|系统提示|系統提示|システムフロンフト|시스템 프롬프트/u;

/** The first order in a text. @param folded text in folded form and in lower case */
export function detectOtherLanguage(folded: string): { category: InjectionCategory; matched: string } | null {
  for (const { objects, drops, which, reveals, roles } of RULES) {
    const role = roles.exec(folded);
    if (role) return { category: "role_play", matched: role[0] };
    for (const { 0: object, index } of folded.matchAll(objects)) {
      const start = Math.max(0, index - WINDOW);
      const window = folded.slice(start, index + object.length + WINDOW);
      const selector = which.exec(window) ?? SYSTEM_PROMPT.exec(window);
      if (selector === null) continue;
      const drop = drops.exec(window);
      const verb = drop ?? (SYSTEM_PROMPT.test(window) ? reveals.exec(window) : null);
      if (!verb) continue;
      const parts = [selector, verb, { 0: object, index: index - start }];
      const from = Math.min(...parts.map((part) => part.index));
      const to = Math.max(...parts.map((part) => part.index + part[0].length));
      return { category: drop ? "ignore_instructions" : "prompt_leaking", matched: window.slice(from, to) };
    }
  }
  return null;
}
