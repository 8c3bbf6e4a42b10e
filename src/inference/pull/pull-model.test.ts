// Guarantees of pulling: files in a model's folder are complete and verified, and interrupted downloads resume.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { unsyncedOf } from '../../platform/testing/unsynced-of.ts';
import { MANIFEST_FILE, readManifest } from '../providers/onnx/manifest.ts';
import { openOnnxModel } from '../providers/onnx/open-onnx-model.ts';
import { onnxFile } from '../providers/onnx/testing/onnx-graph.ts';
import { EMBEDDING_GRAPH, TINY_DIMENSION, writeTinyModel } from '../providers/onnx/testing/tiny-models.ts';
import { broughtModel, CATALOGUE } from '../settings/describe-model.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { hubPieces } from './hub.ts';
import { listModels, modelsText, pullCommand } from './models-command.ts';
import { type PullProgress, pullModel } from './pull-model.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import { fakeHub, REPOSITORY } from './testing/fake-hub.ts';

const root = mkdtempSync(join(tmpdir(), 'pinyon-pull-'));
after(() => rmSync(root, { recursive: true, force: true }));

const made = join(root, 'made');
writeTinyModel(made, EMBEDDING_GRAPH, {});
const MODEL = 'onnx/model.onnx';
const FILES = {
  [MODEL]: onnxFile(EMBEDDING_GRAPH),
  'tokenizer.json': readFileSync(join(made, 'tokenizer.json')),
  'tokenizer_config.json': readFileSync(join(made, 'tokenizer_config.json')),
  'README.md': Buffer.from('not needed'),
};
const RECIPE: Recipe = {
  repository: REPOSITORY,
  files: [MODEL, 'tokenizer.json', 'tokenizer_config.json'],
  manifest: { dimensions: TINY_DIMENSION, max_tokens: 16 },
  licence: 'Apache-2.0',
};

let folders = 0;

async function hubAndOptions() {
  const hub = await fakeHub(FILES);
  after(() => hub.close());
  folders++;
  const modelsDir = join(root, String(folders));
  const onProgress = ({ bytes }: PullProgress) => hub.arrived(bytes);
  const options = { modelsDir, from: hub.url, recipes: new Map([['tiny', RECIPE]]), pauseMs: 0, onProgress };
  return { hub, modelsDir, options };
}

async function refused(pulled: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(pulled, (error) => {
    assert.ok(error instanceof ModelsProblem, String(error));
    assert.match(error.message, message);
    return true;
  });
}

test('serves a pulled model, and leaves it alone in a second pull', async () => {
  const { hub, modelsDir, options } = await hubAndOptions();
  const progress: number[] = [];
  const folder = await pullModel('tiny', { ...options, onProgress: ({ bytes }) => progress.push(bytes) });
  assert.equal(folder, join(modelsDir, 'tiny'));
  assert.equal(progress.at(-1), FILES['tokenizer_config.json'].length);
  assert.deepEqual(readdirSync(modelsDir), ['tiny']);
  assert.deepEqual(
    hub.downloads.map(([path]) => path),
    RECIPE.files,
  );
  const served = await openOnnxModel({ name: 'tiny', folder, threads: 1 });
  assert.ok('embedder' in served);
  await served.embedder.close();
  await refused(pullModel('tiny', options), /already exists/);
});

test('resumes an interrupted download, in the same pull and in the next', async () => {
  const { hub, options } = await hubAndOptions();
  hub.breaks.push(100, 50);
  await pullModel('tiny', options);
  assert.deepEqual(hub.downloads.slice(0, 3), [
    [MODEL, undefined],
    [MODEL, 'bytes=100-'],
    [MODEL, 'bytes=150-'],
  ]);

  const again = await hubAndOptions();
  again.hub.breaks.push(100, 0, 0, 0, 0);
  await refused(
    pullModel('tiny', again.options),
    /model\.onnx cannot be downloaded: .*Run the command again to resume/,
  );
  assert.ok(!existsSync(join(again.modelsDir, 'tiny')));
  await pullModel('tiny', again.options);
  assert.deepEqual(again.hub.downloads.at(-3), [MODEL, 'bytes=100-']);
});

test('accepts a hub that sends a whole file again', async () => {
  const { hub, options } = await hubAndOptions();
  hub.takesRanges = false;
  hub.breaks.push(100);
  await pullModel('tiny', options);
  assert.deepEqual(hub.downloads.slice(0, 2), [
    [MODEL, undefined],
    [MODEL, 'bytes=100-'],
  ]);
});

test('follows redirects to another host, where downloads also resume and are verified', async () => {
  const { hub, options } = await hubAndOptions();
  const other = await fakeHub(FILES);
  after(() => other.close());
  hub.sendsTo = other.url;
  other.breaks.push(100);
  const onProgress = ({ bytes }: PullProgress) => other.arrived(bytes);
  other.isDamaged = true;
  await refused(pullModel('tiny', { ...options, onProgress }), /onnx\/model\.onnx is damaged/);
  other.isDamaged = false;
  await pullModel('tiny', { ...options, onProgress });
  assert.deepEqual(other.downloads.slice(0, 3), [
    [MODEL, undefined],
    [MODEL, 'bytes=100-'],
    [MODEL, undefined],
  ]);
});

