// In the memory profile "disk", codes lie in the derived file that they were saved to: nothing is copied at a start.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { countTurns } from '../../../platform/testing/turns.ts';
import { until } from '../../../platform/testing/until.ts';
import type { InProcessIndex } from '../in-process-index.ts';
import { ArenaFull } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { FileFrames } from '../memory/file-frames.ts';
import { NamespaceSegments } from '../segments/namespace-segments.ts';
import { CODES } from '../segments/saved-segment.ts';
import { MappedPart, type Verified } from '../storage/derived-files/mapped-part.ts';
import { sizeOf } from '../storage/derived-files/parts.ts';
import { readHeader } from '../storage/derived-files/read-header.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import { derivedFixture, ON_DISK, RECORDS } from '../testing/derived-fixture.ts';
import { CodeVerification } from './code-verification.ts';
import { CodeVerifier } from './code-verifier.ts';

const FILE = '1.0.segment';
/** Of a small index of the fixture. */
const SETTING = { profile: ON_DISK, framesMax: 256 };
const SOME = 3 * RECORDS;
const MANY = 7 * RECORDS;
const skip = systemCalls() === null && 'this system maps no files';

function segmentOf({ parts }: InProcessIndex) {
  const [segment] = parts.loaded.segments();
  assert.ok(segment !== undefined);
  return segment;
}

/** Counts what is written for scratch files, and when. */
function watchExtensions(test: { readonly mock: typeof import('node:test').mock }) {
  const turns = countTurns();
  const extensions: number[] = [];
  const { extend } = FileFrames.prototype;
  test.mock.method(FileFrames.prototype, 'extend', function (this: FileFrames) {
    extensions.push(turns.count);
    return extend.call(this);
  });
  return { extensions, turns };
}

it('serves codes from the file they were saved to, without writing them anywhere', { skip }, async (test) => {
  const { prepare, open, check, saved } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const { extensions, turns } = watchExtensions(test);
  const { index, builders } = open();
  await check();
  turns.stop();
  const { codes, codesInFile } = segmentOf(index).data.bytes;
  assert.ok(codesInFile >= SOME * 128, `${codesInFile} bytes`);
  assert.equal(codes, 0);
  await saved();
  assert.deepEqual(extensions, []);
  assert.equal(builders.inserted, 0);
});

it('finds what was written before and after the file, which others replace while it is in use', {
  skip,
}, async (test) => {
  const { derived, prepare, open, upsert, remove, check, saved } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const { index } = open();
  await check();
  const idOf = () => {
    const file = readHeader(join(derived, FILE));
    return file.usable && file.id;
  };
  const before = idOf();
  // The last frame of the file has room for some of them.
  await upsert(SOME - 50, 500);
  await remove(['r1', `r${SOME}`]);
  await check();
  await saved();
  assert.notEqual(idOf(), before);
  await check();
  await index.close();
  const again = open();
  await check();
  rmSync(join(derived, FILE));
  await check();
  assert.ok(segmentOf(again.index).data.bytes.codesInFile > 0);
  assert.equal(again.builders.inserted, 0);
});

it('answers while the codes of its file are damaged, and makes them anew', { skip }, async (test) => {
  const { derived, prepare, open, check, saved } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const path = join(derived, FILE);
  const file = readHeader(path);
  assert.ok(file.usable);
  const bytes = readFileSync(path);
  // The codes are the first part, which begins at a page.
  const [{ name, count = 0, bytesEach = 0 } = {}] = file.parts;
  assert.equal(name, CODES);
  const dataBytes = file.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  const start = bytes.length - dataBytes;
  assert.equal(start % 65_536, 0);
  const at = start + count * bytesEach - 2 * FRAME_BYTES;
  bytes[at] = (bytes[at] ?? 0) ^ 64;
  writeFileSync(path, bytes);
  const warnings = test.mock.method(process, 'emitWarning', () => undefined).mock;
  const { index, builders } = open();
  await check();
  await until(() => warnings.callCount() > 0, 'the damage to be found');
  assert.match(String(warnings.calls[0]?.arguments[0]), /damaged/);
  await until(() => builders.inserted >= SOME, 'a new graph');
  await saved();
  await check();
  await index.close();
  const again = open();
  await check();
  await again.index.parts.loaded.settled();
  assert.equal(again.builders.inserted, 0);
});

