// Models with every call measured, and recorded as a part of the trace that it belongs to.
import { Fault } from '../../domain/faults.ts';
import type { LanguageModel } from '../../domain/inference/language-model.ts';
import type { CallOptions, Inference } from '../../domain/inference/port.ts';
import { type Part, recorded, recordedPieces } from '../../platform/telemetry/tracing.ts';
import type { ModelMeter, ModelTask } from './model-meter.ts';

const FAILURE_STATUS_MIN = 500;

type Meter = Pick<ModelMeter, 'add'>;

/** A call of a model. */
interface ModelCall {
  readonly task: ModelTask;
  readonly model: string;
  /** Of the caller, who may leave. */
  readonly signal: AbortSignal | undefined;
}

export function measuredInference(inference: Inference, meter: Meter): Inference {
  const callOf = (
    task: ModelTask,
    { model }: { readonly model: { readonly name: string } },
    options?: CallOptions,
  ) => ({
    task,
    model: model.name,
    signal: options?.signal,
  });
  return {
    models: () => inference.models(),
    model: (name) => inference.model(name),
    embeddingSource: (model) => inference.embeddingSource(model),
    isBuiltIn: (model) => inference.isBuiltIn(model),
    embed: (request, options) =>
      measured(meter, callOf('embed', request, options), () => inference.embed(request, options)),
    rerank: (request, options) =>
      measured(meter, callOf('rerank', request, options), () => inference.rerank(request, options)),
    tellsEntailment: (model) => inference.tellsEntailment(model),
    infer: (request, options) =>
      measured(meter, callOf('infer', request, options), () => inference.infer(request, options)),
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
      const call = { task: 'answer', model: request.model, signal } as const;
      // Whoever leaves early has what they wanted.
      let isFailure = false;
      try {
        yield* recordedPieces(`answer ${request.model}`, partOf(call), () => model.ask(request, signal));
      } catch (error) {
        isFailure = isFailureOf(call, error);
        throw error;
      } finally {
        meter.add(request.model, 'answer', { milliseconds: performance.now() - startedAt, isFailure });
      }
    },
  };
}

async function measured<Result>(meter: Meter, call: ModelCall, run: () => Promise<Result>): Promise<Result> {
  const { task, model } = call;
  const startedAt = performance.now();
  let isFailure = false;
  try {
    return await recorded(`${task} ${model}`, partOf(call), run);
  } catch (error) {
    isFailure = isFailureOf(call, error);
    throw error;
  } finally {
    meter.add(model, task, { milliseconds: performance.now() - startedAt, isFailure });
  }
}

/** Named by OpenTelemetry's conventions for generative models, where they have a name. */
function partOf(call: ModelCall): Part {
  const { task, model } = call;
  return {
    kind: 'internal',
    attributes: { 'gen_ai.operation.name': task, 'gen_ai.request.model': model },
    isFailure: (error) => isFailureOf(call, error),
  };
}

/**
 * Whether the model has failed. It has not where the caller has left, or is told of a mistake of their own or of this
 * server's queue; the queue of a provider is a part of the model.
 */
function isFailureOf({ signal }: ModelCall, error: unknown): boolean {
  if (signal?.aborted === true) return false;
  return !(error instanceof Fault) || error.status >= FAILURE_STATUS_MIN || error.cause !== undefined;
}
