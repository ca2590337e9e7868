// Regions, and the round trip from each to that of the stores.

export interface Region {
  readonly name: string;
  /** Milliseconds to the stores and back. */
  readonly roundTripMs: number;
}

/**
 * Round trips to N. Virginia, where the stores are assumed to be. Averages between AWS regions, measured in 2017:
 * https://acomputerscientistlearnsaws.blogspot.com/2017/04/aws-regions.html. Some routes are shorter today. The first one
 * is an assumption: a Worker is not in the data centre of the stores.
 */
export const REGIONS: readonly Region[] = [
  { name: "us-east-1", roundTripMs: 5 },
  { name: "us-west-1", roundTripMs: 73 },
  { name: "us-west-2", roundTripMs: 87 },
  { name: "eu-west-1", roundTripMs: 81 },
  { name: "eu-central-1", roundTripMs: 89 },
  { name: "ap-northeast-1", roundTripMs: 145 },
  { name: "ap-northeast-2", roundTripMs: 178 },
  { name: "ap-southeast-1", roundTripMs: 217 },
  { name: "ap-southeast-2", roundTripMs: 230 },
  { name: "sa-east-1", roundTripMs: 120 },
];
