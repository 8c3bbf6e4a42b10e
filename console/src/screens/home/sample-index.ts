// The sample index: texts that come with the console, embedded by the server's built-in model.
import { call, callIndex } from '../../api/call.ts';
import type { Action } from '../../ui/action.ts';

export const SAMPLE_INDEX = 'samples';

const MODEL = 'builtin-english';
/** Shapes of creation that every release of the interface since has. */
const CREATE_VERSION = '2025-10';
const BATCH = 96;

/** Makes and fills the index. @throws Problem when there is one of that name, or the role does not allow it */
export async function makeSampleIndex({ scope }: Action): Promise<void> {
  const { default: records } = await import('./sample-records.json');
  await call('POST', 'indexes/create-for-model', {
    version: CREATE_VERSION,
    scope,
    body: {
      name: SAMPLE_INDEX,
      cloud: 'aws',
      region: 'us-east-1',
      embed: { model: MODEL, field_map: { text: 'text' } },
      tags: { origin: 'sample' },
    },
  });
  for (let first = 0; first < records.length; first += BATCH) {
    const lines = records.slice(first, first + BATCH).map((record) => JSON.stringify(record));
    await callIndex(SAMPLE_INDEX, 'POST', 'records/namespaces/__default__/upsert', {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
      scope,
    });
  }
}
