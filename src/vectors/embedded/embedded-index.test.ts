// The embedded engine keeps the vectors contract, with either kind of search and with engine memory in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeVectorContract } from '../contract-suite.ts';
import { openInProcess } from './in-process-index.ts';

for (const [name, directRecordsMax] of [
  ['straight from the records', Number.POSITIVE_INFINITY],
  ['in shared memory', 0],
] as const) {
  describeVectorContract(`the embedded engine, searching ${name},`, async (profile) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-index-'));
    const index = openInProcess(profile, folder, { directRecordsMax });
    const close = async () => {
      await index.close();
      rmSync(folder, { recursive: true });
    };
    return { reader: index.reader, writer: index.writer, close };
  });
}
