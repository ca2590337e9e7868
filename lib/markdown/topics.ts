// The topics of a text: what it says about one failure, by its headings alone. Pure functions, linear in the text.

import { isAlertHeading, withoutAlertLabel } from "./alert-name.ts";
import { causeName, type HeadingKind, headingKind, sectionRole, VARIANT, wordsOf } from "./section-role.ts";

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
  const named = path.filter((text, i) => i === path.length - 1 || headingKind(text) === "topic");
  return named.map(withoutAlertLabel).join(" › ");
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

type Kind = HeadingKind | "alert";

interface Heading {
  readonly text: string;
  readonly kind: Kind;
  readonly children: Heading[];
  /** Indexes of the sections directly below the heading. */
  readonly sections: number[];
}

/** Numbered headings beside a role are its steps. */
const NUMBER = /^\d{1,3}[.)]\s/;
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
  if (!isOne && variants.size >= MIN_TOPICS) {
    // Among questions about failures, "What is clock skew?" is one more.
    const isAsked = ({ text }: Heading) => text.trimEnd().endsWith("?");
    const others = topics.some(isAsked) ? children.filter((child) => child.kind === "part" && isAsked(child)) : [];
    return { starts: new Set([...topics, ...others]), isFlat: false, isOne };
  }
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
    // "Solution" after each of several causes.
    if (causeName([child.text]) !== undefined) roles.clear();
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
