// Stored text on its way to an agent, which may take what it reads for an order.

import { neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import { displayText } from "../../lib/text/display-text.ts";

/** Without lines that try to instruct a model, and without characters that nobody sees. People see these lines elsewhere. */
export function agentText(text: string): string {
  return displayText(neutraliseInjections(text).text);
}
