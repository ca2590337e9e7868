// Words that announce personal data before a number. Logs are full of numbers, so digits without the separators of a
// phone number or of a social security number are redacted only after such a word.

/** Between the word and the number: `number is `, `_no=`, `":"`, `: `, ` (mobile): `. */
const FILLER =
  "(?:[ \\t_-]?(?:numbers?|num|no\\.?|nr\\.?|nummer|numero|número|numéro|n[°º]|id|#))?\\)?(?:[ \\t]?\\((?:\\p{L}{1,12})\\))?" +
  "(?:[ \\t](?:is|was|are|ist|est|es|è|é|jest|is nu|to|at|on|under|unter|au|al|in|with|for))?[ \\t]{0,8}(?:\\\\{0,3}[\"'`]\\]?)?[ \\t]{0,8}(?:=>|[:=#：]|->|\\()?[ \\t]{0,8}\\\\{0,3}[\"'`(]?\\+?$";

function announcing(words: string): RegExp {
  return new RegExp(`(?:${words})${FILLER}`, "iu");
}

/** Name of a phone number, also within a key: `customer_phone`, `mobileNumber`. */
const PHONE_WORDS = [
  "(?:tele)?(?:ph|f)one?s?|(?<!\\p{L})(?:ph\\.?|sips?)(?=[ :=.])|telefoon|telefono|téléphone|teléfono|telefonu|telefonnummer|telefonszám|puhelin|telefonní",
  "(?<!\\p{L})tel(?:ef)?\\.?|(?<=[a-z_])Tel|handy|mobile?|(?<!\\p{L})mob\\.?|m[oó]vil|celular|cellulare|cell|komórka|kom\\.|mobiel|portable|natel|msisdn|gsm(?=[ :=.])",
  "whatsapp|sms|fax|rufnummer|rückruf|hotline|電話(?:番号)?|携帯|电话|手机(?:号码?)?|전화(?:번호)?|फ़?ोन|телефон|тел\\.",
].join("|");

/** Name of a number of another kind: `order no. `, `invoice: `, `Rechnung `. */
export const REFERENCE_ANNOUNCED =
  /(?:order|invoice|ticket|case|parcel|tracking|shipment|delivery|purchase|(?<!\p{L})(?:po|sku|ean|upc|isbn|ref|lot|txn)|article|part|serial|reference|booking|reservation|receipt|transaction|contract|policy|claim|batch|bestell\p{L}*|auftrag\p{L}*|rechnung\p{L}*|pedido|commande|facture|fattura|ordine)s?(?:[ _-]?(?:numbers?|no|nr|num|id|ids))?\.?["']?[\s:=#(]{1,4}$/iu;

/** A request to call: `call me at`, `reach her on`. */
const CALL_WORDS =
  "(?<!\\p{L})(?:call(?:ed|ing)?|call(?:ed|ing)? back|dial(?:led|ing)?|ring|reach(?:able|ed)?|text(?:ed)?|contact(?:ed)?|ruf|erreichbar|appel(?:er|ez)?|llama(?:r|me)?|chiama(?:re)?|bel|ligar|zadzwoń)(?:[ \\t](?:me|him|her|them|us|back|customer|client|caller|user|sie|mich|direct(?:ly)?)){0,2}";

export const PHONE_ANNOUNCED = announcing(PHONE_WORDS);
export const CALL_ANNOUNCED = announcing(CALL_WORDS);
/** `call me at 4155550100`; without "at", a number without separators may be the id of a call. */
export const CALL_AT_ANNOUNCED = new RegExp(`${CALL_WORDS}[ \\t](?:at|on|under|unter|au|al):?[ \\t]{1,8}\\+?$`, "iu");

/** Up to four words between: `phone of the customer: 612 345 678`. Only for numbers in groups. */
export const PHONE_MENTIONED = new RegExp(
  `(?:${PHONE_WORDS}|${CALL_WORDS})(?:[ \\t,]{1,2}[\\p{L}\\p{M}'.-]{1,15}){1,4}[ \\t]?[:,(]?[ \\t]{0,4}\\(?\\+?$`,
  "iu",
);

export const SSN_ANNOUNCED = announcing(
  "(?<!\\p{L})(?:ssn|ss#|social(?:[ _-]?(?:security|insurance))?|itin|tin|tax[ _-]?payer|last[ _-]?name|applicant|patient|employee|member|beneficiary|borrower|insured|dependent|spouse|citizen|resident|person|customer|user)|(?<=\\p{Ll})(?:Ssn|SSN|SocialSecurity(?:Number)?)",
);

/** One of the words above is in the text. Cheap compared with the patterns that it guards. */
export const ANNOUNCEMENT_HINT =
  /ph?on|ph[.:=]|sip|fon|tel|тел|puhel|handy|mob|m[oó]vil|cel|kom|portable|msisdn|gsm|whats|sms|fax|ruf|hotline|電話|携帯|电话|手机|전화|फ|тел|call|dial|ring|reach|text|contact|erreich|appel|llama|chiama|bel|ligar|zadz|ss|soc|itin|tin|tax|last|appli|pati|empl|memb|bene|borr|insu|depen|spou|citi|resi|pers|cust|user/iu;
