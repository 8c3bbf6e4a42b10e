// Assistants that are being created: callers may use them at once, and wait a bounded time.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { USUAL_MODELS } from './assistant-models.ts';
import { AssistantService } from './assistant-service.ts';
import { AssistantFixture } from './testing/assistant-fixture.ts';

describe('an assistant that is being created', () => {
  let fixture: AssistantFixture;
  /** Nothing runs its jobs: the test changes the states. */
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

  it('is returned to a waiting caller as soon as it is Ready', async () => {
    const { id } = await make();
    const ready = service.ready(OWNER, 'young');
    await fixture.plane.catalog.assistants.move(id, 'Ready');
    assert.equal((await ready).state, 'Ready');
  });

  it('is reported as not found to a waiting caller when its creation fails', async () => {
    const { id } = await make();
    const ready = service.ready(OWNER, 'young');
    await fixture.plane.catalog.assistants.move(id, 'InitializationFailed');
    await assert.rejects(ready, { condition: 'assistant-not-found' });
  });

  it('makes callers wait a bounded time, and no longer than their client stays', async () => {
    await make();
    const busy = serviceWaiting(30).ready(OWNER, 'young');
    await assert.rejects(busy, { condition: 'overloaded', retryAfterSeconds: 1 });
    const leaving = new AbortController();
    const left = service.ready(OWNER, 'young', leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
  });
});
