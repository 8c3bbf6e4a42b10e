// Cuts the power at every call to storage, the engine and the catalog: acknowledged work survives,
// unacknowledged work leaves nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { chunkIndexes } from '../../../domain/assistants/assistant.ts';
import { revisionOfKey } from '../../../domain/assistants/file.ts';
import { effort } from '../../../engine/embedded/testing/effort.ts';
import { OWNER } from '../../indexes/testing/control-plane.ts';
import { sweepUploads } from '../files/sweep-uploads.ts';
import { AssistantFixture, bytesOf, type RunningAssistants } from '../testing/assistant-fixture.ts';
import { type Moment, PowerCut } from '../testing/power-cut.ts';

/** Interval between the calls of a scenario that are cut. */
const STRIDE = effort({ daily: 12, long: 1 });
const MOMENTS: readonly Moment[] = ['before', 'after'];
const DAYS_LATER_MS = 3 * 24 * 60 * 60 * 1_000;
const { signal } = new AbortController();

interface Course {
  /** Prepares the scenario. */
  readonly prepare?: (running: RunningAssistants, assistant: Assistant) => Promise<void>;
  readonly act: (running: RunningAssistants, assistant: Assistant) => Promise<unknown>;
  /** Acceptable final content of the file, for an answered and for an unanswered request. */
  readonly answered: readonly (string | null)[];
  readonly unanswered: readonly (string | null)[];
}

const upload = async (running: RunningAssistants, assistant: Assistant, text: string): Promise<void> => {
  const content = bytesOf(`${text} heron\nsecond line`);
  await running.files.upload(assistant, {
    name: 'a.pdf',
    content,
    metadata: () => null,
    multimodal: true,
    fileId: 'f',
  });
};

const COURSES: Readonly<Record<string, Course>> = {
  'an upload': {
    act: (running, assistant) => upload(running, assistant, 'new'),
    answered: ['new'],
    unanswered: ['new', null],
  },
  'a replacement': {
    prepare: (running, assistant) => upload(running, assistant, 'old'),
    act: (running, assistant) => upload(running, assistant, 'new'),
    answered: ['new'],
    unanswered: ['new', 'old'],
  },
  'a deletion': {
    prepare: (running, assistant) => upload(running, assistant, 'old'),
    act: (running, assistant) => running.files.remove(assistant, 'f'),
    answered: [null],
    unanswered: ['old', null],
  },
  'a deletion of what is being processed': {
    act: async (running, assistant) => {
      await upload(running, assistant, 'new');
      await running.files.remove(assistant, 'f');
    },
    answered: [null],
    unanswered: ['new', null],
  },
};

describe('power cuts', () => {
  for (const [name, course] of Object.entries(COURSES)) {
    for (const moment of MOMENTS) {
      it(`leaves ${name} whole or without effect, cut ${moment} any call`, async () => {
        const fixture = await fixtureWithPictures();
        try {
          const assistant = await prepared(fixture);
          for (let at = 1; await isCut(fixture, { assistant, course, at, moment }); at += STRIDE);
        } finally {
          await fixture.dispose();
        }
      });
    }
  }

  it('leave nothing of a deleted assistant, cut at any call', async () => {
    for (let at = 1, isOn = true; isOn; at += STRIDE) {
      const fixture = await fixtureWithPictures();
      try {
        const assistant = await prepared(fixture);
        await whole(fixture, (running) => upload(running, assistant, 'old'));
        const power = new PowerCut(at, 'after');
        const wasAnswered = await cutShort(fixture, power, (running) =>
          running.assistants.remove(OWNER, 'helper'),
        );
        await whole(fixture, async () => {});
        const left = await fixture.plane.catalog.assistants.byId(assistant.id);
        if (wasAnswered || left === null)
          assert.deepEqual([left, fixture.engine.indexes.size, await fixture.stored()], [null, 0, []]);
        isOn = power.happened;
      } finally {
        await fixture.dispose();
      }
    }
  });

  it('delay a re-embedding, which completes nevertheless, cut at any call', async () => {
    const fixture = await fixtureWithPictures();
    try {
      const assistant = await prepared(fixture);
      await whole(fixture, (running) => upload(running, assistant, 'old'));
      for (let at = 1, isOn = true; isOn; at += STRIDE) {
        fixture.inference.setRevision(String(at + 1));
        const power = new PowerCut(at, 'after');
        const start = (running: RunningAssistants) => running.reembeddings.start(OWNER, 'helper');
        await cutShort(fixture, power, start);
        await whole(fixture, start);
        assert.equal(await foundText(fixture, await current(fixture)), 'old');
        assert.equal(fixture.engine.indexes.size, 2);
        isOn = power.happened;
      }
    } finally {
      await fixture.dispose();
    }
  });
});

