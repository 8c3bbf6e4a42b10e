// Makes values for schemas: mostly valid ones, some with a mistake anywhere inside.
import type { Random } from '../support/random.ts';
import { type Interface, isObject, type Json } from './operations.ts';

/** Values that programs get wrong. */
const ODD: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '🦊'.repeat(300),
  'x'.repeat(5_000),
  '../../etc/passwd',
  '%00%ff',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  '$eq',
  '-0',
  'NaN',
  0,
  -1,
  -0,
  0.5,
  1e308,
  -1e308,
  1e-320,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 64,
  [],
  {},
  [null],
  [[]],
  [[[[[[[[[[]]]]]]]]]],
  { $and: [] },
  { $or: [{}] },
  { a: { $in: [] } },
  { a: { $gt: 'x' } },
  { $not: { $not: {} } },
  { __proto__: null, toString: 1 },
  { constructor: { prototype: {} } },
];
const ODD_TEXTS = ODD.filter((value) => typeof value === 'string');
const DEPTH_MAX = 6;
/** Of each value inside a body. */
const MISTAKE_SHARE = 0.04;
const OPTIONAL_SHARE = 0.4;
const ITEMS_MAX = 4;
const DIMENSION = 3;

export class ValueMaker {
  readonly #random: Random;
  readonly #interface: Interface;
  /** Names and ids of things that exist. */
  readonly known: readonly string[];

  constructor(random: Random, described: Interface, known: readonly string[]) {
    this.#random = random;
    this.#interface = described;
    this.known = known;
  }

  odd(): unknown {
    return this.#random.pick(ODD);
  }

  oddText(): string {
    return this.#random.below(3) === 0 ? this.#bytes() : String(this.#random.pick(ODD_TEXTS));
  }

  /** A value for a schema, or one beside it. */
  make(given: Json, depth = 0): unknown {
    const random = this.#random;
    if (random.next() < MISTAKE_SHARE) return this.odd();
    const schema = this.#interface.resolve(given);
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (Array.isArray(choices) && choices.length > 0) return this.make(asSchema(random.pick(choices)), depth);
    if (Array.isArray(schema.enum)) return random.pick(schema.enum);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.examples) && random.below(2) === 0) return random.pick(schema.examples);
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'integer':
      case 'number':
        return this.#number(schema, type === 'integer');
      case 'string':
        return random.below(2) === 0 ? random.pick(this.known) : this.#text(schema);
      case 'boolean':
        return random.below(2) === 0;
      default:
        return depth > DEPTH_MAX ? null : this.#anything(depth);
    }
  }

  #object(schema: Json, depth: number): Json {
    const random = this.#random;
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const made: Record<string, unknown> = {};
    for (const [name, of] of Object.entries(properties)) {
      const isLeftOut = required.includes(name)
        ? random.next() < MISTAKE_SHARE
        : depth > DEPTH_MAX || random.next() > OPTIONAL_SHARE;
      if (!isLeftOut) made[name] = this.make(asSchema(of), depth + 1);
    }
    const more = schema.additionalProperties ?? schema.patternProperties;
    if (isObject(more) && depth < DEPTH_MAX)
      for (let i = random.below(ITEMS_MAX); i > 0; i--)
        made[random.pick(this.known)] = this.make(more, depth + 1);
    if (random.next() < MISTAKE_SHARE) made[this.oddText()] = this.odd();
    return made;
  }

  #array(schema: Json, depth: number): unknown[] {
    const random = this.#random;
    const { minItems, items } = schema;
    const length = Math.max(typeof minItems === 'number' ? minItems : 0, random.below(ITEMS_MAX));
    const isVector = isObject(items) && this.#interface.resolve(items).type === 'number';
    return Array.from({ length: isVector && random.below(8) > 0 ? DIMENSION : length }, () =>
      this.make(asSchema(items), depth + 1),
    );
  }

  #number({ minimum, maximum }: Json, isWhole: boolean): number {
    const random = this.#random;
    const low = typeof minimum === 'number' ? minimum : -10;
    const high = typeof maximum === 'number' ? Math.min(maximum, low + 100) : low + 100;
    if (random.below(20) === 0) return low - 1;
    const value = low + random.next() * (high - low);
    return isWhole ? Math.round(value) : value;
  }

  #text({ maxLength }: Json): string {
    const random = this.#random;
    const length = Math.min(typeof maxLength === 'number' ? maxLength + 1 : 20, 1 + random.below(40));
    return Array.from({ length }, () => String.fromCharCode(97 + random.below(26))).join('');
  }

  #bytes(): string {
    return Array.from({ length: 1 + this.#random.below(20) }, () =>
      String.fromCharCode(this.#random.below(0x300)),
    ).join('');
  }

  #anything(depth: number): unknown {
    const random = this.#random;
    if (random.below(3) > 0) return random.pick<unknown>([...this.known, 1, 0.5, true, ['a', 'b']]);
    return { [random.pick(this.known)]: this.make({}, depth + 1) };
  }
}

function asSchema(value: unknown): Json {
  return isObject(value) ? value : {};
}
