// Zod types of settings that the configuration and the providers of models share.

import { z } from "zod";

export const httpUrl = z.url({ protocol: /^https?$/, error: "must be a URL that begins with http:// or https://" });
export const optionalText = z.string().trim().optional();
