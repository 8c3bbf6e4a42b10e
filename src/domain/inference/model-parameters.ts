// The parameters of models.
import type { ModelParameter } from './model.ts';

export const INPUT_TYPES = ['query', 'passage'] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** What happens to a text over the limit: truncated at its end or at its start, or refused. */
export const TRUNCATIONS = ['END', 'START', 'NONE'] as const;
export type Truncation = (typeof TRUNCATIONS)[number];

/** Token limits of a sparse model's input; the second applies only on request. */
export const SPARSE_TOKENS = [512, 2_048] as const;

const CHUNKS_PER_DOCUMENT_MAX = 3_072;
const TOKENS_PER_DOCUMENT_MAX = 4_096;
const TOKENS_PER_DOCUMENT_DEFAULT = 1_024;

const oneOf = { type: 'one_of', valueType: 'string', required: false } as const;

export const inputType: ModelParameter = {
  ...oneOf,
  name: 'input_type',
  required: true,
  allowedValues: ['query', 'passage'],
};

export function truncate(allowedValues: readonly Truncation[], preset: Truncation): ModelParameter {
  return { ...oneOf, name: 'truncate', allowedValues, default: preset };
}

export function dimension(allowedValues: readonly number[], preset: number): ModelParameter {
  return { ...oneOf, name: 'dimension', valueType: 'integer', allowedValues, default: preset };
}

export const returnTokens: ModelParameter = {
  name: 'return_tokens',
  type: 'any',
  valueType: 'boolean',
  required: false,
  default: false,
};

export const maxTokensPerSequence: ModelParameter = {
  ...oneOf,
  name: 'max_tokens_per_sequence',
  valueType: 'integer',
  allowedValues: SPARSE_TOKENS,
  default: SPARSE_TOKENS[0],
  listed: false,
};

const range = { type: 'numeric_range', valueType: 'integer', required: false, min: 1 } as const;

/** Checked but without effect: long documents are read whole. */
export const maxChunksPerDoc: ModelParameter = {
  ...range,
  name: 'max_chunks_per_doc',
  max: CHUNKS_PER_DOCUMENT_MAX,
  default: CHUNKS_PER_DOCUMENT_MAX,
};

export const maxTokensPerDoc: ModelParameter = {
  ...range,
  name: 'max_tokens_per_doc',
  max: TOKENS_PER_DOCUMENT_MAX,
  default: TOKENS_PER_DOCUMENT_DEFAULT,
};