test('refuses a redirect from an encrypted hub to an unencrypted address', async () => {
  const answer = Object.defineProperty(new Response('bytes'), 'url', {
    value: 'http://cdn.example.org/file',
  });
  const fetched = mock.method(globalThis, 'fetch', async () => answer);
  const open = hubPieces({ hub: 'https://hub.example.org', repository: REPOSITORY, commit: 'c' });
  const piece = { path: MODEL, from: 0, signal: new AbortController().signal };
  await refused(open(piece), /an address without encryption/);
  fetched.mock.restore();
});

test('never installs damaged files, large or small', async () => {
  const { hub, modelsDir, options } = await hubAndOptions();
  hub.isDamaged = true;
  await refused(pullModel('tiny', options), /onnx\/model\.onnx is damaged/);
  const small = new Map([['tiny', { ...RECIPE, files: ['tokenizer.json'] }]]);
  await refused(pullModel('tiny', { ...options, recipes: small }), /tokenizer\.json is damaged/);
  assert.ok(!existsSync(join(modelsDir, 'tiny')));
  hub.isDamaged = false;
  await pullModel('tiny', options);
});

test('leaves a folder behind a power loss only with all of its files', async () => {
  const { modelsDir, options } = await hubAndOptions();
  const folder = join(modelsDir, 'tiny');
  const pull = async () => void (await pullModel('tiny', options));
  assert.deepEqual(await unsyncedOf(folder, pull), []);
  assert.ok(existsSync(join(folder, MANIFEST_FILE)));
});

test('explains unknown names, missing files and addresses that are not hubs', async () => {
  const { hub, options } = await hubAndOptions();
  await refused(pullModel('other', options), /no recipe for other; recipes exist for tiny/);
  const lost = new Map([['tiny', { ...RECIPE, files: ['lost.onnx'] }]]);
  await refused(pullModel('tiny', { ...options, recipes: lost }), /has no file lost\.onnx any more/);
  const elsewhere = new Map([['tiny', { ...RECIPE, repository: 'no/such' }]]);
  await refused(pullModel('tiny', { ...options, recipes: elsewhere }), /answered status 404/);
  hub.close();
  await refused(pullModel('tiny', options), /cannot be reached/);
});

test('pulls the model of a recipe by command, and reports progress and the next step', async () => {
  const name = 'multilingual-e5-large';
  const recipe = RECIPES.get(name);
  assert.ok(recipe !== undefined);
  const bytes = Buffer.alloc(3_000_000, 7);
  const hub = await fakeHub(Object.fromEntries(recipe.files.map((path) => [path, bytes])), recipe.repository);
  after(() => hub.close());
  const modelsDir = join(root, 'commanded');
  for (const isTerminal of [false, true]) {
    let text = '';
    const write = (piece: string) => {
      text += piece;
    };
    const places = { modelsDir, runtimeDir: join(root, 'no-runtime'), from: `${hub.url}/` };
    await pullCommand(name, { ...places, proxy: null, environment: {}, write, isTerminal });
    assert.match(
      text,
      isTerminal ? /\r\[#{24}\] 100 % {2}3 of 3 MB {2}onnx/ : /^\d+ % {2}\d of 3 MB {2}onnx/,
    );
    assert.match(
      text,
      /from Xenova\/multilingual-e5-large [0-9a-f]+\.\n[\s\S]*answers from the next start on[\s\S]*pinyon reembed INDEX/,
    );
    const manifest = readManifest(join(modelsDir, name));
    assert.deepEqual(manifest.prefixes, { query: 'query: ', passage: 'passage: ' });
    assert.equal(manifest.checksums.size, recipe.files.length);
    rmSync(join(modelsDir, name), { recursive: true });
  }
});

test('has only recipes that the catalogue and the manifest accept', () => {
  for (const [name, { manifest }] of RECIPES) {
    const folder = join(root, 'recipe', name);
    writeTinyModel(folder, EMBEDDING_GRAPH, manifest);
    const { attributes } = readManifest(folder);
    assert.equal(broughtModel(name, attributes, '').name, name);
  }
});

test('has only recipes with room for all the tokens that a hosted name promises', () => {
  // XLM-RoBERTa's tokenizer, which all of them have, puts so many around a text, or around and between a pair.
  const special = { embed: 2, rerank: 4 };
  const prefix = 2;
  for (const [name, { manifest }] of RECIPES) {
    const promised = CATALOGUE.get(name);
    if (promised === undefined) continue;
    const folder = join(root, 'room', name);
    writeTinyModel(folder, EMBEDDING_GRAPH, manifest);
    const { maxTokens, prefixes } = readManifest(folder);
    const marks = special[promised.kind] + (prefixes.passage === '' ? 0 : prefix);
    assert.ok(maxTokens - marks >= promised.maxSequenceLength, name);
  }
});

test('lists who answers for each model, and what can be pulled', async () => {
  const { modelsDir, options } = await hubAndOptions();
  await pullModel('tiny', options);
  const text = modelsText(listModels({ settings: new Map(), modelsDir }));
  assert.match(text, /multilingual-e5-large +Pinyon built-in, in place of Microsoft/);
  assert.match(text, /tiny +local ONNX model/);
  assert.match(text, /bge-reranker-v2-m3 +onnx-community/);
  assert.match(text, /all-minilm-l6-v2 +Xenova\/all-MiniLM-L6-v2 \(Apache-2\.0\)/);
});
