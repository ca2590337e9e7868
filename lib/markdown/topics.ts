// The topics of a text: what it says about one failure, by its headings alone. Pure functions, linear in the text.

import { isAlertHeading } from "./alert-name.ts";
import { sectionRole } from "./section-role.ts";

/** A part of a text with its headings, outermost first, without the title. */
export interface HeadedSection {
  readonly headingPath: readonly string[];
}

/** A heading with what stands under it, about one of several failures of a text. */
export interface Topic {
  /** Its address within the text, as renderers of Markdown make it from the heading: `disk-is-full`, the second `disk-is-full-1`. */
  readonly anchor: string;
  /** Up to its own heading, outermost first. */
  readonly headingPath: readonly string[];
  /** The headings that name it: without those above it that only collect topics, such as "Alerts". */
  readonly title: string;
}

/** What stands above the topics of a text and is about none of them, such as its table of contents. */
export const OVERVIEW: Topic = { anchor: "", headingPath: [], title: "" };

/**
 * The topic of each section; null for the failure of the title, which is the only one of most texts. Where there are topics and
 * no step outside of them, the sections outside are the overview.
 * @param sections in document order
 */
export function topicsOf(sections: readonly HeadedSection[], title: string): (Topic | null)[] {
  const root = readTree(sections, title);
  const topics = sections.map((): Topic | null => null);
  const anchorOf = createAnchors();
  let count = 0;
  const visit = (node: Heading, path: readonly string[], above: Topic | null, isWithinOne: boolean): void => {
    for (const section of node.sections) topics[section] = above;
    const { starts, isFlat, isOne } = readLevel(node, isWithinOne);
    let current = above;
    for (const child of node.children) {
      const childPath = [...path, child.text];
      const anchor = anchorOf(child.text);
      if (starts.has(child)) {
        current = { anchor, headingPath: childPath, title: topicTitle(childPath) };
        count += 1;
      }
      const isPart = child.kind === "part" || (child.kind === "role" && !isContainer(child, node));
      visit(child, childPath, current, child.kind === "alert" || (!starts.has(child) && (isOne || isPart)));
      if (!isFlat) current = above;
    }
  };
  visit(root, [], null, isAlertHeading(title));
  const isShared = count > 0 && sections.every((section, i) => topics[i] !== null || !isStep(section));
  return isShared ? topics.map((topic) => topic ?? OVERVIEW) : topics;
}

function topicTitle(path: readonly string[]): string {
  return path.filter((text, i) => i === path.length - 1 || headingKind(text) === "topic").join(" › ");
}

function isStep({ headingPath }: HeadedSection): boolean {
  const role = sectionRole(headingPath);
  return role === "causes" || role === "confirm" || role === "mitigate";
}

