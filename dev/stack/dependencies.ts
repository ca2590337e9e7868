/** Which part needs which. */
import { PART_NAMES, type PartName } from "./stack.ts";

const NEEDS: Record<PartName, readonly PartName[]> = {
  postgres: [],
  postgrest: ["postgres"],
  gateway: ["postgrest"],
  chroma: [],
  embeddings: [],
  collector: [],
  worker: ["gateway", "chroma", "embeddings"],
};

/**
 * The wanted parts and all they depend on, in the order of a start.
 * @param without parts that run elsewhere
 */
export function withDependencies(wanted: readonly PartName[], without: readonly PartName[] = []): PartName[] {
  const needed = new Set<PartName>();
  const need = (name: PartName): void => {
    if (without.includes(name)) return;
    needed.add(name);
    for (const other of NEEDS[name]) need(other);
  };
  for (const name of wanted) need(name);
  return PART_NAMES.filter((name) => needed.has(name));
}
