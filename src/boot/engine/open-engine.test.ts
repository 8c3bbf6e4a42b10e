// Guarantees of the engine's start that are none of the engine itself.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { pino } from 'pino';
import { sampleProfile } from '../../engine/conformance/sample-data.ts';
import { until } from '../../platform/testing/until.ts';
import { readSettings } from '../read-settings.ts';
import { openEmbeddedEngine } from './open-engine.ts';

it('holds no start up where its threads cannot be told which indexes are there, and logs it', async (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-open-engine-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const lines: string[] = [];
  const logger = pino(
    new Writable({
      write: (line, _, done) => {
        lines.push(String(line));
        done();
      },
    }),
  );
  const { engine, watch } = await openEmbeddedEngine(readSettings({ PINYON_DATA_DIR: folder }), logger);
  await engine.close();
  watch?.([sampleProfile()]);
  await until(() => lines.some((line) => line.includes('may be dropped late')), 'the line in the log');
  assert.equal(lines.length, 1);
});
