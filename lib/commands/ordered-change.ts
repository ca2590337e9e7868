// Whether a step in prose orders a change of the system or a look at it, by its verbs in imperative position. English only. Pure
// functions.

/** Verbs that change something. */
const CHANGING = words(`
  activate add adjust allocate apply assign attach block bump cancel change clean clear configure cordon create deactivate
  decommission decrease defragment delete demote deploy detach disable disconnect downgrade drain drop edit enable enlarge evict
  expand extend fine-tune fix flush format free grant grow increase install kill lengthen limit lower migrate modify mount
  move pause promote provision prune purge raise re-create re-deploy re-enable reassign rebalance reboot rebuild recreate
  redeploy redistribute reduce reenable reformat reindex reinstall relocate reload remount remove rename renew repair replace
  reset resize restart restore resume resync revert revoke rotate scale set shorten shrink start stop suspend
  taint terminate throttle trim truncate tune unblock uncordon undo uninstall unlock unmount update upgrade vacuum`);
/** Verbs that find something out. */
const LOOKING = words(`
  aggregate analyse analyze ask check collect compare confirm connect consult contact count describe determine diagnose dig
  double-check ensure establish examine figure filter find follow gather get go grep identify inspect investigate list locate log
  look make measure monitor observe open query read refer review search see select show test trace track try use validate verify
  view visit wait watch work`);
/** Verbs of which the object says whether they change something. */
const DOING = words("attempt execute run");
/** Verbs of which the noun says what changes: "perform a rolling restart". */
const ACTING = words("do execute force initiate issue perform trigger");
/** Verbs that are an adjective or a noun, or change nothing, without a determiner after them. */
const CHANGING_WITH_DETERMINER = words(
  "cap close correct elect empty end failover forbid isolate load patch release rollback shed shutdown spread",
);
/** Verbs that change something with one of these words near them: "turn parallel query off". */
const CHANGING_WITH_PARTICLE = new Map(
  Object.entries({
    bring: "back down offline online up",
    fail: "over",
    power: "cycle down off on",
    put: "back offline online",
    roll: "back out",
    shut: "down off",
    switch: "back off on over",
    take: "offline",
    turn: "off on",
  }).map(([verb, particles]) => [verb, words(particles)]),
);
const INFINITIVES = new Map([...CHANGING].flatMap((verb) => gerundsOf(verb).map((gerund) => [gerund, verb])));
/** Words between a verb and its particle or object, and before it. */
const REACH = 5;
const DETERMINERS = words(
  `a all an another any both each either enough every his its it more most one only our some such that the their them these this
   those two unused your`,
);
/** After them, a word is no verb with an object: "changes in traffic", "lower than". */
const NO_OBJECT = words(
  `are as at because been by can could did do does for had happened happens has have if in is may might must of on per should than
   was were when while will would`,
);
/** Nouns that make a name together with the word before them: "restart count". */
const COMPOUNDS = words(
  `count counts errors events failures history latency limits loop loops management operations point points policy reasons requests
   signal status storage time times window`,
);
const FINITE = words("are has have is was were will");
/** Words after a verb with which it changes nothing: "start with", "move on". */
const HARMLESS_AFTER: Readonly<Record<string, RegExp>> = {
  add: /^up$/,
  change: /^(?:directory|into|to)$/,
  move: /^(?:forward|on|to)$/,
  start: /^(?:again|at|by|from|here|looking|over|there|with|\w+ing)$/,
  stop: /^(?:and|here|there|\w+ing)$/,
};
/** Objects outside of the system. */
const HARMLESS_OBJECTS = words(
  `artifacts backup backups bug case comment comments dashboard dashboards directory filter filters issue note output panel post postmortem question
   range report tab ticket tickets view`,
);
/** Words before the verb of an order. */
const LEAD_IN = words(
  `also alternatively always and carefully else finally first gracefully immediately instead just last lastly manually next now
   optionally or otherwise please preferably safely second secondly simply so temporarily then third`,
);
/** Verbs before the one that is proposed: "consider increasing", "try to delete". */
const PROPOSING = words("consider try");
const MODALS = words("can could have may might must need should to will would");
/** A sentence that begins so may order something after each of its commas. */
const CONDITIONS = words(
  `after as at before by during even for from given if in on once only should since to unless until when where whether while with
   without`,
);
/** A clause before "and" that states or asks something: the verb after it goes on with that. */
const SUBORDINATING = words("can could how if may that to what when whether which who would");
const SENTENCE_END = /(?<=[.!?:;])\s+/;
const CODE = /`[^`]*`/g;
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/u;
const LINK_TARGET = /\]\([^()\s]*\)/g;
/** A placeholder, which people replace in the text and not in the system. */
const PLACEHOLDER = /^["'`]{0,2}[<$]/;

/** Whether a sentence of a step plainly orders or proposes a change, such as "If it hangs, restart it". */
export function ordersChange(text: string): boolean {
  return someSentence(text, isChange);
}

/** Whether a sentence orders to find something out, such as "First, check the queue". */
export function ordersLook(text: string): boolean {
  return someSentence(text, (_, { name }) => LOOKING.has(name));
}

