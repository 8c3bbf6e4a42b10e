// Opens a model at an HTTP provider with its address, key and bounds.

import type { EmbeddingSource } from '../../../domain/embedding/embedding-source.ts';
import type { Model } from '../../../domain/inference/model.ts';
import { contentKey } from '../../runner/result-cache.ts';
import type { ServedModel } from '../../served-models.ts';
import { ModelsProblem } from '../../settings/fields.ts';
import { type HttpSetting, isHeaderText, type ProviderKey } from '../../settings/provider-settings.ts';
import { embedOverHttp, type Send } from './embed-over-http.ts';
import { postJson } from './post-json.ts';
import { rerankOverHttp } from './rerank-over-http.ts';

const BATCH_CHARS_MAX = 200_000;
const REVISION_CHARS = 12;

export interface HttpModelPlan {
  readonly model: Model;
  readonly setting: HttpSetting;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @throws ModelsProblem when the variable of its key is not set, or the provider does not support this kind of
 * model
 */
export function openHttpModel({ model, setting }: HttpModelPlan, environment: Environment): ServedModel {
  refuseKind(model, setting);
  const key = keyOf(model.name, setting.key, environment);
  const send: Send = ({ path, body }, signal) =>
    postJson({ url: setting.url + path, key, body, signal, givesReason: 'when-refused' });
  const common = {
    location: setting.url,
    source: sourceOf(setting),
    bounds: { countMax: setting.batch, charsMax: BATCH_CHARS_MAX, parallelMax: setting.parallel },
    isCached: true,
    close: async () => {},
  };
  return model.kind === 'embed'
    ? {
        model,
        embedder: {
          ...common,
          embed: (batch, signal) => embedOverHttp({ model, setting, send }, batch, signal),
        },
      }
    : {
        model,
        reranker: { ...common, score: (batch, signal) => rerankOverHttp({ setting, send }, batch, signal) },
      };
}

function refuseKind(model: Model, { provider }: HttpSetting): void {
  if (model.kind === 'rerank' && provider === 'openai') {
    throw new ModelsProblem(
      `model ${model.name} reranks, which provider openai does not support; use cohere or tei`,
    );
  }
  if (model.kind === 'embed' && provider === 'cohere') {
    throw new ModelsProblem(
      `model ${model.name} embeds, which provider cohere does not support here; use openai or tei`,
    );
  }
  if (model.kind === 'embed' && model.vectorType === 'sparse' && provider !== 'tei') {
    throw new ModelsProblem(`model ${model.name} makes sparse vectors, which only provider tei supports`);
  }
}

function keyOf(name: string, key: ProviderKey | null, environment: Environment): string | null {
  if (key === null) return null;
  if ('text' in key) return key.text;
  const text = environment[key.variable]?.trim() ?? '';
  if (!isHeaderText(text)) {
    throw new ModelsProblem(
      `model ${name} takes its key from ${key.variable}, which is not set to visible ASCII characters`,
    );
  }
  return text;
}

/** Addresses and keys are not part of the source, since they change more often than the meaning of vectors. */
function sourceOf({
  provider,
  model,
  prefixes,
  inputTypeField,
  resize,
  normalize,
  revision,
}: HttpSetting): EmbeddingSource {
  const meaning = [
    model,
    prefixes.query,
    prefixes.passage,
    inputTypeField ?? '',
    resize,
    String(normalize),
    revision,
  ];
  return {
    provider,
    revision: `${model} ${contentKey(meaning).slice(0, REVISION_CHARS)}`,
  };
}
