// Descriptions outlive a catalog that does not know them, and go with what is deleted.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { memoryCatalog } from '../../../http/testing/fakes.ts';
import { OWNER } from '../../indexes/testing/control-plane.ts';
import { AssistantFixture, bytesOf, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';
import { AssistantDescriptions } from './assistant-descriptions.ts';

const { signal } = new AbortController();

describe('descriptions of assistants', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
  });
  afterEach(() => fixture.dispose());

  const described = async () => (await fixture.blobs.list('descriptions/', null)).items.map(({ key }) => key);

  it('are kept when a catalog knows neither the assistant nor its files, as far as they are whole', async () => {
    const { operation } = await running.files.upload(assistant, textFile('heron'));
    await fixture.ended(running, assistant, operation);
    const empty = await fixture.ready(running, 'empty');
    const whole = await described();
    assert.equal(whole.length, 3);
    await fixture.blobs.put('descriptions/damaged/assistant', bytesOf('{}'));
    const catalog = await memoryCatalog();
    const older = new AssistantDescriptions({
      catalog,
      blobs: fixture.blobs,
      projectName: () => null,
      onFailure: (error) => assert.fail(String(error)),
    });
    await older.keepAll(signal);
    assert.deepEqual(await described(), whole);
    assert.ok(whole.includes(`descriptions/${empty.id}/assistant`));
    await catalog.close();
  });

  it('are gone with a deleted file, also where it is noted late', async () => {
    const { operation, file } = await running.files.upload(assistant, textFile('heron'));
    await fixture.ended(running, assistant, operation);
    const before = await described();
    const key =
      before.find((each) => !each.endsWith('/assistant')) ?? assert.fail('the file is not described');
    const { assistantRevisions } = fixture.plane.catalog;
    const [id = ''] = await assistantRevisions.ids({ assistantId: assistant.id, accepts: null }, ['live']);
    const revision = (await assistantRevisions.find(id)) ?? assert.fail('the file is not stored');
    const removal = await running.files.remove(assistant, file.id);
    await running.descriptions.noteFile(revision);
    await fixture.ended(running, assistant, removal);
    await fixture.idle();
    await running.descriptions.noteFile(revision);
    assert.deepEqual(
      await described(),
      before.filter((each) => each !== key),
    );
  });

  it('are gone with a deleted assistant, also where a change of it is noted late', async () => {
    await running.assistants.remove(OWNER, 'helper');
    await running.descriptions.noteAssistant(assistant);
    await fixture.idle();
    await running.descriptions.noteAssistant(assistant);
    assert.deepEqual(await described(), []);
  });
});
