// Where imports may read from, decided when they are requested.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStorageUri } from '../../storage-locations/port.ts';
import { checkLocation } from './transfer-rules.ts';

const ROOTS = ['file:///data/in', 's3://own/in'].map(parseStorageUri);
const NAMES = { field: 'uri', setting: 'PINYON_IMPORT_FROM' };

test('accepts any bucket where public ones may be read, and no folder outside the roots', () => {
  const open = { ...NAMES, mayBePublic: true };
  for (const uri of ['s3://films/2026', 's3://films', 's3://own/out', 's3://own/in/x', 'file:///data/in/x']) {
    checkLocation(uri, ROOTS, open);
  }
  for (const uri of ['file:///etc', 'gs://films/2026', 's3://10.0.0.1/x', 'http://films']) {
    assert.throws(() => checkLocation(uri, ROOTS, open), { message: /^uri / }, uri);
  }
});

test('accepts only the roots where public buckets are closed', () => {
  checkLocation('s3://own/in/x', ROOTS, NAMES);
  for (const uri of ['s3://films/2026', 's3://own/out']) {
    assert.throws(() => checkLocation(uri, ROOTS, NAMES), /PINYON_IMPORT_FROM/, uri);
  }
});
