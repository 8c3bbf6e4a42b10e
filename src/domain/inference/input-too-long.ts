// The fault of a text that has more tokens than its model takes and must not be cut; it knows which text of the request.
import { Fault, invalid } from '../faults.ts';

export interface TooManyTokens {
  readonly tokens: number;
  readonly tokensMax: number;
  readonly model: string;
}

export class InputTooLong extends Fault {
  /** Among the inputs of the request, from 0. */
  readonly position: number;
  readonly #fields: TooManyTokens;

  constructor(position: number, fields: TooManyTokens) {
    super('invalid-argument', message(`Input ${position}`, 'parameters', fields));
    this.position = position;
    this.#fields = fields;
  }

  /** The same said of a text that callers know by another name, and whose parameters they set elsewhere. */
  saidOf(text: string, parameters: string): Fault {
    return invalid(message(text, parameters, this.#fields));
  }
}

function message(text: string, parameters: string, { tokens, tokensMax, model }: TooManyTokens): string {
  return (
    `${text} has ${tokens} tokens, which exceeds the maximum token limit of ${tokensMax} for model '${model}'. ` +
    `Shorten it, or set ${parameters}.truncate to END.`
  );
}
