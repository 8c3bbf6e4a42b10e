// The changed records of the reference model. It notes what a write names, and whole namespaces where it names none.
import type { ChangedPage, ChangedRecord } from '../port/changed-records.ts';
import type { Lsn } from '../port/reader-and-writer.ts';

export class ChangedModel {
  #isTracked = false;
  readonly #changed = new Map<string, ChangedRecord>();

  track(): void {
    this.#isTracked = true;
  }

  forget(): void {
    this.#isTracked = false;
    this.#changed.clear();
  }

  /** @param ids null for the namespace as a whole */
  note(namespace: string, ids: readonly string[] | null, lsn: Lsn): void {
    if (!this.#isTracked) return;
    for (const id of ids ?? [null]) this.#changed.set(keyOf({ namespace, id }), { namespace, id, lsn });
  }

  list(limit: number): ChangedPage {
    return { changed: [...this.#changed.values()].slice(0, limit), total: this.#changed.size };
  }

  settle(changed: readonly ChangedRecord[]): void {
    for (const each of changed)
      if (this.#changed.get(keyOf(each))?.lsn === each.lsn) this.#changed.delete(keyOf(each));
  }
}

function keyOf({ namespace, id }: Pick<ChangedRecord, 'namespace' | 'id'>): string {
  return JSON.stringify([namespace, id]);
}
