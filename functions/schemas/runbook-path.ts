// The path of a runbook in its domain.

export const MAX_RUNBOOK_PATH = 200;
/** Letters of any script. No segment is empty or begins with a dot. */
export const RUNBOOK_PATH = /^[\p{L}\p{N}_-][\p{L}\p{N}._ -]*(?:\/[\p{L}\p{N}_-][\p{L}\p{N}._ -]*)*$/u;
export const RUNBOOK_PATH_RULE = "must be a path of letters, digits, dots, spaces, hyphens and underscores";
