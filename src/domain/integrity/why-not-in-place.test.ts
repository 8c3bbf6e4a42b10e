// Backups that would bring vectors of another model into an index are not put in its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Archive, NO_FIGURES } from '../backups/archive.ts';
import type { IndexEmbedding } from '../embedding/index-embedding.ts';
import type { Index } from '../index-model.ts';
import { whyNotInPlace } from './why-not-in-place.ts';

const EMBED: IndexEmbedding = {
  ...{ model: 'words', textField: 'text', writeParameters: {}, readParameters: {} },
  ...{ source: { provider: 'built-in', revision: '2' }, remaking: null },
};

function indexWith(embed: Partial<IndexEmbedding>): Index {
  return {
    ...{
      id: 'index',
      projectId: 'project',
      name: 'books',
      vectorType: 'dense',
      metric: 'cosine',
      dimension: 3,
    },
    deployment: {
      ...{ kind: 'serverless', cloud: 'aws', region: 'us-east-1', readCapacity: { mode: 'OnDemand' } },
      ...{ metadataSchema: null, sourceCollection: null },
    },
    ...{ state: 'Ready', deletionProtection: 'disabled', tags: {}, port: null, createdAt: '' },
    ...{ embed: { ...EMBED, ...embed }, documents: null },
  };
}

function backupOf(source: Index): Archive {
  return {
    ...{
      id: 'b',
      face: 'backup',
      projectId: source.projectId,
      name: null,
      description: null,
      state: 'Ready',
    },
    ...{ source, sourceDeletedAt: null, manifestSha256: '', scheduleId: null, ...NO_FIGURES },
    ...{ scheduledAt: null, expiresAt: null, createdAt: '' },
  };
}

test('only backups whose vectors are those of the index take its place', () => {
  const whole = indexWith({});
  const before = indexWith({ source: { provider: 'built-in', revision: '1' } });
  const half = indexWith({ remaking: { provider: 'built-in', revision: '3' } });
  assert.equal(whyNotInPlace(backupOf(whole), whole), null);
  assert.match(whyNotInPlace(backupOf(before), whole) ?? '', /its model has been changed since backup b/);
  assert.match(whyNotInPlace(backupOf(half), whole) ?? '', /while its texts were embedded again/);
  assert.match(whyNotInPlace(backupOf(whole), half) ?? '', /its texts are being embedded again/);
});
