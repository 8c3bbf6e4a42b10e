// Remembers of models whether their answers begin inside a thought: the templates of some write the opening tag into
// the prompt, so that only the closing one arrives.
import type { LanguageModel } from '../../../../domain/inference/language-model.ts';

/** Callers may choose any name that the settings pass on. */
const MODELS_MAX = 1_000;
/** Families and words by which models that think are named. Of others, the first answer streams like all. */
const NAMED_AS_THINKER = /\br1\b|qwq|qwen3|deepseek|magistral|think|reason/i;

/** True: the last answer began inside a thought. False: none did, as far as is known. Undefined: the next may. */
export type ThinksFirst = boolean | undefined;

export class ThinkingHabits {
  readonly #thinksFirst = new Map<string, ThinksFirst>();

  get(model: string): ThinksFirst {
    if (this.#thinksFirst.has(model)) return this.#thinksFirst.get(model);
    return NAMED_AS_THINKER.test(model) ? undefined : false;
  }

  /** Takes note of an answer: whether it began inside a thought. */
  note(model: string, thoughtFirst: boolean): void {
    // A model that thought first and now did not may have been kept from it. Its next answer decides.
    const isInDoubt = !thoughtFirst && this.#thinksFirst.get(model) === true;
    this.#thinksFirst.delete(model);
    this.#thinksFirst.set(model, isInDoubt ? undefined : thoughtFirst);
    const [oldest] = this.#thinksFirst.keys();
    if (this.#thinksFirst.size > MODELS_MAX && oldest !== undefined) this.#thinksFirst.delete(oldest);
  }
}

const habits = new WeakMap<LanguageModel, ThinkingHabits>();

/** The habits of the models behind one endpoint, known until the process ends. */
export function habitsOf(languageModel: LanguageModel): ThinkingHabits {
  return habits.getOrInsertComputed(languageModel, () => new ThinkingHabits());
}
