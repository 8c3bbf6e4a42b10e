// Guarantees about assistants that are being made: they may be used at once, and nobody waits for them without end.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { USUAL_MODELS } from './assistant-models.ts';
import { AssistantDesk } from './assistant-service.ts';
import { AssistantBed } from './testing/assistant-fixture.ts';

describe('an assistant that is being made', () => {
  let bed: AssistantBed;
  /** Its jobs are run by nobody: the test moves its assistants. */
  let desk: AssistantDesk;
  beforeEach(async () => {
    bed = await AssistantBed.make();
    desk = deskWaiting();
  });
  afterEach(() => bed.dispose());

  const deskWaiting = (setupWaitMs?: number): AssistantDesk =>
    new AssistantDesk({
      catalog: bed.plane.catalog,
      jobs: { wake: () => undefined },
      inference: bed.inference,
      models: USUAL_MODELS,
      ...(setupWaitMs !== undefined && { setupWaitMs }),
    });
  const make = async () => {
    const made = await desk.create(OWNER, { name: 'young' });
    assert.equal(made.state, 'Initializing');
    return made;
  };

  it('is given to whoever asks for it as soon as it is Ready', async () => {
    const { id } = await make();
    const asked = desk.ready(OWNER, 'young');
    await bed.plane.catalog.assistants.move(id, 'Ready');
    assert.equal((await asked).state, 'Ready');
  });

  it('whose making fails is not there for those who waited', async () => {
    const { id } = await make();
    const asked = desk.ready(OWNER, 'young');
    await bed.plane.catalog.assistants.move(id, 'InitializationFailed');
    await assert.rejects(asked, { condition: 'assistant-not-found' });
  });

  it('is waited for a bounded time, and no longer than the client stays', async () => {
    await make();
    const busy = deskWaiting(30).ready(OWNER, 'young');
    await assert.rejects(busy, { condition: 'overloaded', retryAfterSeconds: 1 });
    const leaving = new AbortController();
    const left = desk.ready(OWNER, 'young', leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
  });
});
