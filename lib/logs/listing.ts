// Rows of listings: one object a row, with its state in columns.

export interface ListedRow {
  /** The first two columns: namespace and name, or name. */
  readonly names: readonly string[];
  readonly isBad: boolean;
  readonly isGood: boolean;
  /** Whether it counts failures, or says that work has ended. */
  readonly isCounted: boolean;
}

const BAD_STATE =
  /^(?:.*(?:Error|BackOff|Err[A-Z]|OOM|Failed|Failure|NotReady|Lost|Unhealthy|Invalid|Degraded|OutOfSync|Missing|SchedulingDisabled|[Dd]own$|nodedown).*|Evicted|Pending|Unknown|Terminating|Released|ContainerCreating|PodInitializing|Init:\d+\/\d+|Exited|Dead|failed|error|down|stopped|inactive|offline|unhealthy|DOWN|FAILED|ERROR|False|pending-\w+|degraded|UNAVAIL)[,;]?$/;
const GOOD_STATE =
  /^(?:Running|Ready|Bound|Active|Healthy|Synced|Available|running|deployed|healthy|ONLINE|online|True|up|UP|Up|active)$/;
const DONE = /^(?:Completed|Succeeded|Complete)$/;
const FRACTION = /^(\d{1,6})\/(\d{1,6})$/;
/** Columns whose value should be 0. */
const COUNTS = /^(?:LAG|ERRORS?|ERR|FAILED|FAILURES|DROPPED|BACKLOG|UNAVAILABLE|UNHEALTHY)$/;
/** A lag is normal below this value. */
const NORMAL_COUNT = 100;
const FULL = /^(?:9[5-9]|100)%$/;

const MAX_COLUMNS = 14;
const MAX_ROW_LENGTH = 1_000;

/** Whether a line names the columns of a listing: capitals only, in three or more columns. */
export function isListingHeader(line: string): boolean {
  return /^[A-Z%][^a-z:=]*$/.test(line) && line.split(/ {2,}|\t+/, 4).length >= 3;
}

/** A row of a listing without header: a name, "1/2", a state and a count. */
const BARE_ROW = /^(?:[\w.-]{1,253} +){1,2}\d{1,4}\/\d{1,4} +\S{1,60} +\d/;

export function isBareRow(line: string): boolean {
  return BARE_ROW.test(line);
}

/** Whether a cell of a row is a message. Such a row counts by its words. */
export function holdsSentence(line: string): boolean {
  return /(?:^|(?<! ) {2,}|\t)[A-Za-z][\w"'.:/-]*(?: [\w"'.:/()-]+){3}/.test(line.slice(0, MAX_ROW_LENGTH));
}

/** @param header the columns' names, if the listing has a header */
export function readRow(line: string, header: readonly string[]): ListedRow {
  const columns = line.slice(0, MAX_ROW_LENGTH).trim().split(/\s+/, MAX_COLUMNS);
  const names = columns.slice(0, 2).map((name) => name.replace(/^.*\//, ""));
  const rest = columns.slice(1);
  const fraction = rest.map((column) => FRACTION.exec(column)).find((match) => match !== null);
  const isDone = rest.some((column) => DONE.test(column));
  const isShort = fraction !== undefined && Number(fraction[1]) < Number(fraction[2]);
  const isCountable = columns.length === header.length && header.some((name) => COUNTS.test(name));
  const isOverCount = isCountable && columns.some((value, i) => isBadCount(header[i] ?? "", value));
  const isBad =
    (!isDone && (isShort || rest.some((column) => BAD_STATE.test(column)))) || isOverCount || rest.some(isFull);
  return {
    names,
    isBad,
    isCounted: isCountable || isDone,
    isGood: !isBad && (isCountable || fraction !== undefined || rest.some((column) => GOOD_STATE.test(column))),
  };
}

function isFull(column: string): boolean {
  return FULL.test(column);
}

function isBadCount(name: string, value: string): boolean {
  if (!COUNTS.test(name) || !/^\d{1,15}$/.test(value)) return false;
  return Number(value) >= (name === "LAG" || name === "BACKLOG" ? NORMAL_COUNT : 1);
}

/** Whether a listing is one of the machines that carry the target. Their rows count, though they name other objects. */
export function listsMachines(header: readonly string[]): boolean {
  return header.includes("ROLES");
}

/** A line that only separates rows of a table: "---+---". */
export function isTableRule(line: string): boolean {
  return /^[+|├┼┤┌┬┐└┴┘─═╞╪╡-][-+|├┼┤┌┬┐└┴┘─═╞╪╡ ]{4,}$/.test(line);
}

/** Whether a name of the row is the target's: the target itself, or an object that the target created. */
export function isSameObject(name: string, target: string): boolean {
  if (name === target) return true;
  const [short, long] = name.length < target.length ? [name, target] : [target, name];
  return short.length >= 3 && long.startsWith(short) && /[-./:]/.test(long.charAt(short.length));
}
