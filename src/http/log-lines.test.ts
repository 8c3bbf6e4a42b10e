// Guarantees of lines on their way to the log: in order, whole, many to a write, and what is lost is counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogLines, type LogTarget, type LostLines, WAITING_CHARACTERS_MAX } from './log-lines.ts';

type Outcome = number | string;

/** A target of which each write has the outcome that the script says: the bytes it takes, or the code of its error. */
class ScriptedTarget implements LogTarget {
  readonly writes: string[] = [];
  taken = '';
  readonly #outcomes: Outcome[];

  constructor(outcomes: readonly Outcome[] = []) {
    this.#outcomes = [...outcomes];
  }

  readonly write: LogTarget['write'] = (bytes, onWritten) => {
    setImmediate(() => {
      try {
        onWritten(null, this.writeNow(bytes));
      } catch (error) {
        onWritten(error as NodeJS.ErrnoException, 0);
      }
    });
  };

  readonly writeNow = (bytes: Buffer): number => {
    this.writes.push(bytes.toString());
    const outcome = this.#outcomes.shift() ?? bytes.length;
    if (typeof outcome === 'string') throw Object.assign(new Error(outcome), { code: outcome });
    this.taken += bytes.subarray(0, outcome).toString();
    return Math.min(outcome, bytes.length);
  };
}

function linesTo(target: LogTarget): { readonly lines: LogLines; readonly lost: LostLines[] } {
  const lost: LostLines[] = [];
  return { lines: new LogLines(target, (each) => lost.push(each)), lost };
}

/** Ends when the target has taken a text that ends so. */
async function taken(target: ScriptedTarget, end: string): Promise<void> {
  while (!target.taken.endsWith(end)) await new Promise((resolve) => setImmediate(resolve));
}

test('writes lines that come together in one write', async () => {
  const target = new ScriptedTarget();
  const { lines } = linesTo(target);
  for (const line of ['a\n', 'b\n', 'c\n']) lines.write(line);
  await taken(target, 'c\n');
  assert.deepEqual(target.writes, ['a\nb\nc\n']);
});

test('goes on where a write took a part, or a pipe was full', async () => {
  const target = new ScriptedTarget([3, 'EAGAIN', 1, 'EAGAIN']);
  const { lines, lost } = linesTo(target);
  lines.write('first\n');
  lines.write('second\n');
  // The retry keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  await taken(target, 'second\n');
  clearInterval(alive);
  assert.equal(target.taken, 'first\nsecond\n');
  assert.deepEqual(lost, []);
});

test('drops what an error refuses, goes on with what comes, and tells how many lines were lost', async () => {
  const target = new ScriptedTarget(['ENOSPC', 'ENOSPC']);
  const { lines, lost } = linesTo(target);
  lines.write('a\n');
  lines.write('b\n');
  while (target.writes.length < 1) await new Promise((resolve) => setImmediate(resolve));
  lines.write('c\n');
  while (target.writes.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(lost, []);
  lines.write('d\n');
  await taken(target, 'd\n');
  lines.write('e\n');
  await taken(target, 'e\n');
  assert.equal(target.taken, 'd\ne\n');
  assert.deepEqual(lost, [{ lines: 3, reason: 'ENOSPC' }]);
});

test('begins a new line after one that a full disk has cut', async () => {
  const target = new ScriptedTarget([4, 'ENOSPC', 'ENOSPC']);
  const { lines, lost } = linesTo(target);
  lines.write('a\nbcd\n');
  lines.write('e\n');
  while (target.writes.length < 2) await new Promise((resolve) => setImmediate(resolve));
  lines.write('f\n');
  while (target.writes.length < 3) await new Promise((resolve) => setImmediate(resolve));
  lines.write('g\n');
  await taken(target, 'g\n');
  assert.equal(target.taken, 'a\nbc\ng\n');
  assert.deepEqual(lost, [{ lines: 3, reason: 'ENOSPC' }]);
});

test('drops new lines when the bound of waiting ones is reached', async () => {
  const target = new ScriptedTarget();
  const { lines, lost } = linesTo(target);
  const line = `${'x'.repeat(1_023)}\n`;
  const fitting = WAITING_CHARACTERS_MAX / line.length;
  for (let i = 0; i < fitting + 5; i++) lines.write(line);
  while (target.taken.length < WAITING_CHARACTERS_MAX) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(target.taken, line.repeat(fitting));
  assert.deepEqual(
    lost.map((each) => each.lines),
    [5],
  );
});

test('flushes what waits before it returns, and waits for a reader that is slow', () => {
  const target = new ScriptedTarget(['EAGAIN', 2, 'EAGAIN']);
  const { lines } = linesTo(target);
  lines.write('first\n');
  lines.write('last\n');
  lines.flushSync();
  assert.equal(target.taken, 'first\nlast\n');
});

test('gives a flush up at the first error', () => {
  const target = new ScriptedTarget(['EIO']);
  const { lines } = linesTo(target);
  lines.write('first\n');
  lines.flushSync();
  assert.equal(target.writes.length, 1);
});

test('gives a flush up when the reader of a pipe takes nothing', () => {
  const target = new ScriptedTarget(Array.from({ length: 100_000 }, () => 'EAGAIN'));
  const { lines } = linesTo(target);
  lines.write('first\n');
  lines.flushSync();
  assert.equal(target.taken, '');
});

test('tells of every line that was lost, however slowly the others are read', async () => {
  const written = `${'x'.repeat(1_023)}\n`;
  const slow = Array.from({ length: 40 }, () => ['EAGAIN', 4_096]).flat();
  const target = new ScriptedTarget(slow);
  const lines: LogLines = new LogLines(target, (lost) => lines.write(`lost ${lost.lines}\n`));
  const alive = setInterval(() => undefined, 1_000);
  let offered = 0;
  for (let i = 0; i < 50; i++) {
    for (let line = 0; line < 200; line++, offered++) lines.write(written);
    await new Promise((resolve) => setImmediate(resolve));
  }
  lines.flushSync();
  lines.flushSync();
  clearInterval(alive);
  const arrived = target.taken.split('\n').filter((line) => line.startsWith('xxx')).length;
  const told = [...target.taken.matchAll(/^lost (\d+)$/gm)].reduce((sum, [, lost]) => sum + Number(lost), 0);
  assert.ok(arrived < offered);
  assert.equal(arrived + told, offered);
});
