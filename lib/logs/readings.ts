// Measured values: a duration that is long shows a failure without a word for it.

/** Seconds. Shorter ones are normal for most work. */
const LONG_DURATION = 3;
const WEIGHT = 0.3;
/** Weight when the headline is about time. */
const EXPECTED_WEIGHT = 0.52;

const ABOUT_TIME =
  /latenc|slow|time(?:d )?-?out|delay|\blag|behind|\bhang|\bhung\b|\blate\b|\btakes?\b|\bwait|stale|\bold\b|duration|stall|freez|unresponsive|response time|p9\d|deadline/i;

/** A word, a number and perhaps its unit. */
const VALUE =
  /\b([A-Za-z_][\w.]{0,60})["']?\s?[:=]?\s?["']?(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds|s|secs?|seconds|m|min|minutes)?\b/g;
const VERB = /^(?:took|takes|after|lasted)$/i;
/** Work that ended "in 8 seconds"; "retry in 8 seconds" is none. */
const ENDED_IN =
  /\b(?:complet|finish|answer|done|respond|serv|end|fail|load|process|execut|return|handl|call|quer|request)\w{0,8}(?:\s\w{1,20}){0,3}\sin$/i;
const DURATION_KEY = /(?:^|[_.])(?:duration|elapsed|latency|rt|urt|time|took|behind\w*|delay|seconds|ms|p9\d|lag)$/i;
const MAX_READ_LENGTH = 800;

/** The weight of the longest duration of a line; 0 without a long one. */
export function durationWeight(text: string, headline: string): number {
  for (const match of text.slice(0, MAX_READ_LENGTH).matchAll(VALUE)) {
    const [, key = "", digits = "", unit = ""] = match;
    const { index } = match;
    const isWork =
      VERB.test(key) || (/^in$/i.test(key) && ENDED_IN.test(text.slice(Math.max(0, index - 60), index + 2)));
    if (!(isWork && unit !== "") && !DURATION_KEY.test(key)) continue;
    if (secondsOf(Number(digits), key.toLowerCase(), unit.toLowerCase()) >= LONG_DURATION)
      return ABOUT_TIME.test(headline) ? EXPECTED_WEIGHT : WEIGHT;
  }
  return 0;
}

function secondsOf(value: number, key: string, unit: string): number {
  if (unit.startsWith("mi") && unit !== "min" && unit !== "minutes") return value / 1_000;
  if (unit === "ms" || (unit === "" && key.endsWith("ms"))) return value / 1_000;
  if (unit.startsWith("m")) return value * 60;
  if (unit.startsWith("s")) return value;
  // Without a unit, only these keys are seconds; a time of day or an epoch is none.
  return /^(?:rt|urt|.*query_time|.*behind\w*|.*seconds)$/.test(key) ? value : key.startsWith("p9") ? value / 1_000 : 0;
}
