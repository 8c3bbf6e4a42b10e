// Turns outputs of a model into results: a pooled vector, sparse weights, or a score.
import type { Embedding, NliProbabilities } from '../../../domain/inference/port.ts';
import { SPARSE_ENTRIES_MAX } from '../../../domain/limits.ts';
import { ProviderError } from '../../provider-errors.ts';
import type { Pooling } from './manifest.ts';
import type { NliLabel } from './nli-labels.ts';

/** Output tensor of a model, in row-major order. */
export interface Output {
  readonly data: Float32Array;
  /** [texts, numbers] or [texts, tokens, numbers]. */
  readonly dims: readonly number[];
}

/** One text's part of an output: `length` tokens without padding, of `width` numbers each, from `start` on. */
interface Rows {
  readonly data: Float32Array;
  readonly start: number;
  readonly length: number;
  readonly width: number;
}

/** @param lengths tokens of each text, without padding */
export function poolDense(
  output: Output,
  lengths: readonly number[],
  pooling: Pooling,
): readonly Float32Array[] {
  const expected = pooling === 'none' ? 2 : 3;
  refuseDims(output, expected);
  return lengths.map((length, text) => {
    const rows = rowsOf(output, text, length);
    if (pooling === 'mean') return mean(rows);
    const row = pooling === 'last' ? length - 1 : 0;
    return rows.data.slice(rows.start + row * rows.width, rows.start + (row + 1) * rows.width);
  });
}

function mean({ data, start, length, width }: Rows): Float32Array {
  const sums = new Float64Array(width);
  for (let row = 0; row < length; row++) {
    for (let column = 0; column < width; column++) {
      sums[column] = (sums[column] ?? 0) + (data[start + row * width + column] ?? 0);
    }
  }
  return Float32Array.from(sums, (sum) => sum / length);
}

/**
 * SPLADE: for each word of the vocabulary, the largest log(1 + relu) over the tokens (Formal et al., 2021). Keeps the
 * largest weights, as many as a record may have.
 * @throws ProviderError for outputs that are not numbers, or infinite weights
 */
export function poolSparse(output: Output, lengths: readonly number[]): readonly Embedding[] {
  refuseDims(output, 3);
  return lengths.map((length, text) => {
    const { data, start, width } = rowsOf(output, text, length);
    const largest = new Float32Array(width);
    for (let at = 0; at < length * width; at++) {
      const column = at % width;
      const value = data[start + at] ?? 0;
      // Also false for NaN, which no comparison below would notice. A word that is masked may have -Infinity.
      if (!(value < Number.POSITIVE_INFINITY))
        throw new ProviderError('broken', 'a weight of the model is not a number');
      if (value > (largest[column] ?? 0)) largest[column] = value;
    }
    const kept = heaviest(largest);
    return {
      vectorType: 'sparse',
      indices: kept,
      values: Float32Array.from(kept, (index) => Math.log1p(largest[index] ?? 0)),
    };
  });
}

/** Indices in ascending order. */
function heaviest(weights: Float32Array): Uint32Array {
  const present = Uint32Array.from([...weights.keys()].filter((index) => (weights[index] ?? 0) > 0));
  if (present.length <= SPARSE_ENTRIES_MAX) return present;
  return present
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
    .slice(0, SPARSE_ENTRIES_MAX)
    .sort();
}

/**
 * One logit is the log-odds of relevance. Of several, one is named, as entailment is in models of natural language
 * inference, and its share of the probability counts; of two without names, the second stands for relevant.
 * @param relevant position of that one; null if it is not known
 */
export function poolScores(output: Output, relevant: number | null = null): readonly number[] {
  refuseDims(output, 2);
  const [texts = 0, width = 0] = output.dims;
  const at = width === 1 ? 0 : (relevant ?? (width === 2 ? 1 : null));
  if (width === 0 || at === null || at >= width) {
    throw new ProviderError(
      'broken',
      `the model returns ${width} numbers for a pair; name the one that means relevant as relevant_output, or with a label 'entailment' in config.json`,
    );
  }
  return Array.from({ length: texts }, (_, text) => {
    const logits = output.data.subarray(text * width, (text + 1) * width);
    const score = width === 1 ? 1 / (1 + Math.exp(-(logits[0] ?? 0))) : shareOf(logits, at);
    if (!logits.every(Number.isFinite)) {
      throw new ProviderError('broken', 'a score of the model is not a number');
    }
    return score;
  });
}

/** @param labels what each output means, in their order */
export function poolJudgements(output: Output, labels: readonly NliLabel[]): readonly NliProbabilities[] {
  refuseDims(output, 2);
  const [texts = 0, width = 0] = output.dims;
  if (width !== labels.length) {
    throw new ProviderError(
      'broken',
      `the model returns ${width} numbers for a pair; ${labels.length} are named`,
    );
  }
  return Array.from({ length: texts }, (_, text) => {
    const logits = output.data.subarray(text * width, (text + 1) * width);
    if (!logits.every(Number.isFinite))
      throw new ProviderError('broken', 'a score of the model is not a number');
    const share = (label: NliLabel) => (labels.includes(label) ? shareOf(logits, labels.indexOf(label)) : 0);
    return {
      entailment: share('entailment'),
      neutral: share('neutral'),
      contradiction: share('contradiction'),
    };
  });
}

/** Softmax. */
function shareOf(logits: Float32Array, at: number): number {
  const own = logits[at] ?? 0;
  return 1 / logits.reduce((sum, logit) => sum + Math.exp(logit - own), 0);
}

function rowsOf({ data, dims }: Output, text: number, length: number): Rows {
  const width = dims.at(-1) ?? 0;
  const tokens = dims.length === 3 ? (dims[1] ?? 0) : 1;
  return { data, start: text * tokens * width, length, width };
}

function refuseDims({ dims }: Output, expected: number): void {
  if (dims.length === expected) return;
  throw new ProviderError(
    'broken',
    `the output of the model has ${dims.length} dimensions; ${expected} expected`,
  );
}
