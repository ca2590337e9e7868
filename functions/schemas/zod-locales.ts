// Stands in for zod's list of 50 languages in the bundle (wrangler.toml): the messages of a schema are in English.

export { default as en } from "zod/v4/locales/en.js";