it('stops at once while a file is being verified, and keeps what was written meanwhile', {
  skip,
}, async (test) => {
  const { prepare, open, upsert, remove, check } = derivedFixture(test, SETTING);
  await prepare(SOME);
  // As long as a file of gigabytes takes.
  const verifying = test.mock.method(MappedPart.prototype, 'isWhole', async (signal: AbortSignal) => {
    await once(signal, 'abort');
    throw signal.reason;
  });
  const { index } = open();
  await check();
  assert.equal(verifying.mock.callCount(), 1);
  await upsert(SOME, 400);
  await remove(['r3', 'r4']);
  await check();
  // Long enough for a save to be due, which waits.
  await pause(100);
  const save = await index.parts.loaded.stopWork(new AbortController().signal);
  await save();
  await index.close();
  verifying.mock.restore();
  open();
  await check();
});

it('verifies files of several indexes one after the other', { skip }, async (test) => {
  const verified: (() => void)[] = [];
  const verifier = new CodeVerifier();
  const indexes = [];
  for (let at = 0; at < 2; at++) {
    const fixture = derivedFixture(test, SETTING);
    await fixture.prepare(SOME);
    indexes.push(fixture);
  }
  test.mock.method(MappedPart.prototype, 'isWhole', async () => {
    await new Promise<void>((resolve) => verified.push(resolve));
    return true;
  });
  for (const { open, check } of indexes) {
    open({ verifier });
    await check();
  }
  assert.equal(verified.length, 1);
  verified[0]?.();
  await until(() => verified.length === 2, 'the second');
  verified[1]?.();
  await setImmediate();
  for (const { upsert, check, saved } of indexes) {
    await upsert(SOME, SOME);
    await saved();
    await check();
  }
});

it('saves a namespace that was evicted again and again before its file was verified', {
  skip,
}, async (test) => {
  const { prepare, open, upsert, check, saved } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const { index } = open();
  // Each time, a third of it.
  const verifying = test.mock.method(
    MappedPart.prototype,
    'isWhole',
    async (signal: AbortSignal, verified: Verified) => {
      if (++verified.chunks === 3) return true;
      await once(signal, 'abort');
      throw signal.reason;
    },
  ).mock;
  for (const calls of [1, 2, 3, 3]) {
    index.parts.loaded.dropAll();
    await check();
    assert.equal(verifying.callCount(), calls);
  }
  await upsert(SOME, SOME);
  await saved();
  await check();
});

it('makes nothing anew when its file is removed before it was verified, and saves it again', {
  skip,
}, async (test) => {
  const { prepare, open, check, saved } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const warnings = test.mock.method(process, 'emitWarning').mock;
  const turn = Promise.withResolvers<void>();
  const { verify } = CodeVerifier.prototype;
  const verifying = test.mock.method(
    CodeVerifier.prototype,
    'verify',
    async function (this: CodeVerifier, ...args: Parameters<typeof verify>) {
      await turn.promise;
      return await verify.apply(this, args);
    },
  ).mock;
  const { index, builders } = open();
  await check();
  await index.parts.checkpointer.discard(segmentOf(index).namespaceId);
  turn.resolve();
  await saved();
  assert.equal(verifying.callCount(), 1);
  await check();
  assert.equal(builders.inserted, 0);
  assert.equal(warnings.callCount(), 0);
});

