// Vectors of before a re-embedding that an undo brings back: texts are refused from then on, until they are made anew.
import type { ProjectAccess } from '../../domain/access.ts';
import { changeOfSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { hadOtherVectors } from '../../domain/embedding/remade-vectors.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { JobFailure } from '../../jobs/port.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { REEMBED_KIND } from '../reembedding/reembed-progress.ts';

export interface UndoneVectorsParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'configure'> & { byId(id: string): Index | undefined };
  /** The access with which the index is changed. */
  readonly accessTo: (index: Index) => ProjectAccess;
}

export class UndoneVectors {
  readonly #parts: UndoneVectorsParts;
  readonly #indexId: string;
  readonly #toLsn: number;
  #isAwaited: boolean;

  /** @param toLsn the write to which the undo goes back */
  constructor(parts: UndoneVectorsParts, indexId: string, toLsn: number) {
    this.#parts = parts;
    this.#indexId = indexId;
    this.#toLsn = toLsn;
    this.#isAwaited = this.#mixed().length > 0;
  }

  /** Whether `refuse` is to be called before anything is undone. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Has texts refused until a re-embedding, which waits for the undo, has made the vectors anew. Safe to repeat. */
  async refuse(): Promise<void> {
    const { indexes, accessTo } = this.#parts;
    for (const { kind } of this.#mixed()) {
      const index = this.#index();
      const change = changeOfSlot(kind, (before) => ({
        ...before,
        remaking: before.remaking ?? before.source,
      }));
      await indexes.configure(accessTo(index), index.name, change);
    }
    await this.#remake();
    this.#isAwaited = false;
  }

  /** Has them made anew where a re-embedding that was about to end took no notice of `refuse`. Safe to repeat. */
  async settle(): Promise<void> {
    if (this.#mixed().some(({ embed }) => embed.remaking !== null)) await this.#remake();
  }

  #index(): Index {
    const index = this.#parts.indexes.byId(this.#indexId);
    if (index === undefined) throw new JobFailure('The index was deleted.');
    return index;
  }

  #mixed() {
    const index = this.#index();
    return embeddingSlots(index).filter(({ embed }) => hadOtherVectors(index, embed, { lsn: this.#toLsn }));
  }

  async #remake(): Promise<void> {
    await new IndexJobStarter(this.#parts, REEMBED_KIND).start(this.#index());
  }
}
