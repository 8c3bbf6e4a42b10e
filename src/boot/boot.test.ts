// Guarantees of the start: its order, what it creates, and the message when it fails.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { pino } from 'pino';
import type { FirstAccess } from '../app/access/bootstrap-access.ts';
import type { OpenIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import { openFolderBlobs } from '../blobs/folder/open-folder-blobs.ts';
import { CatalogOpenError } from '../catalog/port.ts';
import { fault } from '../domain/faults.ts';
import {
  controlEndpoint,
  FakeDirectory,
  FakeEngine,
  FakeExecutor,
  fakeIndex,
  memoryCatalog,
} from '../http/testing/fakes.ts';
import { selfSigned } from '../http/testing/self-signed.ts';
import { freePort } from '../http/testing/start-test-server.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { banner } from './banner.ts';
import { type BootParts, boot } from './boot.ts';
import { indexHostsFor } from './index-hosts.ts';
import { readSettings } from './read-settings.ts';
import { exitMessageFor, portProblem } from './start-problems.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pinyon-boot-'));
});
after(() => rm(folder, { recursive: true }));

/** Parts that record the order in which they are opened and closed. */
function notedParts(environment: Readonly<Record<string, string>> = {}) {
  const notes: string[] = [];
  const settings = readSettings({ PINYON_PORT: '0', PINYON_DATA_DIR: join(folder, 'data'), ...environment });
  const noted = <Value extends object>(name: string, value: Value): Value =>
    Object.assign(value, { close: async () => void notes.push(`close ${name}`) });
  const parts: BootParts = {
    settings,
    logger: pino({ level: 'silent' }),
    endpoints: {
      control: [controlEndpoint({ id: 'a', method: 'GET', path: '/a' })],
      inference: [],
      assistant: [],
      openai: [],
      data: [],
      admin: [],
      console: [],
      identity: [],
    },
    openInference: async () => {
      notes.push('models');
      return noted('models', testInference());
    },
    openCatalog: async () => {
      notes.push(`catalog, data folder ${(await stat(settings.dataDir)).isDirectory()}`);
      return noted('catalog', await memoryCatalog());
    },
    openBlobs: async ({ dataDir }) => {
      notes.push('blobs');
      return noted('blobs', await openFolderBlobs(join(dataDir, 'blobs')));
    },
    openEngine: async () => {
      notes.push('engine');
      return { engine: noted('engine', new FakeEngine()), executor: new FakeExecutor(), descriptions: null };
    },
    openLifecycle: async ({ portRange }) => {
      notes.push(`lifecycle, ports ${portRange !== null}`);
      const start = async () => void notes.push('start indexes');
      return noted(
        'lifecycle',
        Object.assign(new FakeDirectory(), { start, directory: { all: () => [] } }),
      ) as unknown as OpenIndexLifecycle;
    },
  };
  return { parts, notes };
}

async function exitMessageOf(parts: BootParts) {
  return boot(parts).then(
    () => assert.fail('it started'),
    (error: unknown) => exitMessageFor(error),
  );
}

test('opens everything in order, serves requests, and closes in reverse order', async () => {
  const { parts, notes } = notedParts();
  const running = await boot(parts);
  assert.deepEqual(await (await fetch(`http://127.0.0.1:${running.port}/health`)).json(), { status: 'ok' });
  const { key } = running.firstAccess;
  assert.ok(key.origin === 'generated');
  const headers = { 'api-key': key.key };
  assert.equal((await fetch(`http://127.0.0.1:${running.port}/a`, { headers })).status, 200);
  await running.stop();
  assert.deepEqual(notes, [
    'models',
    // No catalog is there yet, so it looks for what a lost one has left.
    'blobs',
    'close blobs',
    'catalog, data folder true',
    'blobs',
    'engine',
    'lifecycle, ports true',
    'start indexes',
    'close lifecycle',
    'close engine',
    'close models',
    'close blobs',
    'close catalog',
  ]);
});

test('makes a new data folder, and files in one that is open to all, readable by its owner alone', async () => {
  const { parts } = notedParts({ PINYON_DATA_DIR: join(folder, 'private', 'deep') });
  await (await boot(parts)).stop();
  assert.equal((await stat(parts.settings.dataDir)).mode & 0o077, 0);
  const file = join(folder, 'written-later');
  await writeFile(file, '', { mode: 0o666 });
  assert.equal((await stat(file)).mode & 0o077, 0);
});