it('verifies nothing of a load that fails after its files were read', { skip }, async (test) => {
  const { prepare, open } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const warnings = test.mock.method(process, 'emitWarning').mock;
  const begin = test.mock.method(CodeVerification.prototype, 'begin').mock;
  test.mock.method(MappedPart.prototype, 'isWhole', async (signal: AbortSignal) => {
    await once(signal, 'abort');
    throw signal.reason;
  });
  const { index } = open();
  const { loaded, checkpointer } = index.parts;
  const stopping = test.mock.method(NamespaceSegments.prototype, 'publish', () => {
    throw new ArenaFull();
  }).mock;
  await loaded.settled();
  stopping.restore();
  assert.equal(begin.callCount(), 1);
  const generation = begin.calls[0]?.arguments[0].generation ?? '';
  assert.equal(checkpointer.verification.isDoubtful(generation), false);
  assert.equal(warnings.callCount(), 0);
});

it('loads a namespace again at once that is evicted while its file is being verified', {
  skip,
}, async (test) => {
  const { prepare, open, check } = derivedFixture(test, SETTING);
  await prepare(SOME);
  const { index, builders } = open();
  for (let round = 0; round < 3; round++) {
    await check();
    const { frames } = segmentOf(index).context.arena;
    index.parts.loaded.dropAll();
    await check();
    // What one load leaves is room for the next.
    if (round > 0) assert.equal(segmentOf(index).context.arena.frames, frames);
  }
  assert.equal(builders.inserted, 0);
});

/** Codes are read into new frames some in a turn. */
function assertReadInTurns(extensions: readonly number[]): void {
  if (!skip) assert.ok(extensions.length > 5, `${extensions.length} regions`);
  // Of 4 frames each; a turn takes 16.
  const inTurns = Object.values(Object.groupBy(extensions, (turn) => turn));
  assert.ok(
    inTurns.every((regions) => (regions?.length ?? 0) <= 4),
    `${extensions}`,
  );
}

it('reads the codes of a file in which they do not begin at a page, while other work of the thread goes on', async (test) => {
  const { derived, prepare, open, check, saved } = derivedFixture(test, SETTING);
  await prepare(MANY);
  const first = open();
  await check();
  const path = join(derived, FILE);
  const file = readHeader(path);
  assert.ok(file.usable);
  const segment = segmentOf(first.index);
  const { parts } = segment.save();
  const older = parts.toSorted((a, b) => Number(b.name === 'live') - Number(a.name === 'live'));
  await writeSnapshot(path, { memory: segment.context.arena.memory, header: file.header, parts: older });
  await first.index.close();
  const { extensions, turns } = watchExtensions(test);
  const { builders } = open();
  await check();
  turns.stop();
  await saved();
  assert.equal(builders.inserted, 0);
  assertReadInTurns(extensions);
});

it('reads the codes of a file that the system does not map, as where pages are larger, and verifies them once', {
  skip,
}, async (test) => {
  const { prepare, open, check, saved } = derivedFixture(test, SETTING);
  await prepare(MANY);
  const calls = systemCalls();
  assert.ok(calls !== null);
  const { of } = FileFrames;
  const mapCopyOver = test.mock.fn(() => false);
  test.mock.method(FileFrames, 'of', (...[arena, options]: Parameters<typeof of>) =>
    of(arena, options, { ...calls, mapCopyOver }),
  );
  const verifying = test.mock.method(MappedPart.prototype, 'isWhole').mock;
  const { extensions, turns } = watchExtensions(test);
  const { index, builders } = open();
  await check();
  turns.stop();
  await saved();
  assert.equal(mapCopyOver.mock.callCount(), 1);
  assert.equal(verifying.callCount(), 0);
  assert.equal(builders.inserted, 0);
  assert.ok(segmentOf(index).data.bytes.codesInFile > 0);
  assertReadInTurns(extensions);
});

it('rebuilds a namespace whose file is damaged in the middle', async (test) => {
  const { derived, prepare, open, upsert, check, saved } = derivedFixture(test, { profile: ON_DISK });
  await prepare();
  const path = join(derived, FILE);
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(path, bytes);
  test.mock.method(process, 'emitWarning', () => undefined);
  const { builders } = open();
  await check();
  await upsert(10, 10);
  await until(() => builders.inserted >= RECORDS, 'a new graph');
  await saved();
  await check();
});
