// The registry of senders: the endpoints and the secrets in the settings come from this list.

import type { z } from "@hono/zod-openapi";
import { cdevents } from "./cdevents.ts";
import { github } from "./github.ts";
import { plain } from "./plain.ts";
import type { ChangeSender } from "./sender.ts";

export const CHANGE_SENDERS = [plain, cdevents, github] as const;

type RegisteredSender = (typeof CHANGE_SENDERS)[number];

type SettingOf<Each> = Each extends {
  readonly signature: { readonly secretSetting: infer Setting extends string } | null;
}
  ? Setting
  : never;
/** Settings that hold the secret of a sender's signature. */
export type ChangeSecretSetting = SettingOf<RegisteredSender>;

/** A registered sender with any payload. */
export type AnyChangeSender = ChangeSender<string, string, z.ZodType, ChangeSecretSetting>;
