import { expect, it } from "vitest";
import { readPostgresAddress } from "../../../functions/adapters/evidence/postgres-connection/address.ts";

const DB = { host: "db.example.com", port: 5432, database: "shop", user: "reader", password: "a:b@c", encrypted: true };

it.each([
  ["postgres://db.example.com/shop", "reader:a:b@c", DB],
  ["postgresql://reader@db.example.com:5432/shop?sslmode=verify-full", "a:b@c", DB],
  ["postgres://reader@db.example.com/shop", "reader:a:b@c", DB],
  ["postgres://unused", "postgres://reader:a%3Ab%40c@db.example.com/shop", DB],
  ["postgres://db.example.com/shop?sslmode=disable", "reader:a:b@c", { ...DB, encrypted: false }],
  ["postgres://db.example.com", "reader:a:b@c", { ...DB, database: "postgres" }],
  ["postgres://[::1]:6432/shop", "reader:a:b@c", { ...DB, host: "::1", port: 6432, encrypted: false }],
  ["postgres://reader@localhost/shop", null, { ...DB, host: "localhost", password: "", encrypted: false }],
])("%s with %j", (url, credential, address) => {
  expect(readPostgresAddress(url, credential)).toEqual(address);
});

it.each([
  ["https://db.example.com", "reader:secret", /is not postgres:\/\//],
  ["postgres://", "reader:secret", /is not postgres:\/\//],
  ["postgres://db.example.com/shop", "secret", /names no user/],
  ["postgres://db.example.com/shop", null, /names no user/],
  ["postgres://db.example.com/shop?sslmode=prefer", "reader:secret", /another sslmode/],
])("%s with %j is refused", (url, credential, message) => {
  expect(() => readPostgresAddress(url, credential)).toThrow(message);
});
