// Texts that stand where their author has nothing to say yet: "TODO", "n/a", "See also". Pure functions.

const NOTHING =
  /^(?:n\/?a|none|nil|not applicable|nothing(?: yet)?|empty|-{1,3}|–|—|\.{3}|…|\?{1,3}|(?:to be|not yet|will be) (?:written|done|defined|determined|added|documented|filled(?: in)?|completed|announced)(?: (?:later|soon|yet))?|coming soon|work in progress|wip|under construction|placeholder)$/i;
const LATER = /^(?:todo|tbd|tba|tbc|fixme|xxx)\b/i;
/** Leads elsewhere without saying anything. */
const ELSEWHERE =
  /^(?:see also|further reading|related (?:links|alerts|runbooks)|references?|this matches the (?:runbook|note|postmortem))\b/i;
const MARKS = /^[\s*_#"'([{<]{1,8}|[\s*_.!:"')\]}>]{1,8}$/g;

/** Whether a text is no cause, no step and no description. */
export function isPlaceholder(text: string): boolean {
  const words = text.replace(MARKS, "");
  return words === "" || NOTHING.test(words) || LATER.test(words) || ELSEWHERE.test(words);
}
