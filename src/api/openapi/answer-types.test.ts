// The types of answers that the console has of the OpenAPI document: every form of schema that it uses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTypes } from '../../../scripts/console/answer-types.ts';
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { EVERY_ENDPOINT } from './every-endpoint.ts';
import { openApiDocument } from './openapi-document.ts';

test('writes members, lists, choices, constants and named schemas of answers', () => {
  const text = answerTypes(openApiDocument(NEWEST_API_VERSION, EVERY_ENDPOINT));
  for (const part of [
    'readonly describe_judgment_set: JudgmentSet;',
    'readonly "kind": "vectors" | "documents";',
    'readonly "dimension": number | null;',
    'export type JudgedQuestion = { readonly "text"?: string;',
    'readonly "state": "Pending" | "Running" | "Failed";',
    'readonly "configuration": { readonly [name: string]: unknown };',
  ])
    assert.ok(text.includes(part), part);
  // Every name is there.
  for (const [, name = ''] of text.matchAll(/[:(<|] ?([A-Z]\w+)/g))
    assert.ok(text.includes(`export type ${name} =`), name);
});

test('refuses a document that lacks an operation', () => {
  assert.throws(() => answerTypes({ paths: {} }), /no operation read_overview/);
});
