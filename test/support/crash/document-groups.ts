// Groups of documents that are always written together: after a crash, each is whole, of one version, and found by words.
import assert from 'node:assert/strict';
import { DocumentIndex, type Json } from '../document-index.ts';
import type { Random } from '../random.ts';
import type { Service } from '../service.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const GROUPS = 6;
const DOCUMENTS_A_GROUP = 15;
const DELETED_SHARE = 0.2;
const WORDS = ['ferry', 'otter', 'quartz', 'harbor', 'lantern', 'meadow', 'violin', 'tundra'];

export class DocumentGroups implements Activity {
  readonly name = 'documents';
  readonly #random: Random;
  readonly #histories = Array.from({ length: GROUPS }, (_, group) => new History(`documents ${group}`));
  #index: DocumentIndex | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async prepare(service: Service): Promise<void> {
    this.#index = await DocumentIndex.create(service, this.name, {
      text: { type: 'string', full_text_search: {} },
    });
    // The namespace stays when all groups are deleted.
    await this.#index.upsert([documentOf('anchor', 0, 1)]);
  }

  work(): Promise<void> {
    const index = this.#opened();
    return untilGone(async () => {
      const group = this.#random.below(GROUPS);
      const history = this.#histories[group];
      if (history === undefined) return;
      if (this.#random.next() < DELETED_SHARE)
        await history.request(ABSENT, () => index.documents('delete', { ids: idsOf(group) }));
      else {
        const version = history.nextVersion();
        const documents = idsOf(group).map((id, at) => documentOf(id, at, version));
        await history.request(version, () => index.upsert(documents));
      }
    });
  }

  async verify(at: bigint): Promise<void> {
    const index = this.#opened();
    const stored = await index.all();
    for (const [group, history] of this.#histories.entries()) {
      const found = idsOf(group).flatMap((id) => (stored[id] === undefined ? [] : [stored[id] as Json]));
      const version = Number(found[0]?.version ?? ABSENT);
      history.assertPossible(version, at);
      if (version === ABSENT) continue;
      const expected = idsOf(group).map((id, i) => documentOf(id, i, version));
      assert.deepEqual(found.map(textOf), expected.map(textOf), `documents of group ${group}`);
    }
    for (const word of WORDS) {
      const expected = Object.values(stored).filter((each) => textOf(each as Json)[1]?.includes(word));
      assert.equal((await index.matching(word)).length, Math.min(100, expected.length), `found by ${word}`);
    }
  }

  #opened(): DocumentIndex {
    if (this.#index === undefined) throw new Error('not prepared');
    return this.#index;
  }
}

function idsOf(group: number): readonly string[] {
  return Array.from({ length: DOCUMENTS_A_GROUP }, (_, i) => `d${group}-${i}`);
}

function documentOf(id: string, at: number, version: number): Json {
  const words = [0, 3, 5].map((step) => WORDS[(at * step + version + step) % WORDS.length]);
  return { _id: id, text: words.join(' '), version };
}

function textOf({ _id, text, version }: Json): readonly [string, string, number] {
  return [String(_id), String(text), Number(version)];
}
