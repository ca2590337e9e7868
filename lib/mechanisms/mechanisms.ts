// The failure mechanisms, from the machine to the services of others.

import { DELIVERY_MECHANISMS } from "./delivery-mechanisms.ts";
import { LOAD_MECHANISMS } from "./load-mechanisms.ts";
import { MACHINE_MECHANISMS } from "./machine-mechanisms.ts";
import type { Mechanism } from "./mechanism.ts";
import { NETWORK_MECHANISMS } from "./network-mechanisms.ts";
import { OPERATIONS_MECHANISMS } from "./operations-mechanisms.ts";

/** Technologies have no words of their own here: error codes and wording that unlike software prints. */
export const MECHANISMS: readonly Mechanism[] = [
  ...MACHINE_MECHANISMS,
  ...NETWORK_MECHANISMS,
  ...LOAD_MECHANISMS,
  ...DELIVERY_MECHANISMS,
  ...OPERATIONS_MECHANISMS,
];
