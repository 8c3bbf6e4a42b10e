// A reader and a writer of the embedded engine, in one thread, conform to the port, whichever way they search.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IndexProfile } from '../../domain/index-model.ts';
import { type ConformanceIndex, describeReaderAndWriter } from '../conformance/conformance-suite.ts';
import { neighborLists } from '../port/neighbor-lists.ts';
import { exportInProcess, importInProcess } from './in-process-copies.ts';
import { openInProcess } from './in-process-index.ts';

for (const [name, directRecordsMax, memoryProfile] of [
  ['straight from the records', Number.POSITIVE_INFINITY, 'memory'],
  ['in shared memory', 0, 'memory'],
  ['from disk', 0, 'disk'],
] as const) {
  describeReaderAndWriter(`the embedded engine, searching ${name},`, async (requested) => {
    const profile: IndexProfile = { ...requested, memoryProfile };
    const root = mkdtempSync(join(tmpdir(), 'pinyon-index-'));
    let count = 0;
    const index = open(profile, join(root, 'index'));
    const close = async () => {
      await index.close();
      rmSync(root, { recursive: true });
    };
    return { ...index, close };

    function open(openedProfile: IndexProfile, folder: string): ConformanceIndex {
      const index = openInProcess(openedProfile, folder, { directRecordsMax });
      return {
        reader: index.reader,
        writer: index.writer,
        neighbors: (request) => neighborLists(index.reader, request),
        exported: async () => exportInProcess({ profile: openedProfile, folder, index }),
        imported: async (bytes, overrides) => {
          const copy = { ...openedProfile, ...overrides };
          const folders = { aside: join(root, `aside-${++count}`), folder: join(root, `copy-${count}`) };
          await importInProcess(copy, bytes, folders);
          return open(copy, folders.folder);
        },
        close: () => index.close(),
      };
    }
  });
}
