import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runLine } from '../line/run-line.ts';
import { COMMAND_GROUPS } from '../table/command-table.ts';
import { silentIo, withServer } from '../testing/fake-server.ts';

const NOBODY = 'http://localhost:1';

describe('health asks the server', () => {
  /** Runs it with two profiles: `there` at a server that is ready, and `nowhere`, which is current. */
  async function outcomeOf(
    words: readonly string[],
    environmentOf: (url: string) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<'ready' | 'unreachable' | number | null> {
    const folder = await mkdtemp(join(tmpdir(), 'pinyon-health-'));
    let code: number | null = null;
    try {
      await withServer(
        (_request, response) => response.end('{}'),
        async (url) => {
          const profiles = { there: { url }, nowhere: { url: NOBODY } };
          await mkdir(join(folder, 'pinyon'));
          await writeFile(
            join(folder, 'pinyon', 'profiles.json'),
            JSON.stringify({ current: 'nowhere', profiles }),
            { mode: 0o600 },
          );
          const io = silentIo({ environment: { ...environmentOf(url), XDG_CONFIG_HOME: folder } });
          code = await runLine(['health', ...words], { groups: COMMAND_GROUPS, version: '0' }, io);
        },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
    return code === 0 ? 'ready' : code === 3 ? 'unreachable' : code;
  }

  it('of the current profile', async () => {
    assert.equal(await outcomeOf([]), 'unreachable');
  });

  it('of PINYON_PROFILE rather than of the current profile', async () => {
    assert.equal(await outcomeOf([], () => ({ PINYON_PROFILE: 'there' })), 'ready');
  });

  it('of --profile rather than of the environment', async () => {
    assert.equal(await outcomeOf(['--profile', 'there'], () => ({ PINYON_URL: NOBODY })), 'ready');
    assert.equal(await outcomeOf(['--profile', 'there'], () => ({ PINYON_PORT: '1' })), 'ready');
  });

  it('of the settings of a server rather than of the current profile', async () => {
    const portOf = (url: string) => ({ PINYON_PORT: new URL(url).port });
    assert.equal(await outcomeOf([], portOf), 'ready');
  });
});