/** Anchors as renderers make them: letters, digits, hyphens and underscores in lower case, repetitions numbered. */
function createAnchors(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const slug = slugOf(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The anchor of a heading, without a number. */
export function slugOf(heading: string): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
  return slug === "" ? "section" : slug;
}

/**
 * `role`: what a section says about a failure, such as "Root causes". `part`: a step, an example or a definition. `neutral`:
 * about no failure and no role, such as "Related links". `alert`: the name of one of several alerts. `topic`: everything else, such as "Disk
 * is full".
 */
type Kind = "role" | "part" | "neutral" | "alert" | "topic";

interface Heading {
  readonly text: string;
  readonly kind: Kind;
  readonly children: Heading[];
  /** Indexes of the sections directly below the heading. */
  readonly sections: number[];
}

/** Words that make a heading the name of a role, if it has no word of its own. In the larger languages, by their stems. */
const ROLE =
  /^(?:s[yíi][mn]p?tom\w*|sympt\w*|ursachen?|causas?|diagn[oó]\w*|prüf\w*|überprüf\w*|v[eé]rif\w*|behebung|behandlung|lösung\w*|r[eé]sol\w*|soluci[oó]n\w*|soluç\w*|soluzion\w*|maßnahmen?|vorbeugung|pr[eé]ven\w*|ursprung|причин\p{L}*|симптом\p{L}*|диагностик\p{L}*|решени\p{L}*|проверк\p{L}*|症状|原因|診断|確認|対処|対策|诊断|解决|检查|处理|signs?|causes?|reasons?|diagnos\w*|debug\w*|investigat\w*|troubleshoot\w*|triage|confirm\w*|verif\w*|check\w*|mitigat\w*|fix\w*|resol\w*|remed\w*|solutions?|solving|workarounds?|recover\w*|actions?|emergency|prevent\w*|avoid\w*|hardening)$/u;
/** Words that say nothing about which failure a heading is about. */
const COMMON = new Set(
  (
    "a an and as at be by can do does for from get how i if in into is it its of on or our out the their then this to up us what when why with you your " +
    "der die das und mögliche le la les des et el los las y posibles possibles o e os " +
    "about above additional advanced after alert alert's alerts all analysis answer appendix architecture background basic before below better books case changelog commands common considerations contact contacts context contents customer dashboards description detailed details detection documentation " +
    "error errors escalate escalation event events example examples expected explanation failure failures fast faq first follow following further general glossary group guide guidance happened help history immediate impact important incident info information initial instructions introduction issue issues item items known learned lessons likely links list logs long main " +
    "meaning mean means metrics monitoring more most next note notes observed option options other outcome overview owner owners permanent playbook playbooks possible post potential pre prerequisites pre-requisites problem problems procedure procedures process purpose queries question questions quick quickly reading recommendations recommended reference references related report requirements resources response result results review root " +
    "runbook runbooks scope section see severity short side situation skill sources status step steps summary table team technique techniques temporary term timeline tips tldr tools topics types understand understanding useful user we well went wrong " +
    // Severities of one failure.
    "critical fatal high info low major medium minor p0 p1 p2 p3 p4 p5 page sev0 sev1 sev2 sev3 sev4 severe warning"
  ).split(" "),
);
/** Numbered headings beside a role are its steps. */
const NUMBER = /^\d{1,3}[.)]\s/;
/** A variant of what stands before it: "(Linux)". */
const VARIANT = /\s{0,3}\([^()]{1,60}\)\s*$/;
/** A step or a definition: a part of what stands around it. */
const PART =
  /^(?:\d+[.)]\s*)?(?:(?:step|option|method|variant|approach)\s+\w+\b|(?:check(?:ing)?|verify(?:ing)?|confirm(?:ing)?|inspect(?:ing)?|review(?:ing)?|collect(?:ing)?)\b|examples?\b|what\s+(?:is|are|does|do)\b|why\s+(?:is|are)\b.*\bimportant\b|more\s+(?:about|on)\b|understand(?:ing)?\b)/i;
/** A heading under which a text collects failures, if nothing beside it has a role. */
const CONTAINER = /^\W*(?:general |common )?troubleshooting(?: (?:guide|tips|section|steps))?\W*$/i;
/** As many sections beside each other, without roles beside them, are failures of their own. */
const MIN_TOPICS = 2;
const MIN_ROLES = 2;

function readTree(sections: readonly HeadedSection[], title: string): Heading {
  const titleWords = new Set(wordsOf(title));
  const alerts = new Set(sections.flatMap(({ headingPath }) => headingPath.filter(isAlertHeading)));
  // A text about one alert may have a section on another one.
  const areTopics = alerts.size >= MIN_TOPICS && !isAlertHeading(title);
  const kindOfHeading = (text: string): Kind =>
    areTopics && alerts.has(text) ? "alert" : headingKind(text, titleWords);
  const root: Heading = { text: "", kind: "topic", children: [], sections: [] };
  sections.forEach(({ headingPath }, i) => {
    let node = root;
    for (const text of headingPath) {
      const last = node.children.at(-1);
      // The same heading after another one is another section: "Symptoms" of the next failure.
      const child = last?.text === text ? last : { text, kind: kindOfHeading(text), children: [], sections: [] };
      if (child !== last) node.children.push(child);
      node = child;
    }
    node.sections.push(i);
  });
  return root;
}

