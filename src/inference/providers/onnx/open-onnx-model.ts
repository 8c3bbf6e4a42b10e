// Opens a local model as a provider: reads its folder and starts its thread.
import type { EmbedBatch } from '../../ports.ts';
import type { ServedModel } from '../../served-models.ts';
import { broughtModel, CATALOGUE } from '../../settings/describe-model.ts';
import { ModelsProblem } from '../../settings/fields.ts';
import { ModelThread } from '../../threads/model-thread.ts';
import { refuseMissingFiles } from './check-files.ts';
import { type OnnxManifest, readManifest } from './manifest.ts';
import { nliLabels, outputNames } from './nli-labels.ts';
import type { OnnxThreadData } from './thread.ts';

/** Larger batches gain nothing on a CPU, and a query would wait longer for the running one. */
const BOUNDS = { countMax: 8, charsMax: 8_000, parallelMax: 1 };

export interface OnnxModelPlan {
  readonly name: string;
  readonly folder: string;
  /** Threads for each computation. */
  readonly threads: number;
  /** Folder of the packages that models run on. */
  readonly runtimeDir?: string | null;
}

/** Resolves after a first successful run. @throws ModelsProblem naming the model and what is wrong with its folder */
export async function openOnnxModel({
  name,
  folder,
  threads,
  runtimeDir = null,
}: OnnxModelPlan): Promise<ServedModel> {
  const manifest = readManifest(folder);
  refuseMissingFiles(folder, manifest);
  const model = broughtModel(
    name,
    { ...manifest.attributes, maxTokens: limitOf(name, manifest) },
    'local ONNX model',
  );
  const dimension =
    model.kind === 'embed' && model.vectorType === 'dense' ? Math.max(...model.dimensions) : null;
  const data: OnnxThreadData = { folder, manifest, threads, runtimeDir, dimension, kind: model.kind };
  const thread = new ModelThread<EmbedBatch>({ entry: new URL('./thread.ts', import.meta.url), data });
  const revision = await started(thread, name);
  const common = {
    location: folder,
    source: { provider: 'onnx', revision },
    bounds: BOUNDS,
    isCached: true,
    close: () => thread.close(),
  };
  return model.kind === 'embed'
    ? {
        model,
        embedder: { ...common, embed: (batch) => thread.embed(batch) },
      }
    : {
        model,
        reranker: {
          ...common,
          score: (batch) => thread.score(batch),
          ...((manifest.labels ?? nliLabels(outputNames(folder))) !== null && {
            infer: (batch) => thread.infer(batch),
          }),
        },
      };
}

/** The catalogue's limit allows for special tokens and prefixes; a model with fewer positions has a lower one. */
function limitOf(name: string, { maxTokens }: OnnxManifest): number {
  return Math.min(maxTokens, CATALOGUE.get(name)?.maxSequenceLength ?? maxTokens);
}

async function started(thread: ModelThread<EmbedBatch>, name: string): Promise<string> {
  try {
    return String(await thread.start());
  } catch (error) {
    await thread.close();
    throw new ModelsProblem(
      `model ${name} cannot be loaded: ${error instanceof Error ? error.message : error}`,
    );
  }
}
