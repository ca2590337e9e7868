// Rules for SQL functions, which the Worker calls by name with named arguments.

import type { CreateFunctionStmt } from "libpg-query";
import { breaks, CONTRACT_LATER, type Finding, type RuleContext } from "./finding.ts";
import { lastName, type Parameter, type Signature, signatureOf } from "./nodes.ts";

const ADD_INSTEAD = "Add a function with another name, and let the new Worker call that";

/** A function that is dropped must be created again in the same file, with all that callers of the former one use. */
export function checkDroppedFunction(name: string, { model, statements }: RuleContext): Finding[] {
  const former = model.functions.get(name);
  if (former === undefined || !former.isReleased) return [];
  const created = statements.flatMap(({ node }) =>
    "CreateFunctionStmt" in node && lastName(node.CreateFunctionStmt.funcname) === name
      ? [node.CreateFunctionStmt]
      : [],
  );
  const [next] = created;
  if (next === undefined)
    return [breaks(`Calls of ${name}() fail: the function is dropped.`, `${CONTRACT_LATER}.`, name)];
  return compareSignatures(name, former.signature, signatureOf(next.parameters, next.returnType));
}

function compareSignatures(name: string, former: Signature, next: Signature): Finding[] {
  const inputs = former.inputs.flatMap((parameter) => compareParameter(name, parameter, next.inputs));
  const required = next.inputs.filter(
    ({ name: added, hasDefault }) => !hasDefault && former.inputs.every((parameter) => parameter.name !== added),
  );
  const columns = former.outputs.filter(
    ({ name: column, type }) => !next.outputs.some((other) => other.name === column && other.type === type),
  );
  return [
    ...inputs,
    ...required.map((parameter) =>
      breaks(`Calls of ${name}() fail: the parameter ${parameter.name} is new and required.`, "Give it a default."),
    ),
    ...columns.map((column) =>
      breaks(`The result of ${name}() lacks the column ${column.name}.`, `${ADD_INSTEAD}.`, column.name),
    ),
    ...(former.returns === next.returns ? [] : [breaks(`${name}() returns another type.`, `${ADD_INSTEAD}.`)]),
  ];
}

function compareParameter(name: string, former: Parameter, parameters: readonly Parameter[]): Finding[] {
  const next = parameters.find((parameter) => parameter.name === former.name);
  if (next === undefined)
    return [
      breaks(`Calls of ${name}() fail: its parameter ${former.name} is gone.`, `${CONTRACT_LATER}.`, former.name),
    ];
  if (next.type !== former.type)
    return [breaks(`The parameter ${former.name} of ${name}() has another type.`, `${ADD_INSTEAD}.`)];
  if (former.hasDefault && !next.hasDefault)
    return [breaks(`Calls of ${name}() without ${former.name} fail: it has no default any more.`, "Keep the default.")];
  return [];
}

/** PostgREST and `call_restricted` find a function by its name, so a second one of the name makes calls ambiguous. */
export function checkCreatedFunction(
  { funcname, parameters, returnType }: CreateFunctionStmt,
  { model }: RuleContext,
): Finding[] {
  const name = lastName(funcname);
  const existing = model.functions.get(name);
  if (existing === undefined) return [];
  const typesOf = ({ inputs }: Signature) => inputs.map(({ type }) => type).join();
  if (typesOf(existing.signature) === typesOf(signatureOf(parameters, returnType))) return [];
  return [
    breaks(
      `There are two functions ${name}(), so calls by name are ambiguous.`,
      `Drop the former one in the same file and give each new parameter a default, or choose another name.`,
    ),
  ];
}
