// Published prices in US dollars, as of November 2026. The pages are those of the vendors; change a figure here and run
// `npm run bench -- costs`.

export interface Prices {
  readonly workers: {
    readonly base: number;
    readonly includedRequests: number;
    readonly perMillionRequests: number;
    readonly includedCpuMs: number;
    readonly perMillionCpuMs: number;
  };
  /** A message costs three operations: write, read, delete. */
  readonly queues: { readonly includedOperations: number; readonly perMillionOperations: number };
  readonly supabase: {
    readonly base: number;
    readonly includedGb: number;
    readonly perGb: number;
    readonly includedEgressGb: number;
    readonly perEgressGb: number;
  };
  readonly chroma: {
    readonly perGibWritten: number;
    readonly perGibStored: number;
    readonly perTibScanned: number;
    readonly perGibReturned: number;
  };
}

export const PRICES: Prices = {
  // developers.cloudflare.com/workers/platform/pricing
  workers: {
    base: 5,
    includedRequests: 10_000_000,
    perMillionRequests: 0.3,
    includedCpuMs: 30_000_000,
    perMillionCpuMs: 0.02,
  },
  // developers.cloudflare.com/queues/platform/pricing; not compared with the page again in November 2026
  queues: { includedOperations: 1_000_000, perMillionOperations: 0.4 },
  // developers.cloudflare.com/workers-ai/platform/pricing: @cf/baai/bge-base-en-v1.5, without the free allocation
  // supabase.com/pricing: Pro, with the Micro compute that its credit covers
  supabase: { base: 25, includedGb: 8, perGb: 0.125, includedEgressGb: 250, perEgressGb: 0.09 },
  // docs.trychroma.com/cloud/pricing
  chroma: { perGibWritten: 2.5, perGibStored: 0.33, perTibScanned: 0.0075, perGibReturned: 0.09 },
};
