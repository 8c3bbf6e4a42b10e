// Guarantees of certificates that change: whatever way the files are replaced, new connections get the new pair, and
// none that cannot be used.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { TlsFiles } from '../http/connections/protocol-handlers.ts';
import { selfSigned } from '../http/testing/self-signed.ts';
import { until } from '../platform/testing/until.ts';
import { reloadTlsFiles, type TlsReload } from './tls-reload.ts';

const SETTLE_MS = 30;

describe('a changed certificate', () => {
  let folder: string;
  let used: TlsFiles[];
  let log: string[];
  let reload: TlsReload | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-tls-'));
    used = [];
    log = [];
  });
  afterEach(() => {
    reload?.close();
    rmSync(folder, { recursive: true });
  });

  function put(pair: TlsFiles, at = folder): void {
    mkdirSync(at, { recursive: true });
    for (const name of ['cert', 'key'] as const) {
      writeFileSync(join(at, `${name}.new`), pair[name]);
      renameSync(join(at, `${name}.new`), join(at, `${name}.pem`));
    }
  }

  function start(pair: TlsFiles): void {
    reload = reloadTlsFiles(pair, {
      settings: { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') },
      server: { useTls: (files) => void used.push(files) },
      logger: {
        info: (...words: readonly unknown[]) => void log.push(JSON.stringify(words)),
        error: (...words: readonly unknown[]) => void log.push(JSON.stringify(words)),
      },
      settleMs: SETTLE_MS,
    });
  }

  it('is used after both files were replaced by renaming, again and again', async () => {
    const [first, second, third] = [selfSigned(), selfSigned(), selfSigned()];
    put(first);
    start(first);
    for (const next of [second, third]) {
      put(next);
      await until(() => used.at(-1)?.cert === next.cert, 'the new certificate');
    }
    assert.deepEqual(used, [second, third]);
  });

  it('is used after a link was swapped, as Kubernetes replaces secrets', async () => {
    const [first, second, third] = [selfSigned(), selfSigned(), selfSigned()];
    const swap = (name: string, pair: TlsFiles) => {
      put(pair, join(folder, name));
      symlinkSync(name, join(folder, '..new'));
      renameSync(join(folder, '..new'), join(folder, '..data'));
    };
    swap('..first', first);
    for (const name of ['cert.pem', 'key.pem']) symlinkSync(`..data/${name}`, join(folder, name));
    start(first);
    for (const [name, pair] of [
      ['..second', second],
      ['..third', third],
    ] as const) {
      swap(name, pair);
      await until(() => used.at(-1)?.cert === pair.cert, 'the new certificate');
    }
    assert.deepEqual(used, [second, third]);
  });

  it('is refused with one line while the pair is broken, and used once it is whole', async () => {
    const [first, second] = [selfSigned(), selfSigned()];
    put(first);
    start(first);
    writeFileSync(join(folder, 'cert.pem'), second.cert);
    await until(() => log.length > 0, 'a line in the log');
    assert.match(log[0] ?? '', /do not match.*the former one stays in use/);
    assert.deepEqual(used, []);
    put(second);
    await until(() => used.length > 0, 'the new certificate');
    assert.deepEqual(used, [second]);
    assert.equal(log.length, 2);
  });

  it('is read at once on demand, also when nothing has changed', () => {
    const first = selfSigned();
    put(first);
    start(first);
    reload?.reload();
    assert.deepEqual(used, [first]);
    assert.match(log[0] ?? '', /SIGHUP: the TLS certificate was reloaded/);
  });
});
