// Opens the indexes of a writer thread with what they share: its memory, builders and turns. Damage that it meets, or that
// an open index reports, ends the service of the index.
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Builders } from '../indexing/builds/builders.ts';
import { CodeVerifier } from '../indexing/code-verifier.ts';
import { storageFault } from '../indexing/commit-queue.ts';
import { warningsOf } from '../indexing/index-warnings.ts';
import { openIndex } from '../indexing/open-index.ts';
import { Epochs } from '../memory/epochs.ts';
import type { FrameBudget } from '../memory/frame-budget.ts';
import type { StructureDelta } from '../segments/structure.ts';
import { indexFolder } from '../storage/index-files.ts';
import { FileDamage } from '../storage/integrity/damage.ts';
import { RECORDS } from '../storage/integrity/sealed-records.ts';
import { isThere } from '../storage/is-there.ts';
import type { ColdIndexes } from './cold-indexes.ts';
import type { ServedIndex } from './open-indexes.ts';
import type { DamageReport, SumsReport, ThreadStart, WriterMessage } from './protocol.ts';
import { recordDamage } from './record-damage.ts';
import type { UnservedIndexes } from './unserved-indexes.ts';
import type { WriteTurns } from './write-turns.ts';

export interface IndexOpenerParts {
  readonly start: ThreadStart;
  readonly builders: Builders;
  readonly budget: FrameBudget;
  readonly cold: ColdIndexes;
  readonly turns: WriteTurns;
  readonly unserved: UnservedIndexes;
  /** Posts a message to the main thread. */
  readonly notify: (message: DamageReport | SumsReport) => void;
  /** Closes an index where it is open, with all its readers. */
  readonly close: (indexId: string) => void;
}

export class IndexOpener {
  readonly #parts: IndexOpenerParts;
  readonly #epochs: Epochs;
  readonly #verifier = new CodeVerifier();

  constructor(parts: IndexOpenerParts) {
    this.#parts = parts;
    this.#epochs = new Epochs(parts.start.epochs);
  }

  /** @throws index-not-found, index-damaged, storage-missing, storage-full, interrupted */
  open(profile: IndexProfile, isNew: boolean): ServedIndex {
    const { start, unserved } = this.#parts;
    const { id, name } = profile;
    unserved.check(profile);
    const folder = indexFolder(start.dataDir, id);
    try {
      if (!isNew && !isThere(folder)) throw unserved.noteMissing(profile, folder);
      unserved.checkLeft(id, join(folder, RECORDS));
      const opened = this.#openFiles(profile, folder, isNew);
      unserved.noteOpened(id);
      return opened;
    } catch (error) {
      if (!(error instanceof FileDamage)) throw refusalToOpen(error, id);
      this.noteDamage(id, error);
      throw fault('index-damaged', { name });
    }
  }

  noteDamage(indexId: string, damage: FileDamage): void {
    this.#parts.unserved.noteDamage(indexId, damage);
    // Where it is open, its readers close it too: reading on might end the process.
    this.#parts.close(indexId);
  }

  /** The next request opens it again, once its readers have left it. */
  #noteGivenUp(indexId: string): void {
    this.#parts.unserved.noteGivenUp(indexId);
    this.#parts.close(indexId);
  }

  #openFiles(profile: IndexProfile, folder: string, isNew: boolean): ServedIndex {
    const { start, builders, budget, cold, turns, notify } = this.#parts;
    const readers = new Set<MessagePort>();
    const announce = (delta: StructureDelta) => {
      const message: WriterMessage = { type: 'delta', indexId: profile.id, delta };
      for (const port of readers) port.postMessage(message);
    };
    const { coldAfterSeconds } = start.memory ?? {};
    const opened: ServedIndex = {
      readers,
      ...openIndex(profile, folder, {
        epochs: this.#epochs,
        announce,
        builders,
        budget,
        verifier: this.#verifier,
        isNew,
        onDamage: (damage) => this.noteDamage(profile.id, damage),
        onGivenUp: () => this.#noteGivenUp(profile.id),
        onSumsAdded: (records) => notify({ type: 'sums-added', indexId: profile.id, records }),
        peers: cold.peersOf(() => opened.memory),
        turns: {
          take: (turn) => turns.takeCommit(profile.id, turn),
          msMax: () => turns.turnMsMax(profile.id),
        },
        history: { bounds: start.history ?? null },
        memoryProfile: start.memoryProfile ?? 'memory',
        ...(coldAfterSeconds !== undefined && { coldAfterSeconds }),
      }),
    };
    opened.files.store.records.damage = recordDamage(profile, notify);
    return opened;
  }
}

/** Callers hear that the disk does not let it be opened, and the log hears of which file. The next request tries again. */
export function refusalToOpen(error: unknown, indexId: string): unknown {
  const refusal = storageFault(error);
  if (refusal !== error) warningsOf(indexId)(error);
  return refusal;
}
