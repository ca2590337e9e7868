// The registry of senders: the endpoints come from this list.

import { cdevents } from "./cdevents.ts";
import { github } from "./github.ts";
import { plain } from "./plain.ts";

export const CHANGE_SENDERS = [plain, cdevents, github] as const;
