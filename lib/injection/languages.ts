// Words of orders to a model in each language: for its instructions, verbs that drop or reveal them, and words that say which.

export interface Language {
  /** Words for instructions, rules and prompts. */
  readonly objects: string;
  /** Verbs that drop them, as orders. */
  readonly drops: string;
  /** "previous", "all", "your". */
  readonly which: string;
  /** Verbs that reveal a prompt. */
  readonly reveals?: string;
  /** "you are now a": the beginning of a role. */
  readonly roles?: string;
}

export const LANGUAGES: Readonly<Record<string, Language>> = {
  es: {
    objects: "instrucciones|indicaciones|ordenes|directrices|reglas|prompt",
    drops:
      "ignor[ae]d?|olvid[ae]|descart[ae]|omit[ea]|pas[ae] por alto|no sigas|no obedezcas|desobedece|deja de seguir",
    which: "anteriores|previas|todas|tus|tu|recibidas|de arriba|originales|dadas",
    reveals: "muestra(?:me)?|revela(?:me)?|dime|imprime|ensena(?:me)?|escribe|repite",
    roles:
      "(?:ahora eres|eres ahora|actua como|a partir de ahora eres|finge (?:ser|que eres)) (?:una?|el|la)|a partir de ahora (?:responde|solo|debes)",
  },
  fr: {
    objects: "instructions|consignes|directives|regles|ordres|prompt|invite systeme",
    drops:
      "ignore[zr]?|oublie[zr]?|neglige[zr]?|ne (?:suis|suivez|tiens|tenez) (?:pas|plus)|ne tenez pas compte|fais abstraction|faites abstraction|contourne[zr]?",
    which: "precedentes|precedents|anterieures|anterieurs|toutes|tes|ton|vos|votre|ci-dessus|initiales|donnees",
    reveals: "montre(?:z)?|revele(?:z)?|affiche(?:z)?|donne(?:z)?|dis|imprime(?:z)?|repete(?:z)?",
    roles:
      "(?:tu es|vous etes) (?:maintenant|desormais) (?:une?|le|la|libre)|(?:agis|comporte-toi|agissez) comme (?:une?|si tu)|(?:a partir de maintenant|desormais),? (?:tu|vous|reponds|repondez)",
  },
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
  pt: {
    objects: "instrucoes|ordens|diretrizes|regras|orientacoes|prompt",
    drops: "ignor[ea]m?|esquec[ae]|desconsidere|descarte|nao siga|nao obedeca|pare de seguir|despreze",
    which: "anteriores|previas|todas|suas|seu|acima|originais|recebidas|tuas|teu",
    reveals: "mostre|revele|diga|imprima|exiba|escreva|repita",
    roles: "(?:agora voce e|voce e agora|aja como|finja ser) (?:uma?|o|a)|a partir de agora,? (?:voce|responda)",
  },
  it: {
    objects: "istruzioni|direttive|regole|indicazioni|ordini|prompt",
    drops: "ignora(?:te)?|ignori|dimentica(?:te)?|trascura|tralascia|non seguire|non obbedire|scarta|smetti di seguire",
    which: "precedenti|tutte|tue|tuoi|tuo|sopra|iniziali|originali|ricevute|vostre",
    reveals: "mostra(?:mi)?|rivela(?:mi)?|dimmi|stampa|scrivi|ripeti",
    roles:
      "(?:ora sei|adesso sei|sei ora|agisci come|comportati come|fingi di essere) (?:una?|il|la|lo)|d'ora in poi,? (?:sei|rispondi|devi)",
  },
  nl: {
    objects: "instructies|opdrachten|regels|richtlijnen|aanwijzingen|systeemprompt|prompt",
    drops: "negeer|vergeet|sla over|volg niet|omzeil|stop met het volgen",
    which: "vorige|eerdere|voorgaande|bovenstaande|alle|je|jouw|uw|oorspronkelijke",
    reveals: "toon|onthul|geef|laat zien|herhaal|druk af|schrijf",
    roles:
      "je bent (?:nu|vanaf nu) (?:een|de|geen|vrij)|vanaf nu (?:ben je|antwoord je|antwoord|moet je)|doe alsof je|gedraag je als een",
  },
  pl: {
    objects: "instrukcj[eia]\\p{L}*|polece[nń]\\p{L}*|polecenia|zasady|wytyczn\\p{L}+|regul\\p{L}*|prompt\\p{L}*",
    drops: "zignoruj(?:cie)?|ignoruj(?:cie)?|zapomnij(?:cie)?|pomin|nie przestrzegaj|odrzuc|nie stosuj",
    which: "poprzedni\\p{L}*|wczesniejsz\\p{L}*|wszystki\\p{L}*|swoj\\p{L}*|twoj\\p{L}*|powyzsz\\p{L}*|systemow\\p{L}*",
    reveals: "pokaz|ujawnij|wypisz|podaj|powtorz|wyswietl",
    roles:
      "(?:jestes teraz|teraz jestes|od teraz jestes) \\p{L}+em\\b|od teraz (?:odpowiadaj|jestes|bedziesz)|udawaj,? ze jestes",
  },
  tr: {
    objects: "talimat\\p{L}*|komut\\p{L}*|yonerge\\p{L}*|kural\\p{L}*|prompt\\p{L}*|istem\\p{L}*",
    drops:
      "yok say(?!ild)\\p{L}*|gormezden gel(?!ind)\\p{L}*|unut(?!uld)\\p{L}*|dikkate alma(?!nd)\\p{L}*|goz ardi et(?!ild)\\p{L}*|uyma",
    which: "onceki|tum|butun|yukaridaki|senin|sana verilen|daha once\\p{L}*|sistem",
    reveals: "goster\\p{L}*|acikla\\p{L}*|yazdir\\p{L}*|soyle",
    roles: "(?:artik|simdi|bundan sonra) (?:sen )?(?:bir )?\\p{L}+s[iıuü]n\\b|gibi davran",
  },
  ru: {
    objects:
      "инструкци\\p{L}*|указани\\p{L}*|правил\\p{L}*|команд\\p{L}*|распоряжени\\p{L}*|промпт\\p{L}*|подсказк\\p{L}*",
    drops:
      "(?:про)?игнорируи(?:те)?|забудь(?:те)?|не следуи(?:те)?|отбрось(?:те)?|пренебреги(?:те)?|не обращаи(?:те)? внимания|отмени(?:те)?|обоиди(?:те)?",
    which:
      "предыдущи\\p{L}*|прежни\\p{L}*|вс[её]х?|сво[иё]\\p{L}*|твои\\p{L}*|ваши\\p{L}*|выше\\p{L}*|данные|системн\\p{L}*",
    reveals: "покажи(?:те)?|раскрои(?:те)?|выведи(?:те)?|повтори(?:те)?|назови(?:те)?|напиши(?:те)?",
    roles: "ты теперь|теперь ты|отныне ты|с этого момента ты|представь,? что ты|веди себя как|притворись",
  },
  zh: {
    objects: "指令|指示|提示词?|规则|規則|命令|说明|要求|系统提示|系統提示",
    drops: "(?<![被已])(?:忽略|无视|無視)|忘记|忘記|忘掉|不要遵[守循]|别管|不用管|跳过|绕过|抛弃|放弃",
    which: "之前|以前|先前|以上|上面|前面|上述|所有|全部|你的|原来|此前",
    reveals: "显示|顯示|透露|告诉|告訴|输出|輸出|重复|打印|泄露|说出",
    roles: "你现在是|你現在是|从现在(?:开始|起),?你|從現在開始,?你|假装你是|扮演(?:一个)?(?:没有|不受)|你不再是",
  },
  ja: {
    objects: "指示|命令|指令|ルール|規則|フロンフト|プロンプト|システムメッセーシ",
    drops: "無視(?:して(?!再|い)|せよ|しろ|すること)|忘れ(?:て|ろ|なさい)|従わない[でこ]|破棄して|守らない",
    which: "以前|前の|これまて|これまで|上記|上の|すへて|すべて|全て|今まて|今まで|あなた|先の|システム",
    reveals: "表示して|見せて|教えて|出力して|開示して|繰り返して|明かして",
    roles: "あなたは(?:今|いま|これ)から|今からあなたは|あなたは今、|のふりをして|として振る舞って",
  },
  ko: {
    objects: "지시\\p{L}*|지침\\p{L}*|명령\\p{L}*|규칙\\p{L}*|프롬프트\\p{L}*",
    drops: "무시(?:하(?:세요|고(?! 다시)|라|십시오|시오)|해)|잊어\\p{L}*|따르지 (?:마|말)\\p{L}*|잊으\\p{L}*",
    which: "이전\\p{L}*|위의|위|앞의|앞선|모든|당신의|너의|기존\\p{L}*|지금까지\\p{L}*|시스템",
    reveals: "보여\\p{L}*|공개\\p{L}*|출력\\p{L}*|알려\\p{L}*|말해\\p{L}*",
    roles: "(?:너는|당신은) (?:이제|지금부터)|(?:이제|지금)부터 (?:너는|당신은)|인 척 (?:해|하)",
  },
  ar: {
    objects: "التعليمات|تعليمات\\p{L}*|الاوامر|اوامر\\p{L}*|القواعد|قواعدك|التوجيهات|الموجه|موجه",
    drops: "تجاهل\\p{L}*|انس\\p{L}*|اهمل|لا تتبع|تخط",
    which: "السابقة|جميع|كل|اعلاه|النظام|الاصلية|\\p{L}{1,20}ك",
    reveals: "اظهر|اكشف|اعرض|اطبع|اخبرني",
    roles: "انت الان|من الان فصاعدا|تظاهر (?:بانك|انك)|تصرف ك",
  },
  hi: {
    objects: "निर्देश\\p{L}*|आदेश\\p{L}*|नियम\\p{L}*|प्रॉम्प्ट",
    drops: "अनदेखा कर\\p{L}*|नज़रअंदाज़ कर\\p{L}*|भूल जा\\p{L}*|उपेक्षा कर\\p{L}*|पालन (?:न|मत) कर\\p{L}*",
    which: "पिछले|सभी|पहले|ऊपर|अपने|पूर्व|सिस्टम",
    reveals: "दिखा\\p{L}*|बता\\p{L}*|प्रकट कर\\p{L}*",
    roles: "अब (?:आप|तुम) एक|अब से (?:आप|तुम)",
  },
};
