// What the codes of error lines mean: exit codes, signals, errno, statuses of HTTP and gRPC, SQLSTATE, and names of one word.
// codes.json is the one table for every use of a code. Signals have the numbers of Linux on x86 and Arm; the place of a gRPC status
// is its number.

import codes from "./codes.json" with { type: "json" };

interface NamedCode {
  readonly name: string;
  readonly meaning: string;
}
type Meanings = Readonly<Record<string, string>>;

const SIGNALS: Readonly<Record<string, NamedCode>> = codes.signals;
const EXIT_CODES: Meanings = codes.exit_codes;
const ERRNO: Meanings = codes.errno;
const HTTP: Meanings = codes.http;
const GRPC: readonly NamedCode[] = codes.grpc;
const SQL_STATES: Meanings = codes.sql_states;
const NAMES: Meanings = codes.names;

export const ERRNO_NAMES: readonly string[] = Object.keys(ERRNO);

const PREFIX = { exit: "exit ", status: "status ", sqlState: "sqlstate ", grpc: "grpc " } as const;

export function exitCode(number: string): string {
  return PREFIX.exit + number;
}

export function statusCode(number: string): string {
  return PREFIX.status + number;
}

export function sqlStateCode(state: string): string {
  return PREFIX.sqlState + state.toUpperCase();
}

/** @param code a number, or a name in any style: `14`, `Unavailable`, `DEADLINE_EXCEEDED`; null for another word */
export function grpcCode(code: string): string | null {
  const plain = code.replaceAll("_", "").toLowerCase();
  const entry = GRPC[Number(code)] ?? GRPC.find(({ name }) => name.toLowerCase() === plain);
  return entry === undefined || entry.name === "OK" ? null : PREFIX.grpc + entry.name;
}

/** @param signal a number, or a name with or without SIG: `9`, `KILL`, `killed`; null for another word */
export function signalCode(signal: string): string | null {
  const name = signal.toUpperCase();
  const spoken = name === "KILLED" ? "KILL" : name === "TERMINATED" ? "TERM" : name === "ABORTED" ? "ABRT" : name;
  const entry =
    signalOf(Number(signal)) ??
    Object.values(SIGNALS).find(({ name: each }) => each === spoken || each === `SIG${spoken}`);
  return entry?.name ?? null;
}

/** The signal that ended a process with this exit code; null below 129 and for unnamed signals. */
export function signalOfExit(number: string): string | null {
  return signalOf(Number(number) - 128)?.name ?? null;
}

/** What a code means, in a few words; null for one that says nothing by itself. */
export function meaningOf(code: string): string | null {
  const [kind, value] = [code.slice(0, code.indexOf(" ") + 1), code.slice(code.indexOf(" ") + 1)];
  if (kind === PREFIX.exit) {
    const signal = signalOf(Number(value) - 128);
    return own(EXIT_CODES, value) ?? (signal ? `${signal.name}: ${signal.meaning}` : null);
  }
  if (kind === PREFIX.status) return own(HTTP, value);
  if (kind === PREFIX.sqlState) return own(SQL_STATES, value);
  if (kind === PREFIX.grpc) return GRPC.find(({ name }) => name === value)?.meaning ?? null;
  return (
    own(ERRNO, value) ?? own(NAMES, value) ?? Object.values(SIGNALS).find(({ name }) => name === value)?.meaning ?? null
  );
}

function signalOf(number: number): NamedCode | undefined {
  return SIGNALS[String(number)];
}

function own(table: Meanings, key: string): string | null {
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}
