// Raw calls of a search: the same requests, sent with plain `fetch`, with responses only parsed as JSON.

import { z } from "zod";
import type { Stack } from "../../dev/stack/stack.ts";
import type { Services } from "../../functions/services.ts";
import { tokenize } from "../../lib/text/tokenize.ts";

export interface RawCalls {
  queryChroma(vector: readonly number[]): Promise<void>;
  getFromChroma(substring: string): Promise<void>;
  searchByKeywords(text: string): Promise<void>;
}

/** @param limit hits of each search @param shown hits of a Chroma get */
export async function createRawCalls(
  { config }: Services,
  stack: Stack,
  { collection, limit, shown }: { readonly collection: string; readonly limit: number; readonly shown: number },
): Promise<RawCalls> {
  const { CHROMA_TENANT, CHROMA_DATABASE } = config;
  const chroma = `${stack.info.urls.chroma}/api/v2/tenants/${CHROMA_TENANT}/databases/${CHROMA_DATABASE}/collections`;
  const { id } = z.object({ id: z.string() }).parse(await readJson(await fetch(`${chroma}/${collection}`)));
  const key = config.SUPABASE_SERVICE_ROLE_KEY;
  return {
    async queryChroma(vector) {
      const include = ["documents", "metadatas", "distances"];
      await post(`${chroma}/${id}/query`, { query_embeddings: [vector], n_results: limit, include });
    },
    async getFromChroma(substring) {
      const include = ["documents", "metadatas"];
      await post(`${chroma}/${id}/get`, { limit: shown, where_document: { $contains: substring }, include });
    },
    async searchByKeywords(text) {
      const body = {
        p_collection: collection,
        p_terms: tokenize(text),
        p_limit: limit,
        p_sibling_sources: 5,
        p_curated_limit: limit,
      };
      const headers = { apikey: key, authorization: `Bearer ${key}` };
      await post(`${config.SUPABASE_URL}/rest/v1/rpc/search_documents`, body, headers);
    },
  };
}

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const init = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  };
  return readJson(await fetch(url, init));
}

export async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${await response.text()}`);
  return response.json();
}
