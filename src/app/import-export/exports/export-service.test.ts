// The service for exports: what is deleted is gone, whenever its job ends.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import { mintProjectAccess } from '../../../domain/access.ts';
import type { Index } from '../../../domain/index-model.ts';
import { sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import { NEW_INDEX } from '../../indexes/testing/control-plane.ts';
import { EXPORT_KIND } from './export-progress.ts';
import { ExportService } from './export-service.ts';
import { ownBase } from './export-target.ts';

const INDEX: Index = {
  ...{ ...NEW_INDEX, ...sampleProfile({ metric: 'cosine' }) },
  ...{ projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
const NO_S3 = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };
const SCOPE = {
  access: mintProjectAccess({ organizationId: 'o', projectId: 'project-1', principalId: 'k' }),
  index: INDEX,
};

for (const completes of ['before it is cancelled', 'before that is decided'] as const)
  it(`leaves nothing of an export that is deleted while it runs, and completes ${completes}`, async (test) => {
    const blobs = await openFolderBlobs(tempFolder(test));
    const catalog = await openCatalog({ path: ':memory:' });
    test.after(() => Promise.all([blobs.close(), catalog.close()]));
    const kinds = [EXPORT_KIND];
    const complete = async (id: string) => {
      const at = new Date().toISOString();
      await catalog.jobs.claim({ owner: 'me', kinds, now: at, leaseUntil: '2999-01-01T00:00:00.000Z' });
      await blobs.put(
        `${ownBase(id)}manifest.json`,
        (async function* () {
          yield new Uint8Array(1);
        })(),
      );
      await catalog.jobs.release(id, 'me', { kind: 'completed', unlessCancelled: true }, at);
    };
    const service = new ExportService({
      ...{ catalog, blobs, rules: { roots: [], s3: NO_S3 }, aliases: { shared: () => undefined } },
      jobs: {
        enqueue: (job) => catalog.jobs.insert(job),
        cancel: async (id) => {
          if (completes === 'before it is cancelled') await complete(id);
          await catalog.jobs.cancel(id);
        },
        decided: async (id) => {
          if (completes === 'before that is decided') await complete(id);
        },
      },
    });
    const { id } = await service.start(SCOPE, { uri: null, namespace: null, format: null });
    await service.remove(SCOPE, id);
    const job = await catalog.jobs.find({ projectId: 'project-1', kind: EXPORT_KIND, id });
    const { items } = await blobs.list(ownBase(id), null);
    if (job?.state === 'Completed') assert.deepEqual(items, []);
    else assert.equal(job?.state, 'Undoing', 'the undo removes what there is');
  });
