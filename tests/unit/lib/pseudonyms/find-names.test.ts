import { describe, expect, it } from "vitest";
import { findNames } from "../../../../lib/pseudonyms/find-names.ts";

const namesIn = (text: string) => Object.fromEntries(findNames([text]));

describe("the names in a text", () => {
  it.each<[string, Record<string, string>]>([
    ['pod="shopfront/checkout-7d9"', { shopfront: "namespace", "checkout-7d9": "pod" }],
    ['service="shopfront/ledgerapi"', { shopfront: "namespace", ledgerapi: "service" }],
    ['user="alisonk@ledger-db-01:5432"', { alisonk: "user", "ledger-db-01": "host" }],
    [
      "host=ledger-db-01.eu.acmeshop.co.uk",
      {
        "ledger-db-01.eu.acmeshop.co.uk": "host",
        "ledger-db-01": "host",
        "acmeshop.co.uk": "host",
      },
    ],
    [
      "host=ledger-db-01.eu.acmeshop.com",
      {
        "ledger-db-01.eu.acmeshop.com": "host",
        "ledger-db-01": "host",
        "acmeshop.com": "host",
      },
    ],
    ["dial 10.244.3.17:5432", { "10.244.3.17": "address" }],
    ["dial [fd00:40::17]:5432", { "fd00:40::17": "address" }],
  ])("of %s", (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    'reason="out-of-memory"',
    "http://169.254.169.254/latest/meta-data",
    "service: down for an hour",
    "application:set_env(kernel)",
    'host="localhost"',
    "version 1.24.0.3",
  ])("are none in %s", (text) => {
    expect(namesIn(text)).toEqual({});
  });
});
