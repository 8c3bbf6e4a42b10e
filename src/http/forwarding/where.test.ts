// Where endpoints are answered, where nodes have records of their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistantEndpoints } from '../../api/rest/assistant-endpoints.ts';
import { controlEndpoints } from '../../api/rest/control-endpoints.ts';
import { inferenceEndpoints } from '../../api/rest/inference-endpoints.ts';
import { openAiEndpoints } from '../../api/rest/openai-endpoints.ts';
import { EXCEPTIONS, whereOf } from './where.ts';

const ENDPOINTS = [...controlEndpoints, ...assistantEndpoints, ...openAiEndpoints, ...inferenceEndpoints];
const NAMES = /\{(index_name|assistant_name)\}/;

test('names endpoints that there are', () => {
  const ids = new Set(ENDPOINTS.map(({ id }) => id));
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((id) => !ids.has(id)),
    [],
  );
});

test('sends what names an index or an assistant to its node, except what the catalog answers', () => {
  const here = ENDPOINTS.filter((each) => NAMES.test(each.path) && whereOf(each, false) === 'any');
  assert.deepEqual(
    here.map(({ id }) => id).filter((id) => EXCEPTIONS[id] !== 'any'),
    [],
  );
  for (const endpoint of ENDPOINTS) assert.equal(whereOf(endpoint, true), 'index');
});

test('places all that makes an index or an assistant', () => {
  const made = ENDPOINTS.filter((each) => whereOf(each, false) === 'new').map(({ id }) => id);
  assert.deepEqual(made.sort(), [
    'create_assistant',
    'create_index',
    'create_index_for_model',
    'create_index_from_backup_operation',
  ]);
});
