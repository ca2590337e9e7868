// The last line of an answer: the page of its incident in the console.

import { incidentLink } from "../../functions/answer-view/console-link.ts";
import type { Service } from "../service/find-service.ts";

export function consoleLine({ url }: Pick<Service, "url">, incidentId: string): string {
  return `console  ${incidentLink(url, incidentId)}`;
}
