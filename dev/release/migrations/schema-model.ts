// The schema as the migrations so far have made it: the objects that a Worker may use, and whether a release has them.

import type { ColumnDef, Constraint, Node } from "libpg-query";
import { lastName, objectName, type Signature, signatureOf } from "./nodes.ts";
import type { Statement } from "./parse-migration.ts";

interface FunctionEntry {
  readonly signature: Signature;
  readonly isReleased: boolean;
}

export interface SchemaModel {
  /** Tables, views and types, and whether they are released. */
  readonly relations: Map<string, boolean>;
  /** One for each name: PostgREST and `call_restricted` choose a function by its name. */
  readonly functions: Map<string, FunctionEntry>;
  /** Expressions of checks, by table and name. */
  readonly checks: Map<string, Node>;
}

export function createSchemaModel(): SchemaModel {
  return { relations: new Map(), functions: new Map(), checks: new Map() };
}

export function checkKey(table: string, name: string): string {
  return `${table}.${name}`;
}

/** Adds what a statement creates, and removes what it drops. @param isReleased whether a release has its migration */
export function applyStatement(model: SchemaModel, { node }: Statement, isReleased: boolean): void {
  if ("CreateStmt" in node) {
    const table = node.CreateStmt.relation?.relname ?? "";
    model.relations.set(table, isReleased);
    for (const element of node.CreateStmt.tableElts ?? []) addChecks(model, table, element);
  } else if ("ViewStmt" in node) {
    model.relations.set(node.ViewStmt.view?.relname ?? "", isReleased);
  } else if ("CompositeTypeStmt" in node) {
    model.relations.set(node.CompositeTypeStmt.typevar?.relname ?? "", isReleased);
  } else if ("CreateEnumStmt" in node) {
    model.relations.set(lastName(node.CreateEnumStmt.typeName), isReleased);
  } else if ("CreateFunctionStmt" in node) {
    const { funcname, parameters, returnType } = node.CreateFunctionStmt;
    const name = lastName(funcname);
    const wasReleased = model.functions.get(name)?.isReleased ?? false;
    const signature = signatureOf(parameters, returnType);
    model.functions.set(name, { signature, isReleased: isReleased || wasReleased });
  } else if ("DropStmt" in node) {
    for (const object of node.DropStmt.objects ?? []) {
      model.relations.delete(objectName(object));
      model.functions.delete(objectName(object));
    }
  } else if ("AlterTableStmt" in node) {
    const table = node.AlterTableStmt.relation?.relname ?? "";
    for (const command of node.AlterTableStmt.cmds ?? []) {
      if (!("AlterTableCmd" in command)) continue;
      const { subtype, name = "", def } = command.AlterTableCmd;
      if (def !== undefined && subtype !== "AT_DropConstraint") addChecks(model, table, def);
      // A dropped check stays known: a later one of its name is compared with it.
      if (subtype === "AT_DropColumn") model.checks.delete(checkKey(table, `${table}_${name}_check`));
    }
  }
}

function addChecks(model: SchemaModel, table: string, element: Node): void {
  if ("Constraint" in element) addCheck(model, table, element.Constraint, `${table}_check`);
  if ("ColumnDef" in element)
    for (const constraint of constraintsOf(element.ColumnDef))
      addCheck(model, table, constraint, `${table}_${element.ColumnDef.colname}_check`);
}

/** @param ownName the name that Postgres gives it, if it has none */
function addCheck(
  model: SchemaModel,
  table: string,
  { contype, conname, raw_expr }: Constraint,
  ownName: string,
): void {
  if (contype === "CONSTR_CHECK" && raw_expr !== undefined)
    model.checks.set(checkKey(table, conname ?? ownName), raw_expr);
}

export function constraintsOf({ constraints }: ColumnDef): Constraint[] {
  return (constraints ?? []).flatMap((node) => ("Constraint" in node ? [node.Constraint] : []));
}
