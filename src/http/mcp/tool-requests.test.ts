// Memory for what the requests of a tool answer: reads are refused where there is none, and no write that is done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overloaded } from '../../domain/overload.ts';
import type { Tool } from '../../mcp/tool.ts';
import { search } from '../../mcp/tools/search-tool.ts';
import { deleteRecords, updateRecord, upsertRecords } from '../../mcp/tools/write-tools.ts';
import { sendAs } from './tool-requests.ts';

const LARGE = 'x'.repeat(70 * 1024);
const DESCRIBED = { name: 'i', dimension: 2 };

/** Calls a tool of a server whose memory is full from the request on that answers `found`. */
function call(tool: Tool, args: object, { described, found }: { described: object; found: object }) {
  let isFull = false;
  const held: number[] = [];
  const send = sendAs({
    request: { headers: { 'api-key': 'key' }, host: 'localhost', ip: '127.0.0.1', trace: null },
    inner: {
      ask: async ({ method }) => {
        isFull ||= method !== 'GET';
        return { status: 200, headers: {}, text: JSON.stringify(method === 'GET' ? described : found) };
      },
    },
    hold: (bytes) => {
      if (isFull) throw overloaded();
      held.push(bytes);
    },
  });
  const { signal } = new AbortController();
  return { held, answer: tool.call({ index: 'i', ...args }, (request) => send(request, signal)) };
}

test('reports each write that is done as done, however much was read before and whatever memory is left', async () => {
  const writes: readonly (readonly [Tool, object, object])[] = [
    [updateRecord, { id: 'a', set: { year: 2027 } }, { updated: 'a' }],
    [upsertRecords, { records: [{ id: 'a', values: [1, 2] }] }, { written: 1 }],
    [deleteRecords, { ids: ['a'] }, { deleted: ['a'] }],
  ];
  for (const [tool, args, done] of writes) {
    const { held, answer } = call(tool, args, { described: { ...DESCRIBED, more: LARGE }, found: {} });
    assert.deepEqual(await answer, done, tool.name);
    assert.equal(held.length, 1, 'what was read is held');
  }
});

test('refuses a large answer that finds no memory, also of a search', async () => {
  const { answer } = call(
    search,
    { vector: [1, 2] },
    { described: DESCRIBED, found: { matches: [], more: LARGE } },
  );
  await assert.rejects(answer, { name: 'ToolError', status: 429 });
});
