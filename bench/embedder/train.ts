// Learns a table of word vectors by contrast: the two texts of a pair shall be nearer to each other than to all other texts
// of the batch (InfoNCE in both directions: van den Oord et al. 2018, "Representation Learning with Contrastive Predictive
// Coding"), by Adam (Kingma and Ba 2015) on the rows that a batch has.

import { timesTransposed, transpose } from "./matrix.ts";
import type { Pair } from "./pairs.ts";
import type { Random } from "./random.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface Settings {
  readonly dimensions: number;
  /** Pairs in a batch, a multiple of four. */
  readonly batch: number;
  /** Divides the cosines. */
  readonly temperature: number;
  readonly learningRate: number;
  /** Share of the words of a text that are left out, so that no pair depends on one word. */
  readonly dropout: number;
}

/** Share of the known words that count as the sum of their parts, so that unknown words mean something, too. */
const PART_SHARE = 0.05;
/** Words of fewer texts count as their parts more often. */
const RARE = 60;
const RARE_PART_SHARE = 0.3;
const [BETA_1, BETA_2, EPSILON] = [0.9, 0.999, 1e-8];

/** What training changes, and what it needs to go on. */
export interface Model {
  /** Rows of `dimensions` values: those of the words, then those of the parts. */
  readonly table: Float32Array;
  /** Running means of each gradient and of its square. */
  readonly means: Float32Array;
  readonly squares: Float32Array;
  steps: number;
}

/** Rows in random directions, longer for rarer words: the length of a row is the weight of its word. */
export function createModel(vocabulary: Vocabulary, { dimensions }: Settings, random: Random): Model {
  const { hashes, buckets, counts, texts } = vocabulary;
  const rows = hashes.length + buckets;
  const size = rows * dimensions;
  const table = new Float32Array(size);
  for (let row = 0; row < rows; row++) {
    const length = (FIRST_LENGTH * Math.log(texts / (1 + (counts[row] ?? COUNT_OF_PARTS)))) / Math.sqrt(dimensions);
    for (let i = row * dimensions; i < (row + 1) * dimensions; i++) table[i] = length * random.normal();
  }
  return { table, means: new Float32Array(size), squares: new Float32Array(size), steps: 0 };
}

const FIRST_LENGTH = 0.1;
const COUNT_OF_PARTS = 100;

/** Texts of a batch: their vectors, and of which rows they are the sum. */
interface Side {
  /** Of length 1, one text after another. */
  readonly vectors: Float32Array;
  /** Of the sums before they were normalised. */
  readonly lengths: Float32Array;
  readonly gradients: Float32Array;
  readonly rows: number[][];
  readonly weights: number[][];
}

/** Makes a step of training from a batch of pairs. @param rate share of the learning rate, 0 to 1 @returns the loss */
export type TrainStep = (pairs: readonly Pair[], rate: number) => number;