test('explains an unusable data folder with a remedy, and exits with code 1', async () => {
  await writeFile(join(folder, 'file'), '');
  const { parts, notes } = notedParts({ PINYON_DATA_DIR: join(folder, 'file') });
  const { text, exitCode } = await exitMessageOf(parts);
  assert.equal(exitCode, 1);
  assert.match(
    text,
    /^Pinyon cannot start: the data directory .*file cannot be used \(EEXIST\)\. Set PINYON_DATA_DIR/,
  );
  assert.deepEqual(notes, ['models']);
});

test('names a base port that is in use', async () => {
  const first = await boot(notedParts().parts);
  const { parts } = notedParts({ PINYON_PORT: String(first.port), PINYON_INDEX_PORTS: '1-2' });
  const { text, exitCode } = await exitMessageOf(parts);
  assert.equal(exitCode, 1);
  assert.match(
    text,
    new RegExp(`another process listens on port ${first.port} on 127\\.0\\.0\\.1\\..*PINYON_PORT`),
  );
  assert.doesNotMatch(text, /\n/);
  await first.stop();
});

test("reports a data folder in use with the catalog's message", async () => {
  const { parts } = notedParts();
  const { text } = await exitMessageOf({
    ...parts,
    openCatalog: async () => {
      throw new CatalogOpenError('in-use', 'it is in use by another process.');
    },
  });
  assert.equal(text, 'Pinyon cannot start: it is in use by another process.');
});

test('reports missing or unfit certificates as a problem of the settings, before it touches anything', async () => {
  const { cert } = selfSigned();
  const { key } = selfSigned();
  const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certPath, cert);
  const missing = notedParts({ PINYON_TLS_CERT: certPath, PINYON_TLS_KEY: keyPath });
  const message = await exitMessageOf(missing.parts);
  assert.equal(message.exitCode, 2);
  assert.match(message.text, /PINYON_TLS_KEY names a file that cannot be read \(ENOENT\)/);
  await writeFile(keyPath, key);
  assert.match((await exitMessageOf(missing.parts)).text, /PINYON_TLS_CERT and PINYON_TLS_KEY do not match/);
  assert.deepEqual(missing.notes, []);
});

test('serves a renewed certificate after a reload, and keeps the former one while the files do not match', async () => {
  const [first, second] = [selfSigned(), selfSigned()];
  const [certPath, keyPath] = [join(folder, 'renewed-cert.pem'), join(folder, 'renewed-key.pem')];
  await writeFile(certPath, first.cert);
  await writeFile(keyPath, first.key);
  const running = await boot(notedParts({ PINYON_TLS_CERT: certPath, PINYON_TLS_KEY: keyPath }).parts);
  assert.equal(await servedCertificate(running.port), rawOf(first.cert));
  await writeFile(certPath, second.cert);
  running.reload();
  assert.equal(await servedCertificate(running.port), rawOf(first.cert));
  await writeFile(keyPath, second.key);
  running.reload();
  assert.equal(await servedCertificate(running.port), rawOf(second.cert));
  await running.stop();
});

function rawOf(pem: string): string {
  return new X509Certificate(pem).raw.toString('hex');
}

function servedCertificate(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw.toString('hex'));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('says that an address is none of this machine, whether or not there are indexes', async () => {
  for (const indexes of [0, 1]) {
    const { parts } = notedParts({ PINYON_BIND: 'nowhere.invalid', PINYON_INSECURE: 'true' });
    const port = await freePort();
    const { text } = await exitMessageOf({
      ...parts,
      openLifecycle: async (options) => {
        const lifecycle = await parts.openLifecycle(options);
        const start = async () => {
          if (indexes > 0) await options.ports.listen(port);
        };
        return Object.assign(lifecycle, { start });
      },
    });
    assert.match(text, /^Pinyon cannot start: nowhere\.invalid is not an address of .* PINYON_BIND [^\n]*$/);
  }
});

