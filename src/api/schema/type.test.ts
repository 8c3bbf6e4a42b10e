// Guarantees of the schema builders: schemas equal the library's for types, checks and generated documents.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as library from 'typebox';
import { type TSchema, Type } from './type.ts';

type Builders = typeof Type;
/** Builds a schema with either set of builders. */
type Recipe = (builders: Builders) => TSchema;

const Options = fc.record(
  {
    description: fc.string(),
    pattern: fc.string(),
    maximum: fc.integer(),
    additionalProperties: fc.boolean(),
    required: fc.array(fc.string(), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const SomeOptions = fc.option(Options, { nil: undefined });
const PLAIN = ['Boolean', 'Integer', 'Null', 'Number', 'String', 'Unknown'] as const;

function recipeOf<Parts>(parts: fc.Arbitrary<Parts>, make: (t: Builders, parts: Parts) => TSchema) {
  return parts.map(
    (parts): Recipe =>
      (builders) =>
        make(builders, parts),
  );
}

const { recipe: AnyRecipe } = fc.letrec<{ recipe: Recipe }>((tie) => {
  const one = tie('recipe');
  const several = fc.tuple(fc.array(one, { maxLength: 3 }), SomeOptions);
  const members = fc.dictionary(fc.string(), one, { maxKeys: 4 });
  const constant = fc.oneof(fc.string(), fc.double(), fc.boolean());
  return {
    recipe: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      recipeOf(fc.tuple(fc.constantFrom(...PLAIN), SomeOptions), (t, [name, options]) => t[name](options)),
      recipeOf(fc.tuple(constant, SomeOptions), (t, [value, options]) => t.Literal(value, options)),
      recipeOf(one, (t, inner) => t.Optional(inner(t))),
      recipeOf(one, (t, inner) => t.Unsafe(inner(t))),
      recipeOf(fc.tuple(one, SomeOptions), (t, [items, options]) => t.Array(items(t), options)),
      recipeOf(several, (t, [all, options]) => t.Union(made(all, t), options)),
      recipeOf(several, (t, [all, options]) => t.Intersect(made(all, t), options)),
      recipeOf(fc.tuple(one, Options, SomeOptions), (t, [value, key, options]) =>
        t.Record(t.String(key), value(t), options),
      ),
      recipeOf(fc.tuple(members, SomeOptions), (t, [all, options]) => {
        const named = Object.entries(all).map(([name, member]) => [name, member(t)]);
        return t.Object(Object.fromEntries(named), options);
      }),
    ),
  };
});

function made(recipes: readonly Recipe[], builders: Builders): TSchema[] {
  return recipes.map((recipe) => recipe(builders));
}

describe('a schema', () => {
  test('equals what the library builds: fields, their order, hidden marks', () => {
    const property = fc.property(AnyRecipe, (recipe) => {
      const [own, its] = [recipe(Type), recipe(library.Type)];
      assert.equal(JSON.stringify(own), JSON.stringify(its));
      assert.deepEqual(withMarks(own), withMarks(its));
    });
    fc.assert(property, { seed: 38, numRuns: 500 });
  });

  test('leaves its parts unchanged', () => {
    const text = Type.String();
    assert.deepEqual(Type.Object({ text, maybe: Type.Optional(text) }).required, ['text']);
    assert.deepEqual(Type.Object({ text }).required, ['text']);
  });

  test("has the library's static type for a record", () => {
    const own = Type.Record(Type.String(), Type.Integer());
    const its: typeof own = library.Type.Record(library.Type.String(), library.Type.Integer());
    assert.deepEqual(own satisfies typeof its, its);
  });
});

test('takes nothing but types from the library in the program', () => {
  const src = join(import.meta.dirname, '../..');
  const files = globSync('**/*.ts', { cwd: src }).filter((file) => !/\.test\.ts$|(^|\/)testing\//.test(file));
  const loading = files.filter((file) =>
    /^(?:import|export) (?!type )[^;]*from 'typebox/m.test(readFileSync(join(src, file), 'utf8')),
  );
  assert.deepEqual(loading, []);
});

/** The schema with hidden fields made visible. */
function withMarks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value));
  return Object.fromEntries(
    fields.map(([name, field]) => [name, { ...field, value: withMarks(field.value) }]),
  );
}
