import { describe, expect, it } from "vitest";
import { heldSentences } from "../../../../functions/investigation/learning/write-postmortem.ts";

const FACTS = [
  "The alert `ContainerKilled` fired on api-gateway and cart from 2026-03-01 02:58 to 03:40 UTC.",
  "Likely causes: Runtime heap larger than the container limit. [2]",
  "The fix did not hold: the failure came back on 2026-03-01 09:00 UTC.",
];
const keep = (text: string, citations: string[]) => heldSentences([{ citations, text }], FACTS);

describe("heldSentences", () => {
  it.each([
    ["From 02:58 to 03:40 UTC, the alert ContainerKilled fired on cart and api-gateway.", ["F1"]],
    ['The likely cause: "runtime heap larger than the container limit".', ["[F2]"]],
    ["The fix did not hold; the failure came back on 2026-03-01 at 09:00.", ["f3"]],
    ["The alert fired on cart, and the likely cause was a heap larger than the limit.", ["F1", "F2"]],
  ])("keeps %j", (text, citations) => {
    expect(keep(text, citations)).toEqual([text]);
  });

  it.each([
    ["another time", "The alert fired from 02:58 to 03:41 UTC.", ["F1"]],
    ["another name", "The alert fired on checkout.", ["F1"]],
    ["a product that no fact names", "The likely cause is a redis container.", ["F2"]],
    ["words of a fact that it does not cite", "The alert fired on cart.", ["F2"]],
    ["a fact that does not exist", "The alert fired on cart.", ["F1", "F4"]],
    ["no fact", "The alert fired on cart.", []],
    ["a name that is none of a fact", "The alert fired on cart.", ["summary"]],
    ["a quotation in other order", 'The alert fired on "cart and api-gateway".', ["F1"]],
    ["a likely cause as a certain one", "The runtime heap was larger than the container limit.", ["F2"]],
    ["the opposite of a fact", "The fix did hold: the failure came back.", ["F3"]],
    ["a denial that no fact has", "The alert fired not on cart.", ["F1"]],
    ["a word that is too long to compare", `The alert fired on cart ${"x".repeat(70)}.`, ["F1"]],
    ["no word", "…", ["F1"]],
  ])("drops %s", (_, text, citations) => {
    expect(keep(text, citations)).toEqual([]);
  });
});
