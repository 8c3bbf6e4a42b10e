// The embedded engine conforms to the whole port, with its real threads.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeReaderAndWriter } from '../conformance/conformance-suite.ts';
import { describeEngine } from '../conformance/engines.ts';
import { indexOver } from '../conformance/over-engine.ts';
import { describePortableCopies } from '../conformance/portable-copies.ts';
import { effort } from './testing/effort.ts';
import { EngineClient } from './testing/engine-client.ts';

async function makeEngine() {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  const { engine } = new EngineClient(folder);
  return {
    engine,
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeEngine('the embedded engine', makeEngine);
describePortableCopies('portable copies of the embedded engine', makeEngine, makeEngine);
describeReaderAndWriter('the embedded engine, called through its threads,', indexOver(makeEngine), {
  runs: effort({ daily: 5, long: 10 }),
  copyRuns: effort({ daily: 2, long: 3 }),
});
