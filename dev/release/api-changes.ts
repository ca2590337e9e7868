// Changes between two API documents, and the version that they ask for.

import { isSame, type Json, type JsonObject, listOf, objectOf } from "../api-document/json.ts";
import { added, broken, type Change, type Comparison, compareSchemas, resolve } from "./schema-changes.ts";

const METHODS = ["get", "put", "post", "delete", "patch", "options", "head"];

interface Documents {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly requests: Comparison;
  readonly responses: Comparison;
}

export function apiChanges(before: JsonObject, after: JsonObject): Change[] {
  const compared = new Set<string>();
  const documents: Documents = {
    before,
    after,
    requests: { before, after, direction: "request", compared },
    responses: { before, after, direction: "response", compared },
  };
  const [olds, news] = [operationsOf(before), operationsOf(after)];
  return [
    ...[...olds].flatMap(([place, old]) => {
      const now = news.get(place);
      return now === undefined ? [broken(place, "removed")] : compareOperations(documents, old, now, place);
    }),
    ...[...news.keys()].filter((place) => !olds.has(place)).map((place) => added(place, "added")),
  ];
}

/** @returns what to do about the changes; null if the version covers them */
export function versionProblem(changes: readonly Change[], released: string, version: string): string | null {
  const [before, after] = [partsOf(released), partsOf(version)];
  const isMajor = after.major > before.major;
  const isMinor = isMajor || (after.major === before.major && after.minor > before.minor);
  const list = (some: readonly Change[]) => some.map(({ place, text }) => `  ${place}: ${text}`).join("\n");
  const breaking = changes.filter((change) => change.breaking);
  // Semantic versioning promises nothing before 1.0.0.
  if (before.major === 0) return null;
  if (breaking.length > 0 && !isMajor)
    return `The API of ${released} breaks. Undo this, or raise the major version in package.json:\n${list(breaking)}`;
  if (changes.length > 0 && !isMinor)
    return `The API of ${released} has additions. Raise the minor version in package.json, and run \`npm run release\` when you release it:\n${list(changes)}`;
  return null;
}

function partsOf(version: string): { major: number; minor: number } {
  const [major = Number.NaN, minor = Number.NaN] = version.split(".").map(Number);
  if (Number.isNaN(major) || Number.isNaN(minor)) throw new Error(`"${version}" is no semantic version.`);
  return { major, minor };
}

function operationsOf(document: JsonObject): Map<string, JsonObject> {
  return new Map(
    Object.entries(objectOf(document.paths)).flatMap(([path, item]) =>
      METHODS.flatMap((method): [string, JsonObject][] => {
        const operation = objectOf(item)[method];
        return operation === undefined ? [] : [[`${method.toUpperCase()} ${path}`, objectOf(operation)]];
      }),
    ),
  );
}

function compareOperations(documents: Documents, old: JsonObject, now: JsonObject, place: string): Change[] {
  return [
    ...(isSame(old.operationId, now.operationId) ? [] : [broken(place, "operationId changed")]),
    ...compareSecurity(old, now, place),
    ...compareParameters(documents, old, now, place),
    ...compareBodies(documents, old, now, place),
    ...compareResponses(documents, old, now, place),
  ];
}

/** Each token that was accepted must be accepted still. */
function compareSecurity(old: JsonObject, now: JsonObject, place: string): Change[] {
  if (isSame(old.security, now.security)) return [];
  const [olds, news] = [listOf(old.security).map(objectOf), listOf(now.security).map(objectOf)];
  const isOpen = news.length === 0 || news.some((needs) => Object.keys(needs).length === 0);
  const isAccepted = (token: JsonObject) =>
    news.some((needs) =>
      Object.entries(needs).every(
        ([scheme, scopes]) =>
          token[scheme] !== undefined && listOf(scopes).every((scope) => listOf(token[scheme]).includes(scope)),
      ),
    );
  const fits = isOpen || (olds.length > 0 && olds.every(isAccepted));
  return [
    {
      breaking: !fits,
      place,
      text: `security ${JSON.stringify(now.security)}, before ${JSON.stringify(old.security)}`,
    },
  ];
}

function compareParameters({ before, after, requests }: Documents, old: JsonObject, now: JsonObject, place: string) {
  const byName = (document: JsonObject, operation: JsonObject) =>
    new Map(
      listOf(operation.parameters).map((item): [string, JsonObject] => {
        const parameter = resolve(document, item);
        return [`${parameter.in}:${parameter.name}`, parameter];
      }),
    );
  const [olds, news] = [byName(before, old), byName(after, now)];
  const changes = [...olds].flatMap(([name, was]): Change[] => {
    const at = `${place} ${name}`;
    const is = news.get(name);
    if (is === undefined) return [broken(at, "removed")];
    return [...compareRequired(was, is, at), ...compareSchemas(requests, was.schema ?? {}, is.schema ?? {}, at)];
  });
  const additions = [...news]
    .filter(([name]) => !olds.has(name))
    .map(([name, { required }]) => ({ breaking: required === true, place: `${place} ${name}`, text: "added" }));
  return [...changes, ...additions];
}

function compareRequired(old: JsonObject, now: JsonObject, place: string): Change[] {
  if ((old.required === true) === (now.required === true)) return [];
  return [now.required === true ? broken(place, "is required now") : added(place, "is optional now")];
}

function compareBodies(
  { before, after, requests }: Documents,
  old: JsonObject,
  now: JsonObject,
  place: string,
): Change[] {
  const at = `${place} request`;
  if (old.requestBody === undefined && now.requestBody === undefined) return [];
  const [was, is] = [resolve(before, old.requestBody), resolve(after, now.requestBody)];
  return [...compareRequired(was, is, at), ...compareContent(requests, was.content, is.content, at)];
}

/** An error status may go: a caller that handles it never sees it again. */
function compareResponses(
  { before, after, responses }: Documents,
  old: JsonObject,
  now: JsonObject,
  place: string,
): Change[] {
  const [olds, news] = [objectOf(old.responses), objectOf(now.responses)];
  const changes = Object.entries(olds).flatMap(([status, response]): Change[] => {
    const at = `${place} ${status}`;
    if (news[status] === undefined) return [{ breaking: /^[123]/.test(status), place: at, text: "removed" }];
    const [was, is] = [resolve(before, response), resolve(after, news[status])];
    const lost = Object.keys(objectOf(was.headers)).filter((name) => objectOf(is.headers)[name] === undefined);
    return [
      ...lost.map((name) => broken(at, `header ${name} removed`)),
      ...compareContent(responses, was.content, is.content, at),
    ];
  });
  const additions = Object.keys(news).filter((status) => olds[status] === undefined);
  return [...changes, ...additions.map((status) => added(`${place} ${status}`, "added"))];
}

function compareContent(context: Comparison, old: Json | undefined, now: Json | undefined, place: string): Change[] {
  const [olds, news] = [objectOf(old), objectOf(now)];
  const changes = Object.entries(olds).flatMap(([type, media]): Change[] => {
    if (news[type] === undefined) return [broken(place, `${type} removed`)];
    return compareSchemas(context, objectOf(media).schema ?? {}, objectOf(news[type]).schema ?? {}, place);
  });
  const additions = Object.keys(news).filter((type) => olds[type] === undefined);
  return [...changes, ...additions.map((type) => added(place, `${type} added`))];
}
