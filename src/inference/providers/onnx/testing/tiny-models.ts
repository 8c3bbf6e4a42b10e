// Tiny local models with pseudorandom weights, in folders like those of real models.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MANIFEST_FILE } from '../manifest.ts';
import { type Graph, type Node, onnxFile, type Weights } from './onnx-graph.ts';

const WORDS = ['a', 'the', 'cat', 'dog', 'sat', 'on', 'mat', 'query', 'passage', ':', 'red', 'blue'];
export const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...WORDS];

export const TINY_DIMENSION = 8;

/** The token id of a word; that of the unknown token for words out of the vocabulary. */
export function idOf(word: string): number {
  const id = VOCABULARY.indexOf(word);
  return id < 0 ? 1 : id;
}

/** A deterministic weight from -1 to 1. */
export function weightAt(row: number, column: number): number {
  return Math.fround(Math.sin(row * 12.9898 + column * 78.233 + 1));
}

function table(name: string, columns: number): Weights {
  const data = Float32Array.from({ length: VOCABULARY.length * columns }, (_, at) =>
    weightAt(Math.floor(at / columns), at % columns),
  );
  return { name, dims: [VOCABULARY.length, columns], data };
}

const BERT_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];

/** The vector of a token is its row of a table. */
export const EMBEDDING_GRAPH: Graph = {
  inputs: BERT_INPUTS,
  output: { name: 'last_hidden_state', dims: ['texts', 'tokens', TINY_DIMENSION] },
  nodes: [{ op: 'Gather', inputs: ['table', 'input_ids'], output: 'last_hidden_state' }],
  weights: [table('table', TINY_DIMENSION)],
};

/** The logits of a token for all words are its row of a table. */
export const SPLADE_GRAPH: Graph = {
  inputs: ['input_ids', 'attention_mask'],
  output: { name: 'logits', dims: ['texts', 'tokens', VOCABULARY.length] },
  nodes: [{ op: 'Gather', inputs: ['table', 'input_ids'], output: 'logits' }],
  weights: [table('table', VOCABULARY.length)],
};

/** A logit of a pair is the sum of its tokens' weights, where tokens of the second text count twice. */
export const CROSS_ENCODER_GRAPH = crossEncoder(1);
/** Three logits for a pair, as of natural language inference. */
export const INFERENCE_GRAPH = crossEncoder(3);
/** Two logits for a pair, from sequences of exactly twelve tokens. */
export const NARROW_GRAPH: Graph = { ...crossEncoder(2), width: 12 };

function crossEncoder(outputs: number): Graph {
  return {
    inputs: BERT_INPUTS,
    output: { name: 'logits', dims: ['texts', outputs] },
    nodes: [
      { op: 'Gather', inputs: ['table', 'input_ids'], output: 'weights' },
      { op: 'Cast', inputs: ['attention_mask'], output: 'mask', ints: { to: 1 } },
      { op: 'Cast', inputs: ['token_type_ids'], output: 'second', ints: { to: 1 } },
      { op: 'Mul', inputs: ['mask', 'second'], output: 'masked_second' },
      { op: 'Add', inputs: ['mask', 'masked_second'], output: 'factors' },
      { op: 'Unsqueeze', inputs: ['factors', 'last_axis'], output: 'column' },
      { op: 'Mul', inputs: ['weights', 'column'], output: 'weighted' },
      { op: 'ReduceSum', inputs: ['weighted', 'middle_axis'], output: 'logits', ints: { keepdims: 0 } },
    ],
    weights: [
      table('table', outputs),
      { name: 'last_axis', dims: [1], data: BigInt64Array.of(2n) },
      { name: 'middle_axis', dims: [1], data: BigInt64Array.of(1n) },
    ],
  };
}

/** The embedding model after `products` multiplications with a large matrix, which take a while. */
export function slowGraph(products: number, width: number): Graph {
  // Near one on the diagonal and near zero elsewhere, so that nothing grows or fades.
  const matrix = Float32Array.from({ length: width * width }, (_, at) => (at % (width + 1) === 0 ? 1 : 1e-6));
  const nodes = Array.from(
    { length: products },
    (_, step): Node => ({
      op: 'MatMul',
      inputs: [`step${step}`, 'matrix'],
      output: step === products - 1 ? 'last_hidden_state' : `step${step + 1}`,
    }),
  );
  return {
    inputs: ['input_ids', 'attention_mask'],
    output: { name: 'last_hidden_state', dims: ['texts', 'tokens', width] },
    nodes: [{ op: 'Gather', inputs: ['table', 'input_ids'], output: 'step0' }, ...nodes],
    weights: [table('table', width), { name: 'matrix', dims: [width, width], data: matrix }],
  };
}

const MARKS = { '[CLS]': 2, '[SEP]': 3 };

/** A tokenizer of whole words, with the special tokens of BERT. */
const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: VOCABULARY.slice(0, 4).map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [mark('[CLS]', 0), text('A', 0), mark('[SEP]', 0)],
    pair: [mark('[CLS]', 0), text('A', 0), mark('[SEP]', 0), text('B', 1), mark('[SEP]', 1)],
    special_tokens: Object.fromEntries(
      Object.entries(MARKS).map(([id, number]) => [id, { id, ids: [number], tokens: [id] }]),
    ),
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(VOCABULARY.map((word, id) => [word, id])),
  },
};

function mark(id: string, type: number) {
  return { SpecialToken: { id, type_id: type } };
}

function text(id: string, type: number) {
  return { Sequence: { id, type_id: type } };
}

/** Writes the folder of a model, with a manifest that suits its kind. */
export function writeTinyModel(
  folder: string,
  graph: Graph,
  manifest: Readonly<Record<string, unknown>>,
): void {
  const files: Readonly<Record<string, string | Buffer>> = {
    'onnx/model.onnx': onnxFile(graph),
    'tokenizer.json': JSON.stringify(TOKENIZER),
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', pad_token: '[PAD]' }),
    [MANIFEST_FILE]: JSON.stringify(manifest),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
