// Ring 3: certificates are replaced while the server runs, and commands say what is wrong with a certificate.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { runCli } from './support/run-cli.ts';
import { API_KEY, newService, type Service } from './support/service.ts';
import { until } from './support/until.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/tls', import.meta.url));

describe('a server with a certificate', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-tls-`);
  const files = { PINYON_TLS_CERT: `${folder}/cert.pem`, PINYON_TLS_KEY: `${folder}/key.pem` };
  let service: Service;
  let url: string;
  before(async () => {
    put('first');
    service = await newService();
    await service.start({ env: { ...files, PINYON_LOG_LEVEL: 'info' } });
    url = service.url;
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  function put(name: string): void {
    for (const part of ['cert', 'key']) {
      copyFileSync(`${FIXTURES}/${name}.${part}.pem`, `${folder}/new`);
      renameSync(`${folder}/new`, `${folder}/${part}.pem`);
    }
  }

  /** The fingerprint that a new connection sees, to the server or to an index. */
  function seen(): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.once('error', reject);
    });
  }

  function fingerprint(name: string): string {
    return new X509Certificate(readFileSync(`${FIXTURES}/${name}.cert.pem`)).fingerprint256;
  }

  it('shows new connections the new certificate after its files were replaced, and on SIGHUP', async () => {
    assert.equal(await seen(), fingerprint('first'));
    put('second');
    await until(async () => (await seen()) === fingerprint('second'), 'the second certificate');
    put('first');
    process.kill(service.process.pid, 'SIGHUP');
    await until(async () => (await seen()) === fingerprint('first'), 'the first certificate again');
  });

  it('keeps the certificate that it has when the new one cannot be used, and says so', async () => {
    writeFileSync(`${folder}/cert.pem`, 'no certificate');
    await until(
      () => service.process.log.includes('the former one stays in use'),
      'the line about the certificate',
    );
    assert.equal(await seen(), fingerprint('first'));
    put('first');
  });

  it('is checked by pinyon health where a file of certificates is passed alone', async () => {
    const health = async (...words: string[]) => (await runCli(['health', '--url', url, ...words])).code;
    assert.equal(await health(), 0);
    assert.equal(await health('--ca', `${FIXTURES}/first.cert.pem`), 0);
    assert.equal(await health('--ca', `${FIXTURES}/second.cert.pem`), 3);
  });

  it('is named by commands that do not trust it, and answers those that do', async () => {
    const env = { PINYON_URL: url, PINYON_API_KEY: API_KEY };
    const refused = await runCli(['index', 'list'], env);
    assert.deepEqual(
      [refused.code, refused.err],
      [
        3,
        `The certificate of ${url} is not trusted: it is self-signed. Pass it, or that of its authority, with --ca FILE.\n`,
      ],
    );
    const trusted = await runCli(['index', 'list', '--json', '--ca', `${FIXTURES}/first.cert.pem`], env);
    assert.deepEqual([trusted.code, trusted.out], [0, '[]\n'], trusted.err);
    const plain = await runCli(['index', 'list'], { ...env, PINYON_URL: url.replace('https:', 'http:') });
    assert.deepEqual([plain.code, plain.err], [1, 'This port speaks HTTPS only. Use an https:// address.\n']);
  });
});
