// Types of a token and of a source of evidence as the API lists them.

import type { Body } from "../../api/body.ts";

export type TokenPage = Body<"getAdminTokens">;
export type Token = TokenPage["tokens"][number];
export type SourceList = Body<"getSources">;
export type Source = SourceList["sources"][number];