test('says so for whatever the system calls it, and names a port of an index that may not be opened', () => {
  const problem = (code: string, syscall: string, port?: number) => {
    const error = Object.assign(new Error(code), { code, syscall, ...(port !== undefined && { port }) });
    return exitMessageFor(portProblem(error, '::2', { setting: 'PINYON_INDEX_PORTS', port: null })).text;
  };
  for (const code of ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])
    assert.match(problem(code, 'listen', 5081), /: ::2 is not an address of this machine/);
  for (const code of ['ENOTFOUND', 'EAI_AGAIN'])
    assert.match(problem(code, 'getaddrinfo'), /: ::2 is not an address of this machine/);
  assert.match(problem('EACCES', 'listen', 81), /may not listen on port 81 on ::2\. Set PINYON_INDEX_PORTS/);
  // Of a file, which has nothing to do with ports.
  assert.match(problem('EACCES', 'open'), /: Error: EACCES\n/);
});

test('says what to do where the system lets it open too few files', () => {
  const outOfFiles = Object.assign(new Error('listen EMFILE'), { code: 'EMFILE' });
  assert.match(
    exitMessageFor(outOfFiles).text,
    /^Pinyon cannot start: .* too few files\. .*ulimit -n[^\n]*$/,
  );
});

test('keeps the stack of an internal error', () => {
  assert.match(exitMessageFor(new Error('odd')).text, /odd\n\s+at /);
});

test('shows new credentials once in the banner, and later only where they came from', async () => {
  const port = await freePort();
  const settings = readSettings({});
  const shown = (key: FirstAccess['key'], owner: FirstAccess['owner']) =>
    banner({
      version: '1.2.3',
      settings,
      port,
      firstAccess: { organizationId: 'o', key, owner },
      signInLink: owner.origin === 'generated' ? 'http://localhost/#/sign-in?code=once' : null,
      notices: [],
    });
  const first = shown(
    { origin: 'generated', key: 'pcsk_new' },
    { origin: 'generated', clientId: 'the-client', clientSecret: 'the-secret' },
  );
  assert.match(first, /Pinyon 1\.2\.3 is ready/);
  assert.match(first, new RegExp(`http://localhost:${port}/docs`));
  assert.match(first, /apiKey: 'pcsk_new'/);
  assert.match(first, /Console +http:\/\/localhost\/#\/sign-in\?code=once +\(signs you in, once\)/);
  assert.match(first, /the-client[\s\S]*the-secret/);
  const later = shown({ origin: 'earlier start' }, { origin: 'earlier start' });
  assert.doesNotMatch(later, /pcsk_/);
  assert.match(later, /pinyon admin reset-credentials/);
  const preset = shown({ origin: 'environment' }, { origin: 'environment' });
  assert.match(preset, /the value of PINYON_API_KEY/);
  assert.match(preset, /PINYON_ADMIN_CLIENT_ID/);
});

test('derives host fields from the settings', () => {
  const index = fakeIndex({ id: 'books', projectId: 'p', port: 5081 });
  const hostWith = (environment: Readonly<Record<string, string>>) =>
    indexHostsFor(readSettings(environment))(index);
  assert.equal(hostWith({}), 'http://localhost:5081');
  assert.equal(hostWith({ PINYON_HOST_WITHOUT_SCHEME: 'true' }), 'localhost:5081');
  assert.equal(hostWith({ PINYON_TLS_CERT: 'c', PINYON_TLS_KEY: 'k' }), 'https://localhost:5081');
  const domain = { PINYON_PUBLIC_DOMAIN: 'example.org' };
  assert.match(hostWith(domain), /^http:\/\/books-\w{7}\.example\.org:5080$/);
  assert.match(hostWith({ ...domain, PINYON_PUBLIC_PORT: '80' }), /\.example\.org$/);
  const behindProxy = { ...domain, PINYON_PUBLIC_PORT: '443', PINYON_HOST_WITHOUT_SCHEME: 'true' };
  assert.match(hostWith(behindProxy), /^books-\w{7}\.example\.org$/);
});

test('says with a sentence that the range has too few ports for the indexes', async () => {
  const { parts } = notedParts();
  const { text } = await exitMessageOf({
    ...parts,
    openLifecycle: () =>
      Promise.reject(fault('index-ports-exhausted', { count: 4, remedy: 'widen PINYON_INDEX_PORTS' })),
  });
  assert.equal(
    text,
    'Pinyon cannot start: All 4 index ports of this server are in use. Delete an index or widen PINYON_INDEX_PORTS.',
  );
});
