// The command line as people and scripts use it: results, errors as sentences, exit codes.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { call } from './support/call.ts';
import { jsonlBytes, putFiles } from './support/import-files.ts';
import { Random } from './support/random.ts';
import { type CliResult, runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { recordsOf, upsert } from './support/wire-records.ts';

describe('the command line', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-cli-`);
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({ env: { PINYON_IMPORT_FROM: `file://${folder}` } });
    host = await service.createIndex({ name: 'films', dimension: 2, metric: 'cosine' });
    await upsert(host, 'ns', [
      { id: 'a', values: [1, 2] },
      { id: 'b', values: [3, 4], metadata: { x: 1 } },
    ]);
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  function run(...words: readonly string[]): Promise<CliResult> {
    return runCli(words, { PINYON_URL: service.url, PINYON_API_KEY: API_KEY });
  }

  it('exports to a local folder, imports, and lists jobs', async () => {
    const exported = await run('export', 'films', '--to', `${folder}/down`, '--format', 'jsonl', '--json');
    assert.equal(exported.code, 0, exported.err);
    assert.equal((JSON.parse(exported.out) as { recordsExported: number }).recordsExported, 2);
    assert.match(exported.err, /Export: 100\.0 %, Completed, 2 records\n/);
    assert.ok(existsSync(`${folder}/down/manifest.json`));
    const target = await service.createIndex({ name: 'copy', dimension: 2, metric: 'cosine' });
    const imported = await run('import', 'copy', `file://${folder}/down`);
    assert.deepEqual(
      [imported.code, imported.out.replace(/Import \S+/, 'Import ID')],
      [0, 'Import ID added 2 records to index copy.\n'],
      imported.err,
    );
    assert.deepEqual(await recordsOf(target, 'ns'), await recordsOf(host, 'ns'));
    const jobs = await run('jobs', '--json');
    const rows = JSON.parse(jobs.out) as readonly { kind: string; index: string; status: string }[];
    assert.deepEqual(
      rows.map(({ kind, index, status }) => [kind, index, status]),
      [
        ['import', 'copy', 'Completed'],
        ['export', 'films', 'Completed'],
      ],
    );
    assert.match((await run('jobs', 'copy')).out, /^\S+\timport\tcopy\tCompleted\t100\t2\t/);
  });

  it('imports a file of this machine, whose columns may have other names', async () => {
    const target = await service.createIndex({ name: 'sent', dimension: 2, metric: 'cosine' });
    const rows = [
      { key: 'a', vector: [1, 2], released: 1979 },
      { key: 'b', vector: [1] },
    ];
    putFiles(`${folder}/sent`, { 'films.jsonl': jsonlBytes(rows) });
    const columns = ['--columns', 'id=key,values=vector,year=released'];
    const errors = `${folder}/sent/errors.jsonl`;
    const done = await run(
      'import',
      'sent',
      `${folder}/sent/films.jsonl`,
      '-n',
      'ns',
      ...columns,
      '--errors',
      errors,
    );
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /added 1 record to index sent\. It skipped 1 invalid row/);
    assert.match(readFileSync(errors, 'utf8'), /"row":2,"id":"b"/);
    const fetched = await call(target, 'GET', '/vectors/fetch?ids=a&namespace=ns', { key: API_KEY });
    const { vectors } = fetched.body as {
      readonly vectors: Readonly<Record<string, { readonly metadata: object }>>;
    };
    assert.deepEqual(vectors.a?.metadata, { year: 1979 });
    const folderOfMany = await run('import', 'sent', `file://${folder}/sent2`, ...columns);
    assert.match(folderOfMany.err, /ended as Failed: Folder .* does not exist/);
  });

  it('tells without a key whether the server is ready', async () => {
    const ready = await runCli(['health', '--url', service.url, '--json']);
    assert.deepEqual([ready.code, JSON.parse(ready.out)], [0, { status: 'ok', url: service.url }]);
    const { port } = new URL(service.url);
    assert.equal((await runCli(['health'], { PINYON_PORT: port })).code, 0);
    const absent = await runCli(['health'], { PINYON_PORT: '1' });
    assert.deepEqual(
      [absent.code, absent.err],
      [3, 'No server responds at http://localhost:1: the connection was refused; is the server running?\n'],
    );
  });

  it('backs up and restores', async () => {
    const made = await run('backup', 'create', 'films', '--name', 'first', '--json');
    assert.equal(made.code, 0, made.err);
    const { backup_id: id, status } = JSON.parse(made.out) as { backup_id: string; status: string };
    assert.equal(status, 'Ready');
    assert.match((await run('backup', 'list', 'films')).out, new RegExp(`^${id}\tfilms\tfirst\tReady\t2\t`));
    const restored = await run('restore', id, 'again', '--tag', 'a=b');
    assert.deepEqual(
      [restored.code, restored.out],
      [0, `Index again is restored from backup ${id}.\n`],
      restored.err,
    );
    assert.match((await run('backup', 'delete', id, '--yes')).out, /is deleted/);
  });

  it('writes the rows that an import skipped to a file', async () => {
    putFiles(`${folder}/wrong`, {
      'x/1.jsonl': jsonlBytes([
        { id: 'a', values: [1, 1] },
        { id: 'b', values: [1] },
      ]),
    });
    const done = await run('import', 'films', `file://${folder}/wrong`, '--errors', `${folder}/errors.jsonl`);
    assert.equal(done.code, 0, done.err);
    assert.match(
      done.out,
      /added 1 record to index films\. It skipped 1 invalid row; \S+errors\.jsonl has the reasons/,
    );
    assert.match(
      readFileSync(`${folder}/errors.jsonl`, 'utf8'),
      /^\{"file":"x\/1\.jsonl","row":2,"id":"b","reason":"Vector dimension 1/,
    );
  });

  it('fails and names the file and the row where an import could not read on, beside skipped rows', async () => {
    const random = new Random(140);
    const rows = jsonlBytes([
      { id: 'a', values: [1] },
      ...Array.from({ length: 5_000 }, (_, at) => ({ id: `r${at}`, values: [at + 1, random.next()] })),
    ]);
    const whole = gzipSync(rows);
    putFiles(`${folder}/cut`, {
      'cut/1.jsonl.gz': whole.subarray(0, whole.length / 2),
      'cut/2.parquet': 'PAR1',
    });
    const done = await run('import', 'films', `file://${folder}/cut`);
    assert.equal(done.code, 1);
    assert.match(done.out, /It skipped 1 invalid row; --errors FILE writes the reasons/);
    assert.match(
      done.err,
      /\nFile cut\/1\.jsonl\.gz: The file cannot be read beyond row \d+: .*not a whole gzip file: .*\nFile cut\/2\.parquet: The file cannot be read: .*\nThe rest of 2 files was not imported; what was read before is in the index\.\n$/,
    );
  });

  it('reports each kind of error with a sentence and an exit code', async () => {
    const cases: readonly [readonly string[], number, RegExp][] = [
      [['import', 'films'], 2, /^Missing argument SOURCE of 'pinyon import'\. See --help\.\n$/],
      [['jobs', '--url', 'localhost:5080'], 2, /^localhost:5080 is not a URL: expected http:/],
      [
        ['import', 'films', 'x', '--errors', '/none/x'],
        1,
        /^\/none\/x cannot be used: no such file or directory\.\n$/,
      ],
      [['export', 'films', '--to', folder], 1, /^The folder \S+ is not empty\.\n$/],
      [
        ['export', 'films', '--namespace', 'none', '--to', `${folder}/new`],
        1,
        /Namespace none does not exist\.\n$/,
      ],
      [
        ['migrate', 'films', 'b', '--from', service.url, '--from-key', API_KEY, '--state', '/none/x'],
        1,
        /^\/none cannot/,
      ],
      [['import', 'films', 'x', '--on-error', 'maybe'], 2, /--on-error must be one of continue, abort/],
      [['import', 'films', 'x', '--wat'], 2, /Unknown option '--wat'/],
      [['export', 'films'], 2, /Pass either --to or --uri/],
      [
        ['backup', 'lits'],
        2,
        /^Unknown command 'backup lits'\. Is 'pinyon backup list' meant\? See --help\.\n$/,
      ],
      [['import', 'films', 'x', '--onerror', 'x'], 2, /^Unknown option '--onerror'\. Is --on-error meant\?/],
      [['nonsense'], 2, /Unknown command 'nonsense'/],
      [
        ['import', 'films', 'file:///etc'],
        1,
        /^uri is not under an address that the setting PINYON_IMPORT_FROM/,
      ],
      [['import', 'films', `${folder}/none.jsonl`], 1, /none\.jsonl cannot be used: no such file/],
      [['import', 'films', folder], 2, /is not a file/],
      [
        ['import', 'films', 'file:///etc', '--namespace', 'x'],
        2,
        /--namespace is for a file of this machine/,
      ],
      [['import', 'films', 'file:///etc', '--columns', 'id'], 2, /--columns expects FIELD=COLUMN/],
      [['import', 'none', 'file:///etc'], 1, /^Index none not found\.\n$/],
      [['import', 'films', `file://${folder}/none`], 1, /ended as Failed: Folder .* does not exist/],
      [['jobs', '--api-key', 'wrong'], 1, /^Invalid API key\.\n$/],
      [['jobs', '--url', 'http://127.0.0.1:9'], 3, /^No server responds at http:\/\/127\.0\.0\.1:9: \w/],
    ];
    for (const [words, code, message] of cases) {
      const result = await run(...words);
      assert.equal(result.code, code, `${words.join(' ')}: ${result.err}`);
      assert.match(result.err.replaceAll(/^\w+: [\d.]+ %.*\n/gm, ''), message);
    }
  });

  it('explains every command', async () => {
    const { out, code } = await run('--help');
    assert.equal(code, 0);
    for (const name of ['backup', 'restore', 'import', 'export', 'jobs', 'migrate']) {
      assert.match(out, new RegExp(`^ +${name} `, 'm'));
    }
    assert.match((await run('migrate', '--help')).out, /^Usage: pinyon migrate SOURCE_INDEX/);
  });
});
