// The indexes that a writer thread does not serve: dropped ones, damaged ones, those whose folder is missing, and those
// whose store must be closed by all threads first.
import { type Fault, fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { isOpenHere } from '../../../platform/open-files.ts';
import type { FileDamage } from '../storage/integrity/damage.ts';
import type { DamageReport, FoundReport } from './protocol.ts';

export class UnservedIndexes {
  readonly #dropped: Set<string>;
  /** They stay closed until they are dropped or the process ends. */
  readonly #damaged = new Set<string>();
  /** Reported as having no folder. */
  readonly #missing = new Set<string>();
  /** LMDB has given up their stores, which some thread may still have open. */
  readonly #givenUp = new Set<string>();
  readonly #notify: (message: DamageReport | FoundReport) => void;

  constructor(dropped: Iterable<string>, notify: (message: DamageReport | FoundReport) => void) {
    this.#dropped = new Set(dropped);
    this.#notify = notify;
  }

  isDropped(indexId: string): boolean {
    return this.#dropped.has(indexId);
  }

  isClosed(indexId: string): boolean {
    return this.#dropped.has(indexId) || this.#damaged.has(indexId);
  }

  /** @throws index-not-found, index-damaged */
  check({ id, name }: IndexProfile): void {
    if (this.#dropped.has(id)) throw fault('index-not-found', { name });
    if (this.#damaged.has(id)) throw fault('index-damaged', { name });
  }

  /** Not marked as damaged: its folder may be about to come, as the copy of an index that moves here. */
  noteMissing({ id, name }: IndexProfile, folder: string): Fault {
    if (!this.#missing.has(id))
      this.#notify({ type: 'damage', indexId: id, kind: 'missing', damage: `${folder} is missing` });
    this.#missing.add(id);
    return fault('storage-missing', { name });
  }

  noteGivenUp(indexId: string): void {
    this.#givenUp.add(indexId);
  }

  /**
   * Whoever opened it beside another thread would get the store that was given up.
   * @param path of its records
   * @throws interrupted
   */
  checkLeft(indexId: string, path: string): void {
    if (this.#givenUp.has(indexId) && isOpenHere(path)) throw fault('interrupted');
  }

  noteOpened(indexId: string): void {
    this.#givenUp.delete(indexId);
    if (this.#missing.delete(indexId)) this.#notify({ type: 'found', indexId });
  }

  noteDamage(indexId: string, { message }: FileDamage): void {
    this.#damaged.add(indexId);
    this.#notify({ type: 'damage', indexId, kind: 'index', damage: message });
  }

  noteDropped(indexId: string): void {
    this.#dropped.add(indexId);
    this.#damaged.delete(indexId);
    this.#missing.delete(indexId);
    this.#givenUp.delete(indexId);
  }

  /** An index of that id may be made again. */
  admit(indexId: string): void {
    this.#dropped.delete(indexId);
  }
}
