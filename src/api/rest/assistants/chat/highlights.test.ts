// Tests how long an answer waits for the regions of its citations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Passage } from '../../../../app/assistants/chat/answer-model.ts';
import type { AssistantFile } from '../../../../domain/assistants/file.ts';
import { REGIONS_WAIT_MS_MAX } from '../../../../domain/assistants/limits.ts';
import type { PassageRegions } from '../../../../domain/assistants/passages.ts';
import { Highlights } from './highlights.ts';

const { signal } = new AbortController();
const REGION = { page: 3, x: 50, y: 131, width: 80, height: 12 };

function passageOf(fileId: string): Passage {
  const text = `Text of ${fileId}.`;
  const chunk = { fileId, number: 0, text, start: 0, headings: [], pageStarts: [{ page: 3, start: 0 }] };
  return { chunk, text, start: 0, end: text.length };
}

/** Files take the time that their names tell. */
function slowFiles() {
  const clock = { ms: 0 };
  const asked: string[] = [];
  const passages: PassageRegions = {
    regions: async ({ name }, own, options) => {
      asked.push(`${name} within ${options.waitMs}`);
      const from = clock.ms;
      // The others are asked before time goes on.
      await Promise.resolve();
      clock.ms = Math.max(clock.ms, from + Math.min(Number(name), options.waitMs));
      return own.map(() => (Number(name) > options.waitMs ? [] : [REGION]));
    },
  };
  const fileOf = (name: string) => ({ name }) as AssistantFile;
  return {
    asked,
    highlights: new Highlights({ passages, fileOf, signal, projectId: 'project' }, () => clock.ms),
  };
}

test('reads the cited files of an answer side by side, within one time for all', async () => {
  const { asked, highlights } = slowFiles();
  const [slow, fast] = [passageOf('9000'), passageOf('10')];
  await highlights.prepare([slow, fast]);
  const waitMs = REGIONS_WAIT_MS_MAX;
  assert.deepEqual(asked, [`9000 within ${waitMs}`, `10 within ${waitMs}`]);
  assert.deepEqual([highlights.of(slow)?.regions, highlights.of(fast)?.regions], [[], [REGION]]);
});

test('spends that time on the citations of a stream together, and then reads no further file', async () => {
  const { asked, highlights } = slowFiles();
  for (const file of ['1000', '9000', '10']) {
    const passage = passageOf(file);
    await highlights.prepare([passage]);
    assert.deepEqual(highlights.of(passage)?.regions, file === '1000' ? [REGION] : []);
  }
  assert.deepEqual(asked, ['1000 within 3000', '9000 within 2000']);
});