/** @param titleWords words that say nothing more about which failure it is */
export function headingKind(text: string, titleWords: ReadonlySet<string> = new Set()): Exclude<Kind, "alert"> {
  if (PART.test(text)) return "part";
  const words = wordsOf(text.replace(VARIANT, "")).filter((word) => !/^\d+$/.test(word));
  const hasRole = words.some((word) => ROLE.test(word));
  const own = words.filter((word) => !COMMON.has(word) && !ROLE.test(word));
  if (hasRole) return own.every((word) => titleWords.has(word)) ? "role" : "topic";
  return own.length === 0 ? "neutral" : "topic";
}

interface Level {
  /** The children at which another failure begins. */
  readonly starts: ReadonlySet<Heading>;
  /** Whether it goes on in the children after it. */
  readonly isFlat: boolean;
  /** Whether the roles beside each other are those of one failure, so that topics among them are parts of it. */
  readonly isOne: boolean;
}

/** @param isWithinOne whether the heading is a part of one failure, such as its mitigation with the topics "Option 1" and "Option 2" */
function readLevel({ children }: Heading, isWithinOne: boolean): Level {
  const roles = children.filter(({ kind }) => kind === "role");
  const names = new Set(roles.map(({ text }) => text.toLowerCase()));
  const topics = children.filter(({ kind }) => kind === "topic");
  const areSteps = names.size > 0 && topics.length > 0 && topics.every(({ text }) => NUMBER.test(text));
  const isOne = isWithinOne || areSteps || names.size >= MIN_ROLES;
  const alerts = children.filter(({ kind }) => kind === "alert");
  if (alerts.length > 0 || children.some(holdsAlerts)) {
    const others = isOne || alerts.length === 0 ? [] : topics;
    return { starts: new Set([...alerts, ...others]), isFlat: names.size < roles.length, isOne: false };
  }
  if (names.size < roles.length) return { starts: startsOfRepeats(children), isFlat: true, isOne: false };
  const variants = new Set(topics.map(({ text }) => text.replace(VARIANT, "")));
  if (!isOne && variants.size >= MIN_TOPICS) return { starts: new Set(topics), isFlat: false, isOne };
  // A topic with roles of its own repeats those beside it. Within a part of one failure, such as its causes, one that says
  // nothing of what to do about it is a part, too.
  const complete = topics.filter((topic) => hasRoles(topic) && (!isWithinOne || hasSteps(topic)));
  const isRepeated = complete.length >= MIN_TOPICS || (names.size > 0 && !isWithinOne);
  return { starts: new Set(isRepeated ? complete : []), isFlat: false, isOne };
}

/** Where roles repeat on one level, a failure begins at each topic, and at a role that the failure has already. */
function startsOfRepeats(children: readonly Heading[]): ReadonlySet<Heading> {
  const starts = new Set<Heading>();
  const roles = new Set<string>();
  for (const child of children) {
    const name = child.text.toLowerCase();
    const isStart = child.kind === "topic" || (child.kind === "role" && roles.has(name));
    if (isStart) {
      starts.add(child);
      roles.clear();
    }
    if (child.kind === "role") roles.add(name);
  }
  return starts;
}

function hasRoles({ children }: Heading): boolean {
  return children.some((child) => child.kind === "role" || hasRoles(child));
}

function hasSteps({ children }: Heading): boolean {
  return children.some((child) => sectionRole([child.text]) === "mitigate" || hasSteps(child));
}

function holdsAlerts({ children }: Heading): boolean {
  return children.some((child) => child.kind === "alert" || holdsAlerts(child));
}

function isContainer({ text }: Heading, { children }: Heading): boolean {
  return CONTAINER.test(text) && children.filter(({ kind }) => kind === "role").length === 1;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
}