export function createTrainer(model: Model, vocabulary: Vocabulary, settings: Settings, random: Random): TrainStep {
  const { dimensions, batch, temperature, dropout, learningRate } = settings;
  const { table } = model;
  const createSide = (): Side => ({
    vectors: new Float32Array(batch * dimensions),
    lengths: new Float32Array(batch),
    gradients: new Float32Array(batch * dimensions),
    rows: Array.from({ length: batch }, () => []),
    weights: Array.from({ length: batch }, () => []),
  });
  const [queries, texts] = [createSide(), createSide()];
  const [cosines, turnedCosines] = [new Float32Array(batch * batch), new Float32Array(batch * batch)];
  const turned = new Float32Array(batch * dimensions);
  const occurrences = new Uint16Array(vocabulary.rowsOf.length);
  const gradient = new Float32Array(table.length);
  const isTouched = new Uint8Array(table.length / dimensions);
  const touched: number[] = [];

  const rowsOf = (type: number): Uint32Array => {
    const own = vocabulary.rowsOf[type] as Uint32Array;
    const parts = vocabulary.partsOf[type] as Uint32Array;
    if (own.length !== 1 || parts.length === 0) return own;
    const share = (vocabulary.counts[own[0] as number] ?? 0) < RARE ? RARE_PART_SHARE : PART_SHARE;
    return random.next() < share ? parts : own;
  };
  const encode = (side: Side, i: number, words: Uint32Array): void => {
    const rows = side.rows[i] as number[];
    const weights = side.weights[i] as number[];
    rows.length = 0;
    weights.length = 0;
    for (const type of words) {
      if (random.next() < dropout) continue;
      const count = (occurrences[type] ?? 0) + 1;
      occurrences[type] = count;
      const own = rowsOf(type);
      for (const row of own) {
        rows.push(row);
        weights.push(1 / (count * own.length));
      }
    }
    for (const type of words) occurrences[type] = 0;
    const vector = side.vectors.subarray(i * dimensions, (i + 1) * dimensions).fill(0);
    for (let r = 0; r < rows.length; r++)
      addScaled(vector, table, (rows[r] as number) * dimensions, weights[r] as number);
    side.lengths[i] = Math.hypot(...vector) + EPSILON;
    for (let d = 0; d < dimensions; d++) vector[d] = (vector[d] as number) / (side.lengths[i] as number);
  };
  /** Adds the gradients of the vectors to those of the rows, through the normalisation. */
  const collect = (side: Side): void => {
    for (let i = 0; i < batch; i++) {
      const at = i * dimensions;
      const vector = side.vectors.subarray(at, at + dimensions);
      const ofVector = side.gradients.subarray(at, at + dimensions);
      let along = 0;
      for (let d = 0; d < dimensions; d++) along += (ofVector[d] as number) * (vector[d] as number);
      for (let d = 0; d < dimensions; d++)
        ofVector[d] = ((ofVector[d] as number) - along * (vector[d] as number)) / (side.lengths[i] as number);
      const rows = side.rows[i] as number[];
      for (let r = 0; r < rows.length; r++) {
        const row = rows[r] as number;
        if (isTouched[row] === 0) {
          isTouched[row] = 1;
          touched.push(row);
        }
        const ofRow = gradient.subarray(row * dimensions, (row + 1) * dimensions);
        addScaled(ofRow, ofVector, 0, side.weights[i]?.[r] as number);
      }
    }
  };
  const update = (rate: number): void => {
    model.steps += 1;
    const { means, squares, steps } = model;
    const size = (learningRate * rate * Math.sqrt(1 - BETA_2 ** steps)) / (1 - BETA_1 ** steps);
    for (const row of touched) {
      isTouched[row] = 0;
      for (let i = row * dimensions; i < (row + 1) * dimensions; i++) {
        const slope = gradient[i] as number;
        gradient[i] = 0;
        const mean = BETA_1 * (means[i] as number) + (1 - BETA_1) * slope;
        const square = BETA_2 * (squares[i] as number) + (1 - BETA_2) * slope * slope;
        means[i] = mean;
        squares[i] = square;
        table[i] = (table[i] as number) - (size * mean) / (Math.sqrt(square) + EPSILON);
      }
    }
    touched.length = 0;
  };

  return (pairs, rate) => {
    for (const [i, { query, text }] of pairs.entries()) {
      encode(queries, i, query);
      encode(texts, i, text);
    }
    timesTransposed(cosines, queries.vectors, texts.vectors, { rows: batch, columns: batch, depth: dimensions });
    const loss = contrast(cosines, batch, temperature);
    const shape = { rows: batch, columns: dimensions, depth: batch };
    transpose(turned, texts.vectors, batch, dimensions);
    timesTransposed(queries.gradients, cosines, turned, shape);
    transpose(turned, queries.vectors, batch, dimensions);
    transpose(turnedCosines, cosines, batch, batch);
    timesTransposed(texts.gradients, turnedCosines, turned, shape);
    collect(queries);
    collect(texts);
    update(rate);
    return loss;
  };
}

/** `into += weight * from[at…]`. */
function addScaled(into: Float32Array, from: Float32Array, at: number, weight: number): void {
  for (let d = 0; d < into.length; d++) into[d] = (into[d] as number) + weight * (from[at + d] as number);
}

/** Turns the cosines of all queries and texts into the gradient of the loss by each. @returns the mean loss of a pair */
function contrast(cosines: Float32Array, batch: number, temperature: number): number {
  const [rowSums, columnSums] = [new Float64Array(batch), new Float64Array(batch)];
  for (let i = 0; i < batch; i++) {
    for (let j = 0; j < batch; j++) {
      const value = Math.exp(((cosines[i * batch + j] as number) - 1) / temperature);
      cosines[i * batch + j] = value;
      rowSums[i] = (rowSums[i] as number) + value;
      columnSums[j] = (columnSums[j] as number) + value;
    }
  }
  let loss = 0;
  for (let i = 0; i < batch; i++) {
    const own = cosines[i * batch + i] as number;
    loss -= (Math.log(own / (rowSums[i] as number)) + Math.log(own / (columnSums[i] as number))) / (2 * batch);
    for (let j = 0; j < batch; j++) {
      const value = cosines[i * batch + j] as number;
      const share = value / (rowSums[i] as number) + value / (columnSums[j] as number) - (i === j ? 2 : 0);
      cosines[i * batch + j] = share / (2 * batch * temperature);
    }
  }
  return loss;
}
