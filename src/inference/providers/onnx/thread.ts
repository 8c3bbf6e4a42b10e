// Entry point of the thread of one local model: verifies its files, loads it, runs it once, and serves requests.

import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { startData } from '../../../platform/worker-channel/start-data.ts';
import type { EmbedBatch } from '../../ports.ts';
import { serveThread } from '../../threads/serve-thread.ts';
import { revisionOf } from './check-files.ts';
import { OnnxModel, type OnnxModelOptions } from './onnx-model.ts';

export interface OnnxThreadData extends OnnxModelOptions {
  readonly kind: 'embed' | 'rerank';
}

const TRIAL = 'trial';

const data = startData<OnnxThreadData>();
serveThread<EmbedBatch>(async () => {
  const revision = await revisionOf(data.folder, data.manifest);
  const model = await OnnxModel.open(data);
  await tryOut(model);
  return {
    attributes: revision,
    embed: (batch) => model.embed(batch),
    score: (batch) => model.score(batch),
    infer: (batch) => model.infer(batch),
  };
});

/** Runs the model once, so that a contradiction to its manifest shows at the start, not at the first request. */
async function tryOut(model: OnnxModel): Promise<void> {
  const limits = { truncate: 'END', tokensMax: data.manifest.maxTokens } as const;
  if (data.kind === 'rerank') {
    await model.score({
      query: TRIAL,
      documents: [TRIAL],
      limitCounts: 'pair',
      pairTokensMax: 512,
      parameters: limits,
    });
    return;
  }
  const parameters: EmbedParameters = {
    ...limits,
    inputType: 'passage',
    dimension: data.dimension,
    returnTokens: false,
  };
  await model.embed({ texts: [TRIAL], parameters });
}
