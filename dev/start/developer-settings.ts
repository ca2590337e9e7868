// Variables of a developer's environment that the local Worker gets: the settings that the stack does not make itself, and
// the secrets of notification targets and sources of evidence.

import { settingsSchema } from "../../functions/config/settings.ts";
import { CONNECTION_SETTINGS } from "../deploy/settings-file.ts";

const NAMES = Object.keys(settingsSchema.shape).filter((name) => !CONNECTION_SETTINGS.includes(name));

export function developerSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const secrets = Object.keys(environment).filter((name) => /^(?:NOTIFY|EVIDENCE)_/.test(name));
  return Object.fromEntries(
    [...NAMES, ...secrets].flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}