/** Whether a text orders something. */
export function isInstruction(text: string): boolean {
  return someSentence(text, (sentence, verb) => DOING.has(verb.name) || isChange(sentence, verb)) || ordersLook(text);
}

/** Whether a paragraph begins with an order, and not with a statement. */
export function beginsWithInstruction(paragraph: string): boolean {
  return isInstruction(paragraph.split(SENTENCE_END, 1)[0] ?? "");
}

function someSentence(text: string, isOrdered: (sentence: readonly string[], verb: Verb) => boolean): boolean {
  const prose = text.replace(CODE, (code) => (PLACEHOLDER.test(code) ? "`<" : "`")).replace(LINK_TARGET, "]");
  return prose.split(SENTENCE_END).some((sentence) => {
    if (sentence.endsWith("?")) return false;
    const written = sentence.split(/\s+/).filter((word) => word !== "");
    return verbsIn(written).some((verb) => isOrdered(written, verb));
  });
}

interface Verb {
  readonly at: number;
  /** The verb in its first form, if the word is one. */
  readonly name: string;
}

/** The words that are verbs if the sentence orders something: at its start, after a condition, "then", "consider", "you can". */
function verbsIn(sentence: readonly string[]): Verb[] {
  const plainWords = sentence.map(plain);
  const after = (start: number, isSkipped: (word: string) => boolean) => {
    let at = start;
    while (at < start + REACH && isSkipped(plainWords[at] ?? "")) at += 1;
    return at;
  };
  const isLeadIn = (word: string) => LEAD_IN.has(word);
  const verbAt = (at: number): Verb => {
    const name = plainWords[at] ?? "";
    // "have a look", "take a look"
    if (plainWords[at + 2] === "look" && plainWords[at + 1] === "a") return { at: at + 2, name: "look" };
    if (!PROPOSING.has(name)) return { at, name };
    const next = after(at + 1, (word) => word === "to");
    const proposed = plainWords[next] ?? "";
    return { at: next, name: INFINITIVES.get(proposed) ?? proposed };
  };
  const isConditional = CONDITIONS.has(plainWords[0] ?? "");
  let isStatement = false;
  const others = plainWords.flatMap((word, i) => {
    // "to the node" is a place.
    const isPlace = word === "to" && isDeterminer(sentence[i + 1]);
    isStatement ||= (SUBORDINATING.has(word) && !isPlace) || FINITE.has(word);
    const followsComma = i === 0 || sentence[i - 1]?.endsWith(",");
    const followsLeadIn = followsComma || isLeadIn(plainWords[i - 1] ?? "");
    if (word === "then" || (isConditional && sentence[i]?.endsWith(","))) return [verbAt(after(i + 1, isLeadIn))];
    if (word === "and" && !isStatement && isDeterminer(sentence[i + 2])) return [verbAt(i + 1)];
    if (word === "so") return [verbAt(i + 1)];
    const isOffered = isConditional && i > 1 && MODALS.has(plainWords[i + 1] ?? "");
    if (word === "you" && (followsLeadIn || isOffered))
      return [verbAt(after(i + 1, (next) => MODALS.has(next) || isLeadIn(next)))];
    return (word === "consider" && followsLeadIn) || (word === "try" && followsComma) ? [verbAt(i)] : [];
  });
  return [verbAt(after(0, isLeadIn)), ...others];
}

function isChange(sentence: readonly string[], { at, name }: Verb): boolean {
  const near = sentence.slice(at + 1, at + 1 + REACH);
  const particles = CHANGING_WITH_PARTICLE.get(name);
  if (particles) return near.some((word) => particles.has(plain(word)));
  const isNoun = (word: string) => CHANGING.has(plain(word)) || /^(?:failover|rollback)$/.test(plain(word));
  if (ACTING.has(name)) return isDeterminer(near[0]) && near.some(isNoun);
  if (CHANGING_WITH_DETERMINER.has(name)) return isDeterminer(near[0]) || (isNoun(name) && near[0] === "to");
  // A verb before a colon is a heading.
  return CHANGING.has(name) && (near.length === 0 ? !sentence[at]?.endsWith(":") : mayHaveObject(name, near));
}

function mayHaveObject(verb: string, [first = "", ...others]: readonly string[]): boolean {
  const next = plain(first);
  if (NO_OBJECT.has(next) || HARMLESS_AFTER[verb]?.test(next)) return false;
  if ([next, ...others.map(plain)].some((word) => HARMLESS_OBJECTS.has(word))) return false;
  if (PLACEHOLDER.test(first) && (verb === "set" || verb === "replace")) return false;
  return isDeterminer(first) || !(COMPOUNDS.has(next) || others.slice(0, 2).some((word) => FINITE.has(plain(word))));
}

/** Code counts, too: it names something. */
function isDeterminer(word = ""): boolean {
  return word.startsWith("`") || DETERMINERS.has(plain(word));
}

function plain(word: string): string {
  return WORD.exec(word.toLowerCase())?.[0] ?? "";
}

/** The forms with "-ing", as far as their spelling is regular. */
function gerundsOf(verb: string): string[] {
  return [`${verb}ing`, `${verb.replace(/e$/, "")}ing`, `${verb}${verb.at(-1)}ing`];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
