// The server as a process: its end with the command that started it, and signals that must not open or close anything.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

/** As under a Node release that cannot run TypeScript: the command starts the Node that the package brings. */
const AS_OLD_NODE = ['--no-strip-types'];

/** Refuses each write as a full disk does. */
const FULL_DEVICE = '/dev/full';
const HAS_FULL_DEVICE = existsSync(FULL_DEVICE);

/** A server needs 50 of them before anybody calls it. */
const OPEN_FILES_MAX = 200;

describe('the process of the server', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { PINYON_LOG_LEVEL: 'info' }, openFilesMax: OPEN_FILES_MAX });
  });
  after(() => service.dispose());

  it('warns of a low limit of open files, and keeps half of them for itself however many clients connect', async () => {
    assert.match(service.process.log, /"filesMax":200.*PINYON_CONNECTIONS_MAX/);
    const host = await service.createIndex({ name: 'late', dimension: 2 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (path: string, body: unknown) => call(host, 'POST', path, { key: API_KEY, agent, body });
    assert.equal((await ask('/describe_index_stats', {})).status, 200);
    const { port } = new URL(service.url);
    const idle = Array.from({ length: OPEN_FILES_MAX }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => undefined);
    await until(() => service.process.log.includes('connection refused'), 'a refused connection');
    const vectors = [{ id: 'a', values: [1, 2] }];
    assert.equal((await ask('/vectors/upsert', { vectors })).status, 200);
    assert.equal((await ask('/query', { vector: [1, 2], topK: 1 })).status, 200);
    assert.doesNotMatch(service.process.log, /died|EMFILE/);
    for (const socket of idle) socket.destroy();
    agent.destroy();
  });

  it('opens no debugger on SIGUSR1, and stays on SIGHUP', async () => {
    process.kill(service.process.pid, 'SIGUSR1');
    process.kill(service.process.pid, 'SIGHUP');
    await until(() => service.process.log.includes('SIGHUP'), 'the line about SIGHUP');
    assert.equal((await service.call('GET', '/health')).status, 200);
    const { log } = service.process;
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    assert.doesNotMatch(log, /debugger/i);
    assert.match(log, /PINYON_TLS_CERT is not set/);
  });

  it('stays on SIGHUP while it starts, and stops in order on SIGTERM', async () => {
    const env = { PINYON_LOG_LEVEL: 'info', PINYON_UNKNOWN: 'told before anything is opened' };
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) {
      const run = service.run({ env });
      await until(() => run.log.includes('unknown setting'), 'the start');
      process.kill(run.pid, signal);
      if (signal === 'SIGHUP') {
        await run.ready();
        await until(() => run.log.includes('SIGHUP'), 'the line about SIGHUP');
      }
      assert.deepEqual(await (signal === 'SIGHUP' ? run.end('SIGTERM') : run.ended()), {
        code: 0,
        signal: null,
      });
    }
  });

  it('serves and stops in order where the disk below its log is full', {
    skip: !HAS_FULL_DEVICE,
  }, async () => {
    const run = service.run({ env: { PINYON_LOG_LEVEL: 'info' }, streams: { log: FULL_DEVICE } });
    const url = await run.ready();
    for (let i = 0; i < 20; i++)
      assert.equal((await call(url, 'GET', '/indexes', { key: API_KEY })).status, 200);
    assert.deepEqual(await run.end('SIGTERM'), { code: 0, signal: null });
  });

  it('serves and stops in order where standard output is full', { skip: !HAS_FULL_DEVICE }, async () => {
    const run = service.run({ env: { PINYON_LOG_LEVEL: 'info' }, streams: { out: FULL_DEVICE } });
    await until(
      () => run.log.includes('standard output cannot be written'),
      'the line about standard output',
    );
    const [, port] = /"port":(\d+)/.exec(run.log) ?? [];
    const answer = await call(`http://127.0.0.1:${port}`, 'GET', '/indexes', { key: API_KEY });
    assert.equal(answer.status, 200);
    assert.deepEqual(await run.end('SIGTERM'), { code: 0, signal: null });
  });

  it('ends with a command of an older Node that is killed, so that the next start finds the data free', async () => {
    const run = service.run({ env: {}, nodeFlags: AS_OLD_NODE });
    await run.ready();
    // Resolves when the server, too, has let go of the standard streams.
    assert.deepEqual(await run.end('SIGKILL'), { code: null, signal: 'SIGKILL' });
    await service.start();
    await service.stop();
  });

  it('stops in order when a command of an older Node gets SIGTERM, and passes its arguments and exit code on', async () => {
    const run = service.run({ env: {}, nodeFlags: AS_OLD_NODE });
    await run.ready();
    assert.deepEqual(await run.end('SIGTERM'), { code: 0, signal: null });
    const wrong = service.run({ env: { PINYON_PORT: 'many' }, nodeFlags: AS_OLD_NODE });
    assert.deepEqual(await wrong.ended(), { code: 2, signal: null });
  });
});
