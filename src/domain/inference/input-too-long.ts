// The fault for a text over its model's token limit that must not be truncated, or that its provider refuses even
// truncated; it knows the position of the text.
import { Fault, invalid } from '../faults.ts';

export interface TooManyTokens {
  readonly tokens: number;
  readonly tokensMax: number;
  readonly model: string;
  /** Why the provider refuses the text, which is then told instead of its tokens. */
  readonly refusal?: string | undefined;
}

export class InputTooLong extends Fault {
  /** Position among the inputs of the request, from 0. */
  readonly position: number;
  readonly #fields: TooManyTokens;

  constructor(position: number, fields: TooManyTokens) {
    super('invalid-argument', message(`Input ${position}`, 'parameters', fields));
    this.position = position;
    this.#fields = fields;
  }

  /** Returns the same fault with the caller's own name of the text and of its parameters. */
  saidOf(text: string, parameters: string): Fault {
    return invalid(message(text, parameters, this.#fields));
  }
}

function message(
  text: string,
  parameters: string,
  { tokens, tokensMax, model, refusal }: TooManyTokens,
): string {
  if (refusal !== undefined) return `${text} is refused by model '${model}': ${refusal}.`;
  return (
    `${text} has ${tokens} tokens, which exceeds the maximum token limit of ${tokensMax} for model '${model}'. ` +
    `Shorten it, or set ${parameters}.truncate to END.`
  );
}
