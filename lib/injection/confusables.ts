// Letters that look like Latin ones: a part of the skeletons of Unicode TR39, with small capitals and enclosed letters. Each group
// is a Latin letter and the letters that stand for it.

const LOOK_ALIKES = `
aаαɑᴀАΑᎪꓮ bƅвʙВΒᏴꓐβ cсϲᴄСᏟꓚς dԁɗᴅᎠꓓđ eеєεɛᴇЕΕᎬꓰɇəэ fꜰƒꓝϝ gɡցɢᏀꓖԍ hһհнʜНΗᎻꓧħ iіιıɩɪІΙᎥꓲɨӏ jјյϳᴊЈᎫꓙ kкκᴋКΚᏦꓗ
lʟᏞꓡłⱡ mмᴍМΜᎷꓟ nոпηɴΝꓠи oоοօσᴏОΟꓳøө pрρᴘРΡᏢꓑ qԛզ rгʀᏒꓣя sѕꜱЅᏚꓢ tтτᴛТΤᎢꓔŧ uսυᴜꓴʉцμ vѵνᴠᏙꓦ wԝωᴡᎳꓪшա xхχХΧꓫ yуүγʏУΥꓬҮ zᴢᏃꓜΖ`;

const LATIN = new Map(
  LOOK_ALIKES.trim()
    .split(/\s+/)
    .flatMap(([latin = "", ...others]) => others.map((other) => [other, latin] as const)),
);
const FOREIGN = new RegExp(`[${[...LATIN.keys()].join("")}]`, "gu");
/** Negative circled and negative squared capitals, and regional indicators: 26 each, without a decomposition. */
const ENCLOSED = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu;
const ENCLOSED_STARTS = [0x1f150, 0x1f170, 0x1f1e6];
const BEYOND_ASCII = /[^\x20-\x7e\s]/;

/** The text with Latin letters in place of those that look alike. */
export function latinSkeleton(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text
    .replace(FOREIGN, (letter) => LATIN.get(letter) ?? letter)
    .replace(ENCLOSED, (letter) => {
      const point = letter.codePointAt(0) ?? 0;
      const start = ENCLOSED_STARTS.findLast((each) => each <= point) ?? point;
      return String.fromCodePoint(0x61 + point - start);
    });
}