async function fixtureWithPictures(): Promise<AssistantFixture> {
  const fixture = await AssistantFixture.make();
  const bytes = Buffer.from('pixels');
  fixture.pictures = [{ page: 1, caption: 'c', pageText: '', width: 40, height: 40, bytes }];
  return fixture;
}

async function prepared(fixture: AssistantFixture): Promise<Assistant> {
  const running = await fixture.start();
  const assistant = await fixture.ready(running);
  await running.stop();
  return assistant;
}

/** Runs a server for an action and all the work that follows. */
async function whole(
  fixture: AssistantFixture,
  act: (running: RunningAssistants) => Promise<unknown>,
): Promise<void> {
  const running = await fixture.start();
  await act(running);
  await fixture.idle();
  await running.stop();
}

/** @returns whether it was answered before the power cut */
async function cutShort(
  fixture: AssistantFixture,
  power: PowerCut,
  act: (running: RunningAssistants) => Promise<unknown>,
): Promise<boolean> {
  const running = await fixture.start(power).catch(() => null);
  if (running === null) return false;
  const wasAnswered = await act(running).then(
    () => true,
    () => false,
  );
  await Promise.race([power.off, fixture.idle()]);
  await running.stop();
  return wasAnswered;
}

async function isCut(
  fixture: AssistantFixture,
  { assistant, course, at, moment }: { assistant: Assistant; course: Course; at: number; moment: Moment },
): Promise<boolean> {
  await whole(fixture, async (running) => {
    await running.files.remove(assistant, 'f').catch(() => {});
    await fixture.idle();
    await course.prepare?.(running, assistant);
  });
  const power = new PowerCut(at, moment);
  const wasAnswered = await cutShort(fixture, power, (running) => course.act(running, assistant));
  await whole(fixture, async () => {});
  const found = await foundText(fixture, assistant);
  const allowed = wasAnswered ? course.answered : course.unanswered;
  assert.ok(allowed.includes(found), `cut at call ${at}: ${found} where ${allowed} is allowed`);
  await holdsNothingElse(fixture, assistant, found === null ? 0 : 2);
  return power.happened;
}

async function current(fixture: AssistantFixture): Promise<Assistant> {
  const assistant = await fixture.plane.catalog.assistants.find(OWNER.projectId, 'helper');
  assert.ok(assistant !== null);
  return assistant;
}

/** The first word of the file, if it is Available. */
async function foundText(fixture: AssistantFixture, assistant: Assistant): Promise<string | null> {
  const running = await fixture.start();
  const file = await running.files.describe(assistant, 'f').catch(() => null);
  const question = { text: 'heron', filter: null, topK: 9, snippetTokens: 1, widened: false, signal };
  const { snippets } = await running.retriever.retrieve(assistant, question);
  await running.stop();
  assert.deepEqual([file?.state ?? null, snippets.length], file === null ? [null, 0] : ['Available', 2]);
  const texts = snippets.map(({ chunks }) => chunks[0].text).filter((text) => text.endsWith('heron'));
  return texts[0]?.split(' ')[0] ?? null;
}

/** Checks that after a sweep only the answering revision has bytes and chunks. */
async function holdsNothingElse(
  fixture: AssistantFixture,
  assistant: Assistant,
  chunks: number,
): Promise<void> {
  const { catalog } = fixture.plane;
  await sweepUploads({ blobs: fixture.blobs, catalog, now: () => Date.now() + DAYS_LATER_MS });
  const query = { assistantId: assistant.id, accepts: null };
  const live = await catalog.assistantRevisions.ids(query, ['live']);
  const others = await catalog.assistantRevisions.ids(query, ['staged', 'stale', 'dead']);
  const stored = new Set((await fixture.stored()).map(({ key }) => revisionOfKey(key)));
  assert.deepEqual([[...stored], others], [live, []]);
  const { dense, sparse } = chunkIndexes(assistant);
  assert.deepEqual([await fixture.engine.size(dense), await fixture.engine.size(sparse)], [chunks, chunks]);
}
