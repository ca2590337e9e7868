// Rules for the tables of a release, which its Worker reads and writes while the migration is applied and after it.

import type { AlterTableCmd, ColumnDef, Constraint, IndexStmt } from "libpg-query";
import { breaks, CONTRACT_LATER, type Finding, type RuleContext, slows } from "./finding.ts";
import { differingTexts, isVolatile, isWider, lastName } from "./nodes.ts";
import { checkKey, constraintsOf } from "./schema-model.ts";

const NEW_COLUMN = "Add a column beside it, write both, and drop the former one a release later";
const SERIAL = /^(?:small|big)?serial[248]?$/;

export function checkAlteredTable(table: string, command: AlterTableCmd, context: RuleContext): Finding[] {
  const { subtype, name = "", def } = command;
  switch (subtype) {
    case "AT_AddColumn":
      return def !== undefined && "ColumnDef" in def ? checkNewColumn(table, def.ColumnDef) : [];
    case "AT_DropColumn":
      return [breaks(`Statements that name ${table}.${name} fail: it is dropped.`, `${CONTRACT_LATER}.`, name)];
    case "AT_AlterColumnType":
      return [
        breaks(
          `${table}.${name} gets another type: its values change, and the table is locked while it is rewritten.`,
          `${NEW_COLUMN}.`,
        ),
      ];
    case "AT_SetNotNull":
      return [
        breaks(
          `Rows without ${table}.${name} are refused, and the table is locked while it is searched for them.`,
          "Give the column a default, and let the Worker refuse rows without it.",
        ),
      ];
    case "AT_ColumnDefault":
      return def === undefined
        ? [breaks(`Rows without ${table}.${name} are refused: it has no default any more.`, "Keep the default.")]
        : [];
    case "AT_AddConstraint":
      return def !== undefined && "Constraint" in def ? checkConstraint(table, def.Constraint, context) : [];
    case "AT_DropConstraint":
      return /_(?:p?key)$/.test(name)
        ? [breaks(`"on conflict" fails without ${name}, and duplicates are stored.`, "Keep the constraint.")]
        : [];
    default:
      return [];
  }
}

function checkNewColumn(table: string, column: ColumnDef): Finding[] {
  const { colname = "", typeName } = column;
  const place = `${table}.${colname}`;
  const constraints = constraintsOf(column);
  const has = (...kinds: readonly Constraint["contype"][]) =>
    constraints.some(({ contype }) => kinds.includes(contype));
  const isFilled = has("CONSTR_DEFAULT", "CONSTR_GENERATED", "CONSTR_IDENTITY");
  const isSerial = SERIAL.test(lastName(typeName?.names));
  const value = constraints.find(({ contype }) => contype === "CONSTR_DEFAULT")?.raw_expr;
  const isRewritten =
    isSerial ||
    (value !== undefined && isVolatile(value)) ||
    constraints.some(({ contype, generated_kind }) =>
      contype === "CONSTR_GENERATED" ? generated_kind !== "v" : contype === "CONSTR_IDENTITY",
    );
  return [
    ...(has("CONSTR_NOTNULL", "CONSTR_PRIMARY") && !isFilled && !isSerial
      ? [breaks(`Rows without ${place} are refused: it is new and required.`, "Give it a default, or allow null.")]
      : []),
    ...(isRewritten
      ? [
          slows(
            "rewrite",
            `${table} is locked while it is rewritten: ${place} is computed for each row.`,
            "Add the column without a value; let a trigger fill it for new rows and a job for the others.",
          ),
        ]
      : []),
    ...(has("CONSTR_UNIQUE", "CONSTR_PRIMARY")
      ? [slows("lock", `${table} is locked while an index is built on ${place}.`, CONCURRENTLY)]
      : []),
  ];
}

function checkConstraint(table: string, constraint: Constraint, { model }: RuleContext): Finding[] {
  const { contype, conname, raw_expr } = constraint;
  if (contype !== "CONSTR_CHECK" || raw_expr === undefined)
    return [
      breaks(
        `${table} refuses rows that it accepts today: ${conname ?? "a constraint"} is new.`,
        "Create it with a new table, or let the Worker keep the rule.",
      ),
    ];
  const former = model.checks.get(checkKey(table, conname ?? `${table}_check`));
  if (former !== undefined && isWider(former, raw_expr)) return [];
  return [
    breaks(
      `${table} refuses rows that it accepts today: the check ${conname ?? "without a name"} is ${former === undefined ? "new" : "not certainly wider"}.`,
      "Only add values and alternatives to a check; what is no longer wanted is refused by the Worker.",
      ...differingTexts(former, raw_expr),
    ),
  ];
}

const CONCURRENTLY =
  "Build the index with `create index concurrently`, as the only statement of a migration. If the table is small in every deployment, write `-- accepts lock: <why>` above the statement.";

export function checkIndex(
  { relation, concurrent = false, unique = false, idxname }: IndexStmt,
  { model, statements }: RuleContext,
): Finding[] {
  const table = relation?.relname ?? "";
  if (concurrent && statements.length > 1)
    return [
      breaks(
        "`create index concurrently` fails in a transaction, which a file with several statements is.",
        "Make it the only statement of its migration.",
      ),
    ];
  if (model.relations.get(table) !== true) return [];
  return [
    ...(unique ? [breaks(`${table} refuses rows that it accepts today: ${idxname} is unique.`, "Do without it.")] : []),
    ...(concurrent ? [] : [slows("lock", `Writes to ${table} wait while ${idxname} is built.`, CONCURRENTLY)]),
  ];
}

export function checkRowChange(table: string): Finding[] {
  return [
    slows(
      "backfill",
      `Rows of ${table} that are changed stay locked until the migration ends.`,
      "Let a job change them in batches. If they are few in every deployment, write `-- accepts backfill: <why>` above the statement.",
    ),
  ];
}
