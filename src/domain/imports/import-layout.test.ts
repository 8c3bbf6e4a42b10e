// Which files an import reads into which namespaces, and which layouts it refuses.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { folderFor } from './folder-name.ts';
import { LayoutProblem, planFiles, plannedNamespaces } from './import-layout.ts';
import { MANIFEST_KIND, readManifest } from './manifest.ts';

const files = (...paths: readonly string[]) => paths.map((path) => ({ path, bytes: 1 }));

it('reads Parquet and JSONL files of every folder, and skips marker files and files beside folders', () => {
  const found = files(
    'README.md',
    '__default__/a.parquet',
    'ns/b.JSONL',
    'ns/_SUCCESS',
    'ns/.crc',
    'ns/deep/x.txt',
  );
  assert.deepEqual(
    planFiles(found, null).map(({ file, format, namespace }) => [file.path, format, namespace]),
    [
      ['__default__/a.parquet', 'parquet', ''],
      ['ns/b.JSONL', 'jsonl', 'ns'],
    ],
  );
});

it('refuses ambiguous layouts', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['x.parquet'], /does not lie in the folder of a namespace/],
    [['a/b/x.parquet'], /does not lie in the folder of a namespace/],
    [['a/x.csv'], /neither \.parquet nor \.jsonl/],
    [['a/_SUCCESS'], /There are no files/],
    [['ü/x.jsonl'], /no name for a namespace/],
    [[`${'x'.repeat(513)}/x.jsonl`], /no name for a namespace/],
  ];
  for (const [paths, reason] of cases) {
    assert.throws(
      () => planFiles(files(...paths), null),
      (error: Error) => error instanceof LayoutProblem && reason.test(error.message),
    );
  }
  const many = Array.from({ length: 100_001 }, (_, i) => ({ namespace: `n${i}` }));
  assert.throws(() => plannedNamespaces(many, null), /100001 namespaces; one import takes 100000/);
});

it('follows the manifest of an export: names of namespaces, and files that must exist', () => {
  const schema = { fields: { year: { filterable: true } } };
  const text = JSON.stringify({
    kind: MANIFEST_KIND,
    version: 1,
    namespaces: [
      { name: 'a/b', folder: 'a=2fb', records: 1 },
      { name: 'empty', folder: 'empty', records: 0, schema },
      { name: 'gone', folder: 'gone', records: 0, explicit: false },
      { name: 'made', folder: 'made', records: 1, explicit: true },
      { name: 'earlier', folder: 'earlier', records: 0 },
    ],
    files: [{ path: 'a=2fb/1.jsonl', bytes: 1 }],
  });
  const manifest = readManifest(text);
  const planned = planFiles(files('a=2fb/1.jsonl'), manifest);
  assert.equal(planned[0]?.namespace, 'a/b');
  assert.deepEqual(plannedNamespaces(planned, manifest), ['a/b', 'empty', 'gone', 'made', 'earlier']);
  assert.deepEqual(manifest?.namespaces[1]?.schema, schema);
  // Exports of 0.1.0 do not say which exist only for their records.
  assert.deepEqual(
    manifest.namespaces.map(({ isExplicit }) => isExplicit),
    [false, true, false, true, true],
  );
  assert.throws(() => planFiles(files('a=2fb/2.jsonl'), manifest), /1\.jsonl of the manifest is missing/);
  assert.throws(() => planFiles([{ path: 'a=2fb/1.jsonl', bytes: 2 }], manifest), /has 2 bytes, and 1 by/);
  for (const other of ['no json', '{}', '{"kind":"else"}', '[]']) assert.equal(readManifest(other), null);
  const named = (fields: object) => ({ namespaces: [{ folder: 'f', name: 'n', ...fields }] });
  for (const bad of [
    { version: 9 },
    { files: 1 },
    { files: [{ path: 'x' }] },
    { namespaces: [{}] },
    named({ name: 7 }),
    named({ name: 'a\0b' }),
    named({ name: '\0owner\0n' }),
    named({ name: 'ü' }),
    named({ schema: 1 }),
    named({ schema: { fields: { f: { filterable: false } } } }),
  ]) {
    assert.throws(() => readManifest(JSON.stringify({ ...JSON.parse(text), ...bad })), LayoutProblem);
  }
});

it('gives every namespace a folder name that any storage accepts, unique on disks without case, too', () => {
  const name = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      const folder = folderFor(one);
      assert.match(folder, /^[A-Za-z0-9_=-][A-Za-z0-9._=-]{0,119}$/);
      for (const another of [other, one.toUpperCase(), one.toLowerCase()])
        assert.equal(folder.toLowerCase() === folderFor(another).toLowerCase(), one === another);
    }),
    { seed: 9, numRuns: 2_000 },
  );
});

it('gives no namespace the name of a file beside the folders', () => {
  for (const name of ['manifest.json', 'claim.json']) {
    assert.match(folderFor(name), new RegExp(`^${name}=h[0-9a-f]{32}$`));
    assert.equal(folderFor(`${name}.gz`), `${name}.gz`);
  }
});

it('keeps names of lower-case letters and digits, and the beginning of those with upper-case letters', () => {
  for (const name of ['__default__', 'films-2.0']) assert.equal(folderFor(name), name);
  assert.match(folderFor('Films'), /^Films=h[0-9a-f]{32}$/);
});
