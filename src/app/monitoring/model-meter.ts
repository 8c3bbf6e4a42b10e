// Counts what models are asked, by model and task: number, latency, failures.
import { LatencyHistogram } from './latency-histogram.ts';

/** `answer` is of language models: from the question to the end of the answer. */
export type ModelTask = 'embed' | 'rerank' | 'infer' | 'answer';

export interface ModelFigures {
  readonly model: string;
  readonly task: ModelTask;
  readonly latency: LatencyHistogram;
  readonly failures: number;
}

/** Callers may name models that nobody configured; beyond this, they count together. */
const MODELS_MAX = 100;
const OTHERS = 'others';

export class ModelMeter {
  readonly #figures = new Map<string, ModelFigures & { failures: number }>();

  add(
    model: string,
    task: ModelTask,
    outcome: { readonly milliseconds: number; readonly isFailure: boolean },
  ): void {
    const figures = this.#of(model, task) ?? this.#of(OTHERS, task, true);
    figures?.latency.add(outcome.milliseconds);
    if (figures !== undefined && outcome.isFailure) figures.failures++;
  }

  /** In the order in which they were first asked. */
  all(): readonly ModelFigures[] {
    return [...this.#figures.values()];
  }

  #of(model: string, task: ModelTask, isOthers = false): (ModelFigures & { failures: number }) | undefined {
    const key = `${task} ${model}`;
    const known = this.#figures.get(key);
    if (known !== undefined || (!isOthers && this.#figures.size >= MODELS_MAX)) return known;
    const added = { model, task, latency: new LatencyHistogram(), failures: 0 };
    this.#figures.set(key, added);
    return added;
  }
}
