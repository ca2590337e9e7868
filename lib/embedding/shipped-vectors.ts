// The word vectors that ship.

import { wordTable } from "#word-table";
import { openWordVectors, type WordVectors } from "./word-vectors.ts";

export const wordVectors: WordVectors = openWordVectors(wordTable);
