// Parts of an object's description that describe its settings and not its state.

/** Keys of blocks and lines that never show a failure. */
const SETTINGS: ReadonlySet<string> = new Set(
  [
    "tolerations|annotations|labels|node-selectors|node selectors|nodeselector|selector|matchlabels|match labels|managedfields",
    "ownerreferences|livenessprobe|readinessprobe|startupprobe|liveness|readiness|startup|securitycontext|qos class|qosclass",
    "volumemounts|mounts|volumes|image id|imageid|container id|containerid|controlled by|uid|resourceversion|system info",
    "finalizers|runbook_url|generatorurl|externalurl|sourceurl|dashboard_url|last-applied-configuration|non-terminated pods",
    "capacity|images|healthcheck|logpath|hostconfig|graphdriver|networksettings|restartpolicy|random_key|tool_name",
  ]
    .join("|")
    .split("|"),
);
/** Keys of blocks that repeat commands and settings: their words count less. */
const COMMANDS: ReadonlySet<string> = new Set(
  "args|command|env|environment|environment variables from|query|expr|expression|filter|cmd|spec|entrypoint|path|config".split(
    "|",
  ),
);
/** Keys in a block of settings that hold a sentence about the failure. */
const SENTENCES: ReadonlySet<string> = new Set(["description", "summary", "message"]);

export function isSettingKey(key: string): boolean {
  return SETTINGS.has(key);
}

/** Weight of a failure word in a command or a setting, as a share. */
const COMMAND_SHARE = 0.4;
/** Characters of a line that may be its key. */
const MAX_KEY_LENGTH = 48;

/** Follows the blocks of a description by the indentation of its lines. */
export class SectionTracker {
  #settingsIndent = -1;
  #commandIndent = -1;

  reset(): void {
    this.#settingsIndent = -1;
    this.#commandIndent = -1;
  }

  /** The share of its words' weight that a line keeps: 0 in settings, less in commands, 1 elsewhere. */
  shareOf(text: string, start: number, end: number, indent: number): number {
    const isItem = text.charCodeAt(start) === 45 && text.charCodeAt(start + 1) === 32;
    const continues = (block: number) => block >= 0 && (indent > block || (indent === block && isItem));
    const key = keyOf(text, isItem ? start + 2 : start, end);
    const keyIndent = isItem ? indent + 2 : indent;
    if (continues(this.#settingsIndent)) return key !== undefined && SENTENCES.has(key) ? 1 : 0;
    this.#settingsIndent = -1;
    if (key !== undefined && SETTINGS.has(key)) {
      this.#settingsIndent = keyIndent;
      return 0;
    }
    if (continues(this.#commandIndent)) return COMMAND_SHARE;
    this.#commandIndent = -1;
    if (key !== undefined && COMMANDS.has(key)) {
      this.#commandIndent = keyIndent;
      return COMMAND_SHARE;
    }
    return 1;
  }
}

/** The lower-case key of `Key: value`, `key=value` and `"key": value`; undefined without one. */
function keyOf(text: string, start: number, end: number): string | undefined {
  const from = text.charCodeAt(start) === 34 ? start + 1 : start;
  const limit = Math.min(end, from + MAX_KEY_LENGTH);
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === 58) {
      const next = at + 1 < end ? text.charCodeAt(at + 1) : 32;
      if (next !== 32 && next !== 9 && next !== 34 && next !== 91 && next !== 123) return undefined;
      const isQuoted = text.charCodeAt(at - 1) === 34;
      return text.slice(from, isQuoted ? at - 1 : at).toLowerCase();
    }
    // Sentences have other characters before a colon.
    if (code === 40 || code === 44 || code === 59 || code === 61) return undefined;
  }
  return undefined;
}
