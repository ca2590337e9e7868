// Refuses migrations that would make the former version's Worker fail, or wait long, on the new schema.

import { breaks, CONTRACT_LATER, type Finding, type RuleContext } from "./finding.ts";
import { checkCreatedFunction, checkDroppedFunction } from "./function-rules.ts";
import { objectName, textOf } from "./nodes.ts";
import { type Marker, type MigrationFile, parseMigration, type Statement } from "./parse-migration.ts";
import { applyStatement, createSchemaModel } from "./schema-model.ts";
import { checkAlteredTable, checkIndex, checkRowChange } from "./table-rules.ts";

/** The Worker of a recorded release. */
export interface ReleasedScript {
  readonly version: string;
  readonly script: string;
}

export interface LintInput {
  readonly released: readonly MigrationFile[];
  /** Written since the last release. */
  readonly added: readonly MigrationFile[];
  /** Oldest first. */
  readonly releases: readonly ReleasedScript[];
}

export interface LintResult {
  /** Each with file, line, problem and remedy. */
  readonly problems: readonly string[];
  /** What is slow and accepted: file, line, problem and reason. */
  readonly accepted: readonly string[];
}

const MIN_REASON = 15;

export function lintMigrations({ released, added, releases }: LintInput): LintResult {
  const model = createSchemaModel();
  for (const file of released) for (const statement of parseMigration(file)) applyStatement(model, statement, true);
  const problems: string[] = [];
  const accepted: string[] = [];
  for (const file of added) {
    const statements = parseMigration(file);
    for (const statement of statements) {
      const findings = findingsOf(statement, { model, statements });
      const judged = judge(statement, findings, releases);
      const place = `supabase/migrations/${statement.file}:${statement.line}`;
      problems.push(...judged.problems.map((text) => `${place}: ${text}`));
      accepted.push(...judged.accepted.map((text) => `${place}: ${text}`));
      applyStatement(model, statement, false);
    }
  }
  return { problems, accepted };
}

function findingsOf({ node }: Statement, context: RuleContext): Finding[] {
  const { model } = context;
  const isReleased = (name: string | undefined) => model.relations.get(name ?? "") === true;
  if ("DropStmt" in node)
    return (node.DropStmt.objects ?? []).flatMap((object) =>
      checkDrop(node.DropStmt.removeType, objectName(object), context),
    );
  if ("RenameStmt" in node) {
    const { relation, object, subname, newname } = node.RenameStmt;
    const name = object === undefined ? relation?.relname : objectName(object);
    const isUsed = isReleased(name) || model.functions.get(name ?? "")?.isReleased === true;
    const former = subname ?? name ?? "";
    return isUsed
      ? [breaks(`Statements that name ${former} fail: it is ${newname} now.`, "Keep the name.", former)]
      : [];
  }
  if ("AlterObjectSchemaStmt" in node)
    return [breaks("The object is no longer in the schema `public`.", "Leave it there.")];
  if ("AlterTableStmt" in node) {
    const table = node.AlterTableStmt.relation?.relname ?? "";
    if (!isReleased(table)) return [];
    return (node.AlterTableStmt.cmds ?? []).flatMap((command) =>
      "AlterTableCmd" in command ? checkAlteredTable(table, command.AlterTableCmd, context) : [],
    );
  }
  if ("CreateFunctionStmt" in node) return checkCreatedFunction(node.CreateFunctionStmt, context);
  if ("IndexStmt" in node) return checkIndex(node.IndexStmt, context);
  if ("UpdateStmt" in node || "DeleteStmt" in node) {
    const { relation } = "UpdateStmt" in node ? node.UpdateStmt : node.DeleteStmt;
    return isReleased(relation?.relname) ? checkRowChange(relation?.relname ?? "") : [];
  }
  if ("TruncateStmt" in node) return [breaks("The rows are lost.", "Let a job delete what has expired.")];
  if ("DoStmt" in node && /\b(?:alter|drop|create|truncate)\b/i.test(textOf(node)))
    return [
      breaks("A `do` block changes the schema, which the rules cannot read.", "Write the statements themselves."),
    ];
  return [];
}

function checkDrop(kind: string | undefined, name: string, context: RuleContext): Finding[] {
  if (kind === "OBJECT_FUNCTION" || kind === "OBJECT_PROCEDURE" || kind === "OBJECT_ROUTINE")
    return checkDroppedFunction(name, context);
  if (context.model.relations.get(name) !== true) return [];
  return [breaks(`Statements that name ${name} fail: it is dropped.`, `${CONTRACT_LATER}.`, name)];
}

/** Compares the findings with the markers above the statement; a marker without a finding is out of date. */
function judge({ markers }: Statement, findings: readonly Finding[], releases: readonly ReleasedScript[]) {
  const problems: string[] = [];
  const accepted: string[] = [];
  const used = new Set<Marker>();
  for (const finding of findings) {
    const marker = markers.find((candidate) => covers(candidate, finding));
    if (marker === undefined) {
      problems.push(`${finding.problem} ${finding.remedy}${hintOf(finding)}`);
      continue;
    }
    used.add(marker);
    const problem = marker.kind === "contract" ? contractProblem(marker, releases) : reasonProblem(marker);
    if (problem !== null) problems.push(`${finding.problem} ${problem}`);
    else if (marker.kind === "accepts") accepted.push(`${finding.problem} Accepted: ${marker.text}`);
  }
  for (const { kind, subjects } of markers.filter((marker) => !used.has(marker)))
    problems.push(`The comment "${kind} ${subjects.join(", ")}" concerns nothing in this statement. Delete it.`);
  return { problems, accepted };
}

function covers({ kind, subjects }: Marker, { rule, names }: Finding): boolean {
  if (kind === "accepts") return rule !== "breaks" && subjects.includes(rule);
  return names.length > 0 && names.every((name) => subjects.includes(name));
}

function hintOf({ names }: Finding): string {
  if (names.length === 0) return "";
  return ` If no released Worker uses it, write \`-- contract ${names.join(", ")}: unused since <release>\` above the statement.`;
}

/** @returns null if no recorded Worker has one of the names in its script: each of them may run on the new schema */
function contractProblem({ subjects, text }: Marker, releases: readonly ReleasedScript[]): string | null {
  if (!releases.some(({ version }) => version === text))
    return `Release ${text} is not recorded in releases/; the last one is ${releases.at(-1)?.version ?? "none"}.`;
  for (const { version, script } of releases) {
    const name = subjects.find((subject) => new RegExp(`\\b${subject}\\b`).test(script));
    if (name !== undefined) return `The Worker of release ${version} names ${name}. ${CONTRACT_LATER}.`;
  }
  return null;
}

function reasonProblem({ text }: Marker): string | null {
  return text.length >= MIN_REASON ? null : `The reason "${text}" is too short to judge.`;
}
