// Scans of codes in a file let the system read ahead while they wait for it, and leave it as searches of graphs need it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rowsPerFrame } from '../kernels/layout.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { Range } from '../memory/page-requests.ts';
import { scanCodes } from './code-scan.ts';
import { scanExactly } from './exact-scan.ts';
import type { Rescoring } from './rescoring.ts';
import type { Selection } from './selection.ts';

const ROWS = 83;
const DIMENSION = 128;

/** Scans frames, so many at once, of which those of some groups take long, by a clock that only they advance. */
function scan({
  frames,
  coldFrom,
  hasNodeCodes,
  step = frames,
}: {
  frames: number;
  coldFrom: number;
  hasNodeCodes: boolean;
  step?: number;
}) {
  let now = 0;
  const scanned: number[] = [];
  const announced: { readonly isInOrder: boolean; readonly frames: readonly number[] }[] = [];
  const selection = {
    bitmap: new Uint32Array(),
    layout: { rowScorer: null, heap: 0, sparseScores: 0 },
    snapshot: { graph: { hasNodeCodes } },
    view: {
      *codeFrames(from: number, until: number) {
        for (let at = from / ROWS; at < until / ROWS; at++)
          yield { address: at * FRAME_BYTES, firstSlot: at * ROWS, rows: ROWS };
      },
    },
    workspace: {
      arena: null,
      kernel: {
        scanFrame: ({ frame }: { readonly frame: number }) => {
          scanned.push(frame / FRAME_BYTES);
          now += frame / FRAME_BYTES >= coldFrom ? 1 : 0.01;
        },
      },
    },
  } as unknown as Selection;
  const announce = (_: unknown, ranges: Iterable<Range>, isInOrder: boolean) => {
    announced.push({ isInOrder, frames: [...ranges].map(({ address }) => address / FRAME_BYTES) });
  };
  const reading = { isCold: false };
  for (let at = 0; at < frames; at += step) {
    const until = Math.min(frames, at + step);
    scanCodes(selection, { from: at * ROWS, until: until * ROWS }, reading, { clock: () => now, announce });
  }
  return { scanned, announced };
}

const framesOf = (from: number, until: number) => Array.from({ length: until - from }, (_, at) => from + at);

it('tells of each group after the first that waited, before and after it is read', () => {
  const { scanned, announced } = scan({ frames: 140, coldFrom: 40, hasNodeCodes: true });
  assert.deepEqual(scanned, framesOf(0, 140));
  assert.deepEqual(
    announced,
    [
      [64, 96],
      [96, 128],
      [128, 140],
    ].flatMap(([from = 0, until = 0]) =>
      [true, false].map((isInOrder) => ({ isInOrder, frames: framesOf(from, until) })),
    ),
  );
});

it('tells of all that is read in small steps once one of them has waited', () => {
  const { announced } = scan({ frames: 40, coldFrom: 10, hasNodeCodes: true, step: 10 });
  assert.deepEqual(
    announced.map(({ frames: [first] }) => first),
    [20, 20, 30, 30],
  );
});

it('tells nothing while all is in memory, or where codes lie in no file', () => {
  assert.deepEqual(scan({ frames: 140, coldFrom: 200, hasNodeCodes: true }).announced, []);
  assert.deepEqual(scan({ frames: 140, coldFrom: 0, hasNodeCodes: false }).announced, []);
});

it('leaves a scan of a graph to one in order where codes may lie in a file and most are wanted, and only there', () => {
  const slots = 10 * rowsPerFrame(DIMENSION);
  for (const [hasNodeCodes, share] of [
    [true, 1],
    [true, 0.6],
    [true, 0.4],
    [false, 1],
    [false, 0.6],
  ] as const) {
    const scanned: string[] = [];
    const selection = {
      bitmap: new Uint32Array(slots / 32 + 1),
      isFiltered: share < 1,
      count: () => share * slots,
      layout: { rowScorer: null, graphScratch: 0, heap: 0, sparseScores: 0, heapCapacity: 0 },
      snapshot: { graph: { address: 0, slots, hasNodeCodes }, slotCount: slots },
      view: {
        codeFrames(from: number, until: number) {
          if (from < until) scanned.push(`frames ${from}..${until}`);
          return [];
        },
      },
      workspace: {
        arena: { bufferOf: () => new ArrayBuffer(1_024) },
        kernel: {
          resetHeap: () => {},
          finishHeap: () => ({ count: 0, offered: 0, droppedBound: 0 }),
          graph: {
            scan: ({ slotLimit }: { readonly slotLimit: number }) => scanned.push(`graph ${slotLimit}`),
          },
        },
      },
    } as unknown as Selection;
    const isInOrder = hasNodeCodes && share > 0.5;
    const rescoring = { top: { capacity: 1, room: 1, bound: -Infinity }, explain: null };
    scanExactly(selection, { from: 0, dimension: DIMENSION }, rescoring as unknown as Rescoring);
    assert.deepEqual(scanned, [isInOrder ? `frames 0..${slots}` : `graph ${slots}`]);
  }
});
