// The server as a process: its end with the command that started it, and signals that must not open or close anything.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

/** As under a Node release that cannot run TypeScript: the command starts the Node that the package brings. */
const AS_OLD_NODE = ['--no-strip-types'];

describe('the process of the server', () => {
  let service: Service;
  before(async () => {
    service = await startService({ env: { PINYON_LOG_LEVEL: 'info' } });
  });
  after(() => service.dispose());

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
