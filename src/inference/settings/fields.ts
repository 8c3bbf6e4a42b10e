// Reads settings objects field by field, with messages for their author.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** An invalid setting of models. The message names the field and the rule, never an API key. */
export class ModelsProblem extends Error {}

export class Fields {
  readonly #json: JsonObject;
  readonly #path: string;
  readonly #known = new Set<string>();

  /** @throws ModelsProblem unless it is an object */
  constructor(json: unknown, path: string) {
    if (!isJsonObject(json)) {
      throw new ModelsProblem(`${path} must be an object`);
    }
    this.#json = json;
    this.#path = path;
  }

  /** @throws ModelsProblem for fields that were not read, which are most likely misspelled */
  refuseOthers(): void {
    for (const name of Object.keys(this.#json)) {
      if (!this.#known.has(name)) {
        throw new ModelsProblem(
          `${this.#path} has an unknown field ${name}; it may have ${[...this.#known].join(', ')}`,
        );
      }
    }
  }

  names(): readonly string[] {
    return Object.keys(this.#json);
  }

  any(name: string): unknown {
    this.#known.add(name);
    return Object.hasOwn(this.#json, name) ? this.#json[name] : undefined;
  }

  object(name: string): Fields | undefined {
    const value = this.any(name);
    return value === undefined ? undefined : new Fields(value, `${this.#path}.${name}`);
  }

  text(name: string): string | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw this.#wrong(name, 'text');
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw this.#wrong(name, `one of ${choices.join(', ')}`);
    return found;
  }

  wholeNumber(name: string, [min, max]: readonly [number, number]): number | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    if (!isWhole(value, min, max)) throw this.#wrong(name, `a whole number from ${min} to ${max}`);
    return value;
  }

  /** Reads one number, or a list of at least one. */
  wholeNumbers(name: string, [min, max]: readonly [number, number]): readonly number[] | undefined {
    const value = this.any(name);
    if (value === undefined) return undefined;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const numbers = list.filter((each) => isWhole(each, min, max));
    if (numbers.length === 0 || numbers.length < list.length) {
      throw this.#wrong(name, `whole numbers from ${min} to ${max}`);
    }
    return numbers;
  }

  #wrong(name: string, rule: string): ModelsProblem {
    return new ModelsProblem(`${this.#path}.${name} must be ${rule}`);
  }
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
