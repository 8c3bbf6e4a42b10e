// Guarantees of the documents' examples: every operation and schema has one, and each is valid.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Schema, { type XSchema } from 'typebox/schema';
import { API_VERSIONS } from '../../domain/api-version.ts';
import { isJsonObject, type JsonObject } from '../schema/json-schema.ts';
import { EVERY_ENDPOINT } from './every-endpoint.ts';
import { openApiDocument } from './openapi-document.ts';
import { TAGS } from './tags.ts';

/** A schema with its example, and where it is in the document. */
interface Sample {
  readonly where: string;
  readonly schema: JsonObject;
  readonly example: unknown;
  readonly isRequired: boolean;
}

/** Every object of the document that has both a schema and perhaps an example: media types and parameters. */
function samplesIn(node: unknown, where: string): readonly Sample[] {
  if (Array.isArray(node)) return node.flatMap((each, at) => samplesIn(each, `${where}/${at}`));
  if (!isJsonObject(node)) return [];
  const { schema, example } = node;
  // Of parameters only the required ones need an example; errors have theirs in the shared schemas.
  const isRequired = node.required === true || !/\/parameters\/|\/responses\/[45]/.test(where);
  const isShown = isJsonObject(schema) && !where.includes('/headers/');
  const own = isShown ? [{ where, schema, example, isRequired }] : [];
  const parts = Object.entries(node).filter(([key]) => key !== 'schema' && key !== 'example');
  return [...own, ...parts.flatMap(([key, part]) => samplesIn(part, `${where}/${key}`))];
}

function componentSamples(schemas: JsonObject): readonly Sample[] {
  const names = Object.keys(schemas);
  return Object.entries(schemas).map(([name, schema]) => {
    assert.ok(isJsonObject(schema));
    const examples = Array.isArray(schema.examples) ? schema.examples : [];
    return {
      where: `/components/schemas/${name}`,
      schema,
      example: examples[0],
      isRequired: !isPart(name, names),
    };
  });
}

/** A part of a shared schema has the whole schema's name in front; its example may be in that schema's alone. */
function isPart(name: string, names: readonly string[]): boolean {
  return names.some((other) => other !== name && name.startsWith(other));
}

function errorsOf({ schema, example }: Sample, components: JsonObject): readonly string[] {
  const whole: XSchema = { ...schema, components };
  const [, errors] = Schema.Errors(whole, example);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

for (const version of API_VERSIONS) {
  describe(`the examples of ${version}`, () => {
    const document: unknown = JSON.parse(JSON.stringify(openApiDocument(version, EVERY_ENDPOINT)));
    assert.ok(isJsonObject(document) && isJsonObject(document.components));
    const { components, paths } = document;
    assert.ok(isJsonObject(components.schemas));
    const samples = [...samplesIn(paths, ''), ...componentSamples(components.schemas)];

    it('are there for every body, every required parameter and every shared schema', () => {
      const missing = samples.filter(({ example, isRequired }) => isRequired && example === undefined);
      assert.deepEqual(
        missing.map(({ where }) => where),
        [],
      );
    });

    it('match their schemas', () => {
      const wrong = samples
        .filter(({ example }) => example !== undefined)
        .flatMap((sample) => errorsOf(sample, components).map((error) => `${sample.where}: ${error}`));
      assert.deepEqual(wrong, []);
    });
  });
}

it('has a sentence on every group of operations', () => {
  const tags = Object.values(EVERY_ENDPOINT).flatMap((endpoints) => endpoints.map(({ tag }) => tag));
  assert.deepEqual(Object.keys(TAGS).toSorted(), [...new Set(tags)].toSorted());
});
