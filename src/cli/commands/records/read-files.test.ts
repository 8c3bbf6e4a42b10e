// Rows of files of this machine: all of each, or an error that names the file.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { silentIo } from '../../testing/fake-server.ts';
import { readWhole, rowSources } from './read-rows.ts';

const FORM = { format: undefined, names: new Map<string, string>(), textFields: [], textColumns: [] };
const ROWS = 15_000;

describe('reading a file', () => {
  async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'pinyon-rows-'));
    try {
      await use(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async function rowsOf(path: string, onBytes: (bytes: number) => void = () => undefined) {
    const [source] = await rowSources([path], FORM, silentIo());
    return Array.fromAsync(source?.rows(onBytes) ?? []);
  }

  it('gives all rows of every format, packed or not, and tells of all bytes of the file', async () => {
    await inFolder(async (folder) => {
      const ids = Array.from({ length: ROWS }, (_, at) => `r${at}`);
      const parquet = parquetWriteBuffer({ columnData: [{ name: 'id', data: ids, type: 'STRING' }] });
      const files = {
        'a.jsonl': Buffer.from(ids.map((id) => `{"id":"${id}"}\n`).join('')),
        'a.csv': Buffer.from(`id\n${ids.join('\n')}\n`),
        'a.parquet': Buffer.from(parquet),
      };
      for (const [name, bytes] of Object.entries(files)) {
        for (const [path, content] of [
          [join(folder, name), bytes],
          [join(folder, `${name}.gz`), gzipSync(bytes)],
        ] as const) {
          await writeFile(path, content);
          let read = 0;
          const rows = await rowsOf(path, (count) => {
            read = count;
          });
          assert.deepEqual(
            [rows.length, rows.at(-1)?.id, read],
            [ROWS, `r${ROWS - 1}`, content.length],
            path,
          );
        }
      }
    });
  });

  it('names the file that vanishes before it is read, that is cut, and the folder that is none', async () => {
    await inFolder(async (folder) => {
      for (const name of ['a.jsonl', 'a.jsonl.gz', 'a.parquet']) {
        const path = join(folder, name);
        await writeFile(path, '');
        const [source] = await rowSources([path], FORM, silentIo());
        await rm(path);
        await assert.rejects(
          Array.fromAsync(source?.rows(() => undefined) ?? []),
          new RegExp(`${name} cannot be read near row 1: ENOENT`),
        );
        await mkdir(path);
        await assert.rejects(rowSources([path], FORM, silentIo()), /is a folder; name its files\./);
        await rm(path, { recursive: true });
      }
      const cut = join(folder, 'cut.jsonl.gz');
      await writeFile(cut, gzipSync('{"id":"a"}\n').subarray(0, -8));
      await assert.rejects(rowsOf(cut), /cut\.jsonl\.gz cannot be read near row 2: unexpected end of file\./);
    });
  });

  it('leaves out the byte order mark of a text, and refuses one that is not UTF-8', async () => {
    await inFolder(async (folder) => {
      const path = join(folder, 'schema.json');
      await writeFile(path, '\ufeff{}');
      assert.equal((await readFile(path))[0], 0xef);
      assert.equal(await readWhole(path, silentIo()), '{}');
      await writeFile(path, Buffer.from('{"caf\u00e9": 1}', 'latin1'));
      await assert.rejects(
        readWhole(path, silentIo()),
        /schema\.json cannot be read: line 1 is not valid UTF-8\./,
      );
    });
  });
});
