// Namespaces that an export and an import of it carry from one index to another: as they were.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderBlobs } from '../../blobs/folder/open-folder-blobs.ts';
import type { ImportErrorStore } from '../../catalog/port.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { dense, sampleProfile } from '../../engine/conformance/sample-data.ts';
import { tempFolder } from '../../engine/embedded/testing/temp-folder.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { FileCutter } from '../../file-formats/exports/file-cutter.ts';
import { readImport } from '../../file-formats/imports/read-source.ts';
import type { JobRun } from '../../jobs/port.ts';
import { runningJob } from '../../jobs/testing/running-job.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { exportJob } from './exports/export-job.ts';
import { EXPORT_KIND } from './exports/export-progress.ts';
import { importJob } from './imports/import-job.ts';
import { IMPORT_KIND } from './imports/import-progress.ts';
import type { UploadedFiles } from './imports/uploaded-files.ts';

const TTL = { field: 'expires_at', seconds: null, namespaces: {} };
const SCHEMA = { fields: { expires_at: { filterable: true as const } } };
const FROM = { ...sampleProfile({ metric: 'euclidean' }), id: 'from', timeToLive: TTL };
const TO = { ...FROM, id: 'to' };
const NO_S3 = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };

function runOf(kind: string, { id: indexId, projectId }: IndexProfile, input: object): JobRun {
  const job = runningJob({ id: `${kind}-1`, kind, projectId, indexId, input });
  const { signal } = new AbortController();
  return { job, signal, percent: () => undefined, checkpoint: async () => undefined };
}

test('namespaces keep their names, whether they exist without records, and their schemas, through an export and an import', async (t) => {
  const folder = tempFolder(t);
  const engine = new ReferenceEngine();
  for (const profile of [FROM, TO]) await engine.createIndex(profile);
  const writer = engine.writer(FROM, () => 1_000);
  await writer.createNamespace('empty', null);
  await writer.createNamespace('made', null);
  await writer.createNamespace('schema', SCHEMA);
  const record = dense('a', [1, 2, 3, 4]);
  // Two of them have the names of files that an export writes.
  const names = ['', 'claim.json', 'made', 'manifest.json', 'plain', 'schema'];
  for (const name of names) await writer.upsert(name, [record]);
  // Expired since, and not removed yet: it exists for this record only.
  await writer.upsert('expired', [dense('a', [1, 2, 3, 4], { expires_at: 2_000 })]);

  const blobs = await openFolderBlobs(join(folder, 'blobs'));
  t.after(() => blobs.close());
  const rules = { roots: [{ kind: 'file' as const, path: folder }], s3: NO_S3, publicStorage: null };
  await exportJob({
    ...{ blobs, rules, engine, profile: () => FROM },
    openLocation: () => assert.fail('this test exports to no address'),
    openWriter: (start) => {
      const cutter = new FileCutter(start);
      return { add: (batch) => cutter.add(batch), close: async () => undefined };
    },
  }).run(runOf(EXPORT_KIND, FROM, { uri: null, namespace: null, format: 'jsonl' }));
  await importJob({
    ...{ engine, rules, profile: () => TO, index: () => ({ embed: null }), isAlias: () => false },
    jobs: { active: async () => [] },
    errors: {
      ...untouched<ImportErrorStore>(),
      put: async () => undefined,
      deleteOrphans: async () => undefined,
    },
    inference: untouched<Inference>(),
    uploads: untouched<UploadedFiles>(),
    read: (start) => readImport(start, () => undefined),
  }).run(
    runOf(IMPORT_KIND, TO, { uri: `file://${folder}/blobs/exports/${EXPORT_KIND}-1`, onError: 'abort' }),
  );

  const { items } = await engine.reader(TO).listNamespaces({ prefix: '', limit: 9, after: null });
  assert.deepEqual(
    items.map(({ name, recordCount, schema, isExplicit }) => [name, recordCount, schema, isExplicit]),
    [
      ['', 1, null, false],
      ['claim.json', 1, null, false],
      ['empty', 0, null, true],
      ['made', 1, null, true],
      ['manifest.json', 1, null, false],
      ['plain', 1, null, false],
      ['schema', 1, SCHEMA, true],
    ],
  );
});
