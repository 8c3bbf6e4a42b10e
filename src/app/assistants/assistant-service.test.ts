// Guarantees about assistants that are being made: they may be used at once, and nobody waits for them without end.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { USUAL_MODELS } from './assistant-models.ts';
import { AssistantService } from './assistant-service.ts';
import { AssistantFixture } from './testing/assistant-fixture.ts';

describe('an assistant that is being made', () => {
  let fixture: AssistantFixture;
  /** Its jobs are run by nobody: the test moves its assistants. */
  let service: AssistantService;
  beforeEach(async () => {
    fixture = await AssistantFixture.make();
    service = serviceWaiting();
  });
  afterEach(() => fixture.dispose());

  const serviceWaiting = (setupWaitMs?: number): AssistantService =>
    new AssistantService({
      catalog: fixture.plane.catalog,
      jobs: { wake: () => undefined },
      inference: fixture.inference,
      models: USUAL_MODELS,
      ...(setupWaitMs !== undefined && { setupWaitMs }),
    });
  const make = async () => {
    const made = await service.create(OWNER, { name: 'young' });
    assert.equal(made.state, 'Initializing');
    return made;
  };

  it('is given to whoever asks for it as soon as it is Ready', async () => {
    const { id } = await make();
    const asked = service.ready(OWNER, 'young');
    await fixture.plane.catalog.assistants.move(id, 'Ready');
    assert.equal((await asked).state, 'Ready');
  });

  it('whose making fails is not there for those who waited', async () => {
    const { id } = await make();
    const asked = service.ready(OWNER, 'young');
    await fixture.plane.catalog.assistants.move(id, 'InitializationFailed');
    await assert.rejects(asked, { condition: 'assistant-not-found' });
  });

  it('is waited for a bounded time, and no longer than the client stays', async () => {
    await make();
    const busy = serviceWaiting(30).ready(OWNER, 'young');
    await assert.rejects(busy, { condition: 'overloaded', retryAfterSeconds: 1 });
    const leaving = new AbortController();
    const left = service.ready(OWNER, 'young', leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
  });
});
