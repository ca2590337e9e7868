// Further languages, by stems: orders to drop a model's instructions; roles and prompts are not covered. Endings are open.

import type { Language } from "./languages.ts";

/** Verbs as orders, words that say which instructions, and words for instructions; stems with any ending. */
const STEMS: Readonly<Record<string, readonly [verbs: string, which: string, objects: string]>> = {
  uk: [
    "ігноруи|проігноруи|забудь|не виконуи|не слідуи|відкинь|знехтуи|не зважаи",
    "попередн|усі|всі|своі|твоі|ваші|вище|системн",
    "інструкці|вказівк|правил|наказ|команд|розпоряджен",
  ],
  bg: [
    "игнорираи|забрави|пренебрегни|не следваи|отхвърли|не изпълняваи",
    "предишн|всички|своите|твоите|вашите|горн|системн",
    "инструкци|указани|правила|заповед|команд|нареждан",
  ],
  sr: [
    "игнориши|занемари|заборави|не прати|не следи",
    "претходн|све|своја|твоја|горе|системск",
    "инструкциј|упутств|правила|наредб|команд",
  ],
  hr: [
    "ignoriraj|ignorisi|zanemari|zaboravi|ne slijedi|ne sledi|odbaci",
    "prethodn|sve|svoj|tvoj|gore|sistemsk|sustavsk",
    "instrukcij|uput|pravila|naredb|nalog",
  ],
  sl: ["ignoriraj|prezri|pozabi|ne upostevaj|zanemari", "prejsnj|vsa|vse|svoj|tvoj|zgornj", "navodil|pravila|ukaz"],
  cs: [
    "ignoruj|zapomen|nedodrzuj|nerespektuj|prehlizej|neridte se|nerid se|zanedbej",
    "predchoz|predesl|vsech|sve|tve|vase|vyse|uveden|systemov",
    "instrukc|pokyn|pravid|prikaz|narizen",
  ],
  sk: [
    "ignoruj|zabudni|nedodrziavaj|nerespektuj|neriad sa",
    "predchadzaj|predosl|vsetk|svoj|tvoj|vyssie|uveden|systemov",
    "instrukc|instrukci|pokyn|pravid|prikaz",
  ],
  hu: [
    "hagyd figyelmen kivul|hagyja figyelmen kivul|felejtsd el|felejtse el|ne kovesd|ne kovesse|mellozd",
    "korabbi|elozo|osszes|minden|eddigi|fenti|rendszer",
    "utasitas|szabaly|parancs|iranyelv",
  ],
  ro: [
    "ignora|ignorati|uita|uitati|nu urma|nu respecta|nesocotes",
    "anterioar|precedent|toate|tale|de mai sus|initial|sistem",
    "instructiun|reguli|regulil|ordin|comenzi|indicati|directiv",
  ],
  el: [
    "αγνοησε|αγνοηστε|ξεχασε|ξεχαστε|μην ακολουθ|παραβλεψε|παρακαμψε",
    "προηγουμεν|ολες|ολους|παραπανω|συστηματος|αρχικ",
    "οδηγι|εντολ|κανον|κατευθυνσ",
  ],
  sv: [
    "ignorera|glom|bortse fran|folj inte|strunta i|asidosatt",
    "tidigare|foregaende|alla|dina|ovanstaende|ursprunglig",
    "instruktion|regler|anvisning|order|kommando|riktlinj",
  ],
  da: [
    "ignorer|glem|se bort fra|folg ikke|overse|tilsidesaet|tilsidesæt|følg ikke",
    "tidligere|foregaende|forrige|alle|dine|ovenstaende|oprindelig",
    "instruktion|instruks|regler|anvisning|ordre|kommando|retningslinj",
  ],
  fi: [
    "jata huomiotta|sivuuta|ohita|unohda|ala noudata|ala valita|jattakaa huomiotta",
    "aiem|edellis|kaikki|aikaisem|ylla olev|alkuperais",
    "ohje|maarays|kasky|komento|komenno|saant|saann",
  ],
  et: [
    "ignoreeri|unusta|eira|ara jargi|jata tahelepanuta",
    "eelmis|eelnev|varasem|koik|ulaltoodu",
    "juhis|kask|reegl|korraldus|instruktsioon",
  ],
  lv: [
    "ignore|ignorej|aizmirsti|neievero|neseko",
    "ieprieks|visas|visus|savas|savus|augstak",
    "instrukcij|noradijum|noteikum|pavel|komand",
  ],
  lt: [
    "ignoruok|pamirsk|nepaisyk|nesilaikyk|nekreipk demesio",
    "ankstesn|visas|visus|visu|savo|auksciau",
    "instrukcij|nurodym|taisykl|isakym|komand",
  ],
  ca: [
    "ignora|ignoreu|oblida|oblideu|descarta|no segueixis",
    "anterior|previ|totes|tots|teves|de dalt",
    "instruccion|ordres|regles|directriu|indicacion",
  ],
  id: [
    "abaikan|lupakan|jangan ikuti|jangan patuhi|hiraukan|kesampingkan",
    "sebelum|semua|seluruh|di atas|terdahulu|anda|sistem",
    "instruksi|perintah|aturan|arahan|petunjuk|peraturan|pedoman",
  ],
  vi: [
    "bo qua|phot lo|quen di|quen het|quen tat|lo di|khong tuan theo|dung tuan theo|khong lam theo",
    "truoc|tat ca|moi|moi|o tren|phia tren|he thong|cua ban",
    "huong dan|chi dan|chi thi|menh lenh|lenh|quy tac|yeu cau",
  ],
  tl: [
    "balewalain|huwag pansinin|kalimutan|huwag sundin",
    "nakaraan|naunang|lahat|nauna|mga",
    "tagubilin|utos|patakaran|panuntunan|instruksyon",
  ],
  sw: [
    "puuza|sahau|usifuate|usizingatie|yapuuze",
    "awali|yote|zote|yaliyotangulia|ya juu|zilizopita",
    "maagizo|maelekezo|amri|kanuni|sheria",
  ],
  he: [
    "התעלמ|התעלם|תתעלם|תתעלמ|שכח|תשכח|אל תציית|אל תפעל לפי",
    "הקודמ|קודמ|כל|לעיל|שלך|הראשונ|המערכת",
    "הוראות|ההוראות|מההוראות|הנחיות|ההנחיות|מההנחיות|כללים|הכללים|פקודות|הפקודות",
  ],
  fa: [
    "نادیده بگیر|نادیده بگیرید|فراموش کن|پیروی نکن|بی توجه",
    "قبلی|پیشین|همه|تمام|بالا|سیستم",
    "دستور|دستورالعمل|قوانین|فرمان|راهنما",
  ],
  ur: ["نظر انداز|نظرانداز|بھول جا|عمل نہ کر", "پچھلی|پچھلے|تمام|سابقہ|اوپر", "ہدایات|احکامات|قواعد|ہدایت"],
  bn: ["উপেক্ষা কর|ভুলে যা|অগ্রাহ্য কর|মেনে চল", "পূর্ব|আগের|সমস্ত|সকল|সব|উপরের", "নির্দেশ|আদেশ|নিয়ম"],
  ta: ["புறக்கணி|மறந்து|பின்பற்றாத", "முந்தைய|முன்|அனைத்து|எல்லா|மேலே", "வழிமுறை|அறிவுறுத்தல|கட்டளை|விதி"],
  te: ["విస్మరించ|మర్చిపో|పట్టించుకో", "మునుపటి|గత|అన్ని|పై", "సూచన|ఆదేశ|నియమ"],
  mr: ["दुर्लक्ष कर|विसर|पाळू नक", "मागील|पूर्वी|सर्व|वरील|आधी", "सूचना|निर्देश|आदेश|नियम"],
  th: [
    "เพิกเฉย|ละเว้น|ลืม|ไม่ต้องทำตาม|อย่าทำตาม|ไม่ต้องสนใจ|มองข้าม",
    "ก่อนหน้า|ทั้งหมด|ทุก|ข้างต้น|เดิม|ที่ผ่านมา",
    "คำสั่ง|คำแนะนำ|กฎ|ข้อกำหนด",
  ],
  ms: ["abaikan|lupakan|jangan ikut", "terdahulu|sebelum|semua|di atas", "arahan|peraturan|perintah"],
};
/** Scripts in which a word may begin within another one, or that write vowels above letters. */
const WITHOUT_BOUNDARIES = new Set(["he", "fa", "ur", "bn", "ta", "te", "mr", "th"]);

export const MORE_LANGUAGES: Readonly<Record<string, Language>> = Object.fromEntries(
  Object.entries(STEMS).map(([name, [verbs, which, objects]]) => {
    const open = (stems: string) => (WITHOUT_BOUNDARIES.has(name) ? stems : `(?:${stems})\\p{L}*`);
    return [name, { drops: open(verbs), which: open(which), objects: open(objects) }];
  }),
);
export const MORE_WITHOUT_BOUNDARIES: ReadonlySet<string> = WITHOUT_BOUNDARIES;
/** The verbs in ASCII letters, for a quick check. */
export const MORE_VERBS: readonly string[] = Object.values(STEMS)
  .flatMap(([verbs]) => verbs.split("|"))
  .filter((verb) => /^[a-z ]+$/.test(verb));
