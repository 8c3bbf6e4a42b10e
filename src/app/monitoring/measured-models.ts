// Models with every call measured, and recorded as a part of the trace that it belongs to.
import type { LanguageModel } from '../../domain/inference/language-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { recorded, startPart } from '../../platform/telemetry/tracing.ts';
import type { ModelMeter, ModelTask } from './model-meter.ts';

type Meter = Pick<ModelMeter, 'add'>;

export function measuredInference(inference: Inference, meter: Meter): Inference {
  return {
    models: () => inference.models(),
    model: (name) => inference.model(name),
    embeddingSource: (model) => inference.embeddingSource(model),
    isBuiltIn: (model) => inference.isBuiltIn(model),
    embed: (request, options) =>
      measured(meter, 'embed', request.model.name, () => inference.embed(request, options)),
    rerank: (request, options) =>
      measured(meter, 'rerank', request.model.name, () => inference.rerank(request, options)),
    tellsEntailment: (model) => inference.tellsEntailment(model),
    infer: (request, options) =>
      measured(meter, 'infer', request.model.name, () => inference.infer(request, options)),
    notices: () => inference.notices(),
    close: () => inference.close(),
  };
}

export function measuredLanguageModel(model: LanguageModel, meter: Meter): LanguageModel {
  const { models, contextTokens } = model;
  return {
    ...(models !== undefined && { models: () => models.call(model) }),
    ...(contextTokens !== undefined && { contextTokens: (name) => contextTokens.call(model, name) }),
    ask: async function* (request, signal) {
      const startedAt = performance.now();
      const part = startPart(`answer ${request.model}`, partOf('answer', request.model));
      // Whoever leaves early has what they wanted.
      let failure: string | undefined;
      try {
        yield* model.ask(request, signal);
      } catch (error) {
        failure = nameOf(error);
        throw error;
      } finally {
        const milliseconds = performance.now() - startedAt;
        meter.add(request.model, 'answer', { milliseconds, isFailure: failure !== undefined });
        part?.end(failure === undefined ? {} : { failure });
      }
    },
  };
}

async function measured<Result>(
  meter: Meter,
  task: ModelTask,
  model: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  let isFailure = true;
  try {
    const result = await recorded(`${task} ${model}`, partOf(task, model), run);
    isFailure = false;
    return result;
  } finally {
    meter.add(model, task, { milliseconds: performance.now() - startedAt, isFailure });
  }
}

/** Named by OpenTelemetry's conventions for generative models, where they have a name. */
function partOf(task: ModelTask, model: string) {
  return {
    kind: 'internal',
    attributes: { 'gen_ai.operation.name': task, 'gen_ai.request.model': model },
  } as const;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}
