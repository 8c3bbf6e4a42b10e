// A process that is killed while it writes documents leaves each of them whole, in a version it had reached.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS, term } from '../conformance/document-data.ts';
import { idsOf } from '../conformance/harness.ts';
import { readable } from '../conformance/same-records.ts';
import { sampleProfile, sampleQuery, sparseOf, where } from '../conformance/sample-data.ts';
import { openInProcess } from './in-process-index.ts';
import { effort } from './testing/effort.ts';
import { tempFolder } from './testing/temp-folder.ts';
import { VERSIONED_DOCUMENTS, versionOf } from './testing/versioned-documents.ts';

const KILLS = effort({ daily: 2, long: 20 });
const WRITER = fileURLToPath(new URL('testing/document-writing-process.ts', import.meta.url));

for (let kill = 1; kill <= KILLS; kill++) {
  it(`keeps all parts of documents or none when the writer is killed (${kill})`, async (test) => {
    const folder = tempFolder(test);
    const acknowledged = await writeUntilKilled(folder, 3 * kill);
    for (const directRecordsMax of [0, Number.POSITIVE_INFINITY]) {
      const { reader, close } = openInProcess(sampleProfile(DOCUMENTS), folder, { directRecordsMax });
      try {
        const ids = idsOf(versionOf(1));
        const [first] = await reader.fetch('', ids);
        const version = first?.values?.[0] ?? 0;
        assert.ok(version >= acknowledged, `version ${version}, acknowledged ${acknowledged}`);
        const records = await reader.fetch('', ids);
        assert.deepEqual(records.map(readable), versionOf(version).map(readable));
        const topK = 2 * VERSIONED_DOCUMENTS;
        for (const query of [{ text: term('text', `word${version}`) }, { sparse: sparseOf([[version, 1]]) }])
          assert.equal((await reader.query(sampleQuery({ ...query, topK }))).length, VERSIONED_DOCUMENTS);
        assert.deepEqual(await reader.query(sampleQuery({ text: term('text', `word${version - 1}`) })), []);
        assert.equal(
          await reader.count('', where('version', { op: 'in', values: [version] })),
          VERSIONED_DOCUMENTS,
        );
      } finally {
        await close();
      }
    }
  });
}

/** Kills the writer right after it has acknowledged so many versions. @returns the last that it acknowledged */
async function writeUntilKilled(folder: string, versions: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let last = 0;
  for await (const line of createInterface(child.stdout)) {
    last = Number(line);
    if (last === versions) child.kill('SIGKILL');
  }
  await ended;
  return last;
}
