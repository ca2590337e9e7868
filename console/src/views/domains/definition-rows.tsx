// Rows of a domain's definition as people type them.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { type Definition, type Hint, matchText, parseList, parseMatch, WEIGHTS } from "./domain.ts";

type Weight = Hint["weight"];
interface LabelRow {
  readonly match: string;
  readonly weight: Weight;
}
interface HintRow {
  readonly words: string;
  readonly pattern: string;
  readonly weight: Weight;
}
interface TypeRow {
  readonly name: string;
  readonly hints: readonly HintRow[];
}
interface LookRow {
  readonly text: string;
  readonly command: string;
}

export interface Form {
  readonly description: string;
  readonly labels: readonly LabelRow[];
  readonly hints: readonly HintRow[];
  readonly types: readonly TypeRow[];
  readonly looks: readonly LookRow[];
  readonly excluded: string;
  readonly targets: string;
  readonly onlyWhenDecided: boolean;
}

export function formOf(definition: Definition): Form {
  return {
    description: definition.description,
    labels: definition.labels.map(({ match, weight }) => ({ match: matchText(match), weight })),
    hints: definition.hints.map(hintRow),
    types: definition.incident_types.map(({ name, hints }) => ({ name, hints: hints.map(hintRow) })),
    looks: definition.first_looks.map(({ text, command }) => ({ text, command: command ?? "" })),
    excluded: definition.excluded_words.join(", "),
    targets: definition.target_labels.join(", "),
    onlyWhenDecided: definition.only_when_decided,
  };
}

/** Empty rows are left out. */
export function definitionOf(form: Form): Definition {
  return {
    description: form.description.trim(),
    labels: form.labels
      .filter(({ match }) => match.trim() !== "")
      .map(({ match, weight }) => ({ match: parseMatch(match), weight })),
    hints: hintsOf(form.hints),
    excluded_words: parseList(form.excluded),
    only_when_decided: form.onlyWhenDecided,
    target_labels: parseList(form.targets),
    incident_types: form.types
      .filter(({ name, hints }) => name.trim() !== "" || hintsOf(hints).length > 0)
      .map(({ name, hints }) => ({ name: name.trim(), hints: hintsOf(hints) })),
    first_looks: form.looks
      .filter(({ text, command }) => text.trim() !== "" || command.trim() !== "")
      .map(({ text, command }) => ({ text: text.trim(), command: command.trim() || null })),
  };
}

/** Whether the rows lose nothing: no text would be split, trimmed or left out as empty. */
export function canEditInRows(definition: Definition): boolean {
  return canonical(definitionOf(formOf(definition))) === canonical(definition);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function hintRow({ words = [], pattern = "", weight }: Hint): HintRow {
  return { words: words.join(", "), pattern, weight };
}

function hintsOf(rows: readonly HintRow[]): Hint[] {
  return rows
    .filter(({ words, pattern }) => words.trim() !== "" || pattern.trim() !== "")
    .map(({ words, pattern, weight }) => ({
      ...(words.trim() === "" ? {} : { words: parseList(words) }),
      ...(pattern.trim() === "" ? {} : { pattern: pattern.trim() }),
      weight,
    }));
}

interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly onChange: (rows: readonly Row[]) => void;
}

interface ListProps<Row> extends RowsProps<Row> {
  /** What a row is, such as `label rule`. */
  readonly name: string;
  readonly empty: Row;
  readonly children: (row: Row, change: (part: Partial<Row>) => void) => ComponentChildren;
}

function Rows<Row>({ rows, onChange, name, empty, children }: ListProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    onChange(rows.filter((_, i) => i !== index));
    // The focus would be lost with the row.
    frame.current?.querySelector<HTMLButtonElement>(":scope > button")?.focus();
  };
  return (
    <div class="stack domains-rows" ref={frame}>
      {rows.map((row, index) => (
        <fieldset key={index} class="card domains-row" aria-label={`${name} ${index + 1}`}>
          {children(row, (part) => onChange(rows.map((each, i) => (i === index ? { ...each, ...part } : each))))}
          <Button size="small" aria-label={`Remove ${name} ${index + 1}`} onClick={() => remove(index)}>
            Remove
          </Button>
        </fieldset>
      ))}
      <Button size="small" onClick={() => onChange([...rows, empty])}>
        Add a {name}
      </Button>
    </div>
  );
}

interface TextRowsProps<Row> extends Omit<ListProps<Row>, "children"> {
  /** Label and placeholder of each text. */
  readonly texts: Readonly<Record<string, readonly [label: string, placeholder: string]>>;
}

function TextRows<Row extends { readonly weight?: Weight }>({ texts, ...props }: TextRowsProps<Row>) {
  return (
    <Rows {...props}>
      {(row, change) => (
        <>
          {Object.entries(texts).map(([name, [label, placeholder]]) => (
            <TextField
              key={name}
              label={label}
              value={String(row[name as keyof Row])}
              placeholder={placeholder}
              set={(text) => change({ [name]: text } as Partial<Row>)}
            />
          ))}
          {row.weight !== undefined && (
            <WeightSelect weight={row.weight} onChange={(weight) => change({ weight } as Partial<Row>)} />
          )}
        </>
      )}
    </Rows>
  );
}

export function LabelRows(props: RowsProps<LabelRow>) {
  const texts = { match: ["Labels", "team=payments"] } as const;
  return <TextRows {...props} name="label rule" empty={{ match: "", weight: 3 }} texts={texts} />;
}

export function HintRows(props: RowsProps<HintRow>) {
  const texts = { words: ["Words", "card processor"], pattern: ["Pattern", "optional regular expression"] } as const;
  return <TextRows {...props} name="group of words" empty={{ words: "", pattern: "", weight: 3 }} texts={texts} />;
}

export function LookRows(props: RowsProps<LookRow>) {
  const texts = {
    text: ["Step", "See the latest deployments."],
    command: ["Command", "optional, only reads"],
  } as const;
  return (
    <TextRows<LookRow & { weight?: never }>
      {...props}
      name="first look"
      empty={{ text: "", command: "" }}
      texts={texts}
    />
  );
}

export function TypeRows(props: RowsProps<TypeRow>) {
  return (
    <Rows {...props} name="type" empty={{ name: "", hints: [{ words: "", pattern: "", weight: 3 }] }}>
      {({ name, hints }, change) => (
        <div class="stack">
          <TextField label="Name" value={name} placeholder="processor_declines" set={(name) => change({ name })} />
          <HintRows rows={hints} onChange={(rows) => change({ hints: rows })} />
        </div>
      )}
    </Rows>
  );
}

function WeightSelect({ weight, onChange }: Readonly<{ weight: Weight; onChange: (weight: Weight) => void }>) {
  // Keys that are numbers would be sorted: 1 before 3.
  const names = ([3, 2, 1] as const).map((each) => [`weight ${each}`, WEIGHTS[each]]);
  return (
    <SelectField
      label="Weight"
      value={`weight ${weight}`}
      names={Object.fromEntries(names)}
      set={(name) => onChange(Number(name.at(-1)) as Weight)}
    />
  );
}
