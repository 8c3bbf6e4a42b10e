// A process that imports a copy. Arguments: data directory, file with the copy, number of bytes after which it kills itself.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleProfile } from '../../../conformance/sample-data.ts';
import { EngineClient } from '../../testing/engine-client.ts';
import { importFolder } from '../import-folder.ts';
import { COPY_PROFILE } from './copy-profile.ts';

const [dataDir = '', path = '', bytesMax = ''] = process.argv.slice(2);
const { engine } = new EngineClient(dataDir, { readerThreads: 1 });
const copy = readFileSync(path);
const folder = importFolder(dataDir, COPY_PROFILE.id);
const PAUSE_MS = 5;

async function* pieces() {
  for (let at = 0; at < copy.length; at += 65_536) {
    if (at >= Number(bytesMax)) {
      // The thread may still be starting.
      while (!existsSync(folder)) await pause(PAUSE_MS);
      process.kill(process.pid, 'SIGKILL');
    }
    yield copy.subarray(at, at + 65_536);
  }
}

await engine.copies(sampleProfile(COPY_PROFILE)).import(pieces());
process.kill(process.pid, 'SIGKILL');
