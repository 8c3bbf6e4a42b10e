// Scans of codes in a file let the system read ahead while they wait for it, and leave it as searches of graphs need it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { Range } from '../memory/page-requests.ts';
import { scanCodes } from './code-scan.ts';
import type { Selection } from './selection.ts';

const ROWS = 83;

/** Scans frames, of which those of some groups take long, by a clock that only they advance. */
function scan({
  frames,
  coldFrom,
  hasNodeCodes,
}: {
  frames: number;
  coldFrom: number;
  hasNodeCodes: boolean;
}) {
  let now = 0;
  const scanned: number[] = [];
  const announced: { readonly isInOrder: boolean; readonly frames: readonly number[] }[] = [];
  const selection = {
    bitmap: new Uint32Array(),
    layout: { rowScorer: null, heap: 0, sparseScores: 0 },
    snapshot: { graph: { hasNodeCodes } },
    view: {
      *codeFrames() {
        for (let at = 0; at < frames; at++)
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
  scanCodes(selection, { from: 0, until: frames * ROWS }, { clock: () => now, announce });
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

it('tells nothing while all is in memory, or where codes lie in no file', () => {
  assert.deepEqual(scan({ frames: 140, coldFrom: 200, hasNodeCodes: true }).announced, []);
  assert.deepEqual(scan({ frames: 140, coldFrom: 0, hasNodeCodes: false }).announced, []);
});
