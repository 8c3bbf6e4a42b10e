// Recipes of real models for hosted names: where their files are, and how to use them.

export interface Recipe {
  /** Name on the model hub. */
  readonly repository: string;
  /** Paths in the repository, and in the model's folder. */
  readonly files: readonly string[];
  /** The manifest without its checksums. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly licence: string;
}

const TOKENIZER_FILES = ['tokenizer.json', 'tokenizer_config.json'];
const QUANTIZED = 'onnx/model_quantized.onnx';

export const RECIPES: ReadonlyMap<string, Recipe> = new Map([
  [
    'multilingual-e5-large',
    {
      repository: 'Xenova/multilingual-e5-large',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'MIT',
      manifest: {
        file: QUANTIZED,
        pooling: 'mean',
        prefixes: { query: 'query: ', passage: 'passage: ' },
        max_tokens: 512,
        provider_name: 'Microsoft (local ONNX, 8 bit)',
      },
    },
  ],
  [
    // NVIDIA's weights are not published as ONNX. This model has the same languages, lengths and truncation of
    // vectors.
    'llama-text-embed-v2',
    {
      repository: 'Snowflake/snowflake-arctic-embed-l-v2.0',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'Apache-2.0',
      manifest: {
        file: QUANTIZED,
        pooling: 'cls',
        prefixes: { query: 'query: ', passage: '' },
        max_tokens: 8_192,
        dimensions: [384, 512, 768, 1_024],
        provider_name: 'Snowflake Arctic Embed L 2.0 (local ONNX, 8 bit), in place of NVIDIA',
      },
    },
  ],
  [
    'bge-reranker-v2-m3',
    {
      repository: 'onnx-community/bge-reranker-v2-m3-ONNX',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'Apache-2.0',
      manifest: {
        type: 'rerank',
        file: QUANTIZED,
        max_tokens: 1_024,
        provider_name: 'BAAI (local ONNX, 8 bit)',
      },
    },
  ],
]);
