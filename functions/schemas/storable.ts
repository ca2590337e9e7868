// Text that both stores can hold.

import { z } from "zod";

/** Schema of text that can be stored: no NUL (Postgres rejects it), no lone surrogates (UTF-8 cannot encode them). */
export function storable(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\0") && text.isWellFormed(), "must hold no NUL and no lone surrogates");
}
