import { expect, it } from "vitest";
import { originAllowed } from "../../../functions/routes/middleware/cross-origin.ts";

const config = { CORS_ORIGINS: ["https://grafana.example.com", "http://localhost:5173"] };

it.each([undefined, "https://grafana.example.com", "http://localhost:5173"])("lets %s in", (origin) => {
  expect(originAllowed(origin, config)).toBe(true);
});

it.each([
  "",
  "null",
  "*",
  "http://grafana.example.com",
  "https://grafana.example.com:8443",
  "https://grafana.example.com.evil.example",
  "https://evil.example",
  "http://localhost",
])("refuses %j", (origin) => {
  expect(originAllowed(origin, config)).toBe(false);
  expect(originAllowed(origin, { CORS_ORIGINS: [] })).toBe(false);
});

it("lets a request without an origin in where none is configured", () => {
  expect(originAllowed(undefined, { CORS_ORIGINS: [] })).toBe(true);
});
