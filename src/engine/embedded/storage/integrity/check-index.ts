// Checks all files of an index without opening it: pages, records, rows, counts, derived files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CheckProgress,
  type IndexCheck,
  LOST_IDS_MAX,
  type NamespaceCheck,
} from '../../../../domain/integrity/index-check.ts';
import { readHeader } from '../derived-files/read-header.ts';
import { SnapshotFile } from '../derived-files/snapshot-file.ts';
import { readChunk, storedChunks } from '../derived-files/stored-chunks.ts';
import { isThere } from '../is-there.ts';
import { FileDamage } from './damage.ts';
import type { StoreIdentity } from './identity.ts';
import { type FoundNamespace, RecordsOnDisk } from './read-records.ts';

/** Records visited between two yields. */
const STEP_RECORDS = 500;
const BITS = 8;

/**
 * Yields after some milliseconds of work. The files may be in use if a snapshot of them is pinned meanwhile.
 * @param identity whose files these should be
 */
export function* checkIndex(folder: string, identity: StoreIdentity): Generator<CheckProgress, IndexCheck> {
  let files: RecordsOnDisk;
  try {
    files = new RecordsOnDisk(folder, identity);
  } catch (error) {
    if (!(error instanceof FileDamage)) throw error;
    return { problems: [error.message], derived: [], namespaces: [], bytes: 0 };
  }
  try {
    const bytesExpected = bytesOf(folder);
    const found = yield* new IndexChecker(files, bytesExpected).run();
    const derived = [...files.derived];
    let { bytes } = files;
    for (const path of derivedFiles(folder)) {
      const problem = derivedProblem(path);
      if (problem !== null) derived.push(`${path}: ${problem}`);
      bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      yield { bytes, bytesExpected };
    }
    files.finish();
    return { problems: files.problems, derived, namespaces: found, bytes };
  } finally {
    files.close();
  }
}

/** Bytes of all files of an index. */
function bytesOf(folder: string): number {
  const names = isThere(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

interface Counted {
  whole: number;
  ids: number;
  readonly lostIds: string[];
  lost: number;
}

class IndexChecker {
  readonly #files: RecordsOnDisk;
  readonly #bytesExpected: number;
  readonly #counts = new Map<number, Counted>();
  /** Rows of whole records. */
  #whole = new Uint8Array(1_024);

  constructor(files: RecordsOnDisk, bytesExpected: number) {
    this.#files = files;
    this.#bytesExpected = bytesExpected;
  }

  *run(): Generator<CheckProgress, readonly NamespaceCheck[]> {
    const files = this.#files;
    files.checkNumbers();
    const namespaces = new Map(files.namespaces());
    const dropped = files.dropped();
    yield* this.#inSteps(files.records(), ({ namespaceId, row }) => {
      this.#noteWhole(row);
      this.#of(namespaceId).whole++;
    });
    yield* this.#inSteps(files.ids(), ({ namespaceId, id, row }) => {
      const counted = this.#of(namespaceId);
      counted.ids++;
      if (this.#isWhole(row)) return;
      counted.lost++;
      if (counted.lostIds.length < LOST_IDS_MAX) counted.lostIds.push(id);
    });
    yield* this.#inSteps(files.strays(), (stray) => {
      // A record whose place in the tree is lost can be saved, but not be read by the server.
      if ('isStaged' in stray) namespaces.set(stray.row.namespaceId, stray);
      else this.#noteStray(stray.namespaceId, stray.row, stray.body.id);
    });
    for (const namespaceId of dropped) this.#counts.delete(namespaceId);
    return this.#result(namespaces);
  }

  *#inSteps<Item>(items: Iterable<Item>, take: (item: Item) => void): Generator<CheckProgress> {
    let since = 0;
    for (const item of items) {
      take(item);
      if (++since < STEP_RECORDS) continue;
      since = 0;
      yield { bytes: this.#files.bytes, bytesExpected: this.#bytesExpected };
    }
  }

  #result(namespaces: ReadonlyMap<number, FoundNamespace>): readonly NamespaceCheck[] {
    const isWhole = this.#files.problems.length === 0;
    const ids = new Set([...namespaces.keys(), ...this.#counts.keys()]);
    const found: NamespaceCheck[] = [];
    for (const namespaceId of ids) {
      const known = namespaces.get(namespaceId);
      const { whole, lostIds, lost } = this.#of(namespaceId);
      const expected = known?.row.recordCount ?? whole + lost;
      if (isWhole && (known === undefined || whole !== expected || this.#of(namespaceId).ids !== expected))
        this.#files.problems.push(
          known === undefined
            ? `${whole} records belong to no namespace`
            : `namespace ${JSON.stringify(known.name)} has ${whole} records and ${this.#of(namespaceId).ids} ids, expected ${expected}`,
        );
      if (known?.isStaged === true) continue;
      found.push({
        name: known?.name ?? null,
        records: whole,
        lost: Math.max(lost, expected - whole),
        lostIds,
      });
    }
    return found.sort((one, other) => ((one.name ?? '\uffff') < (other.name ?? '\uffff') ? -1 : 1));
  }

  #noteStray(namespaceId: number, row: number, id: string): void {
    if (this.#isWhole(row)) return;
    const counted = this.#of(namespaceId);
    this.#noteWhole(row);
    counted.whole++;
    const at = counted.lostIds.indexOf(id);
    if (at < 0) return;
    counted.lostIds.splice(at, 1);
    counted.lost--;
  }

  #of(namespaceId: number): Counted {
    const known = this.#counts.get(namespaceId) ?? { whole: 0, ids: 0, lostIds: [], lost: 0 };
    this.#counts.set(namespaceId, known);
    return known;
  }

  #noteWhole(row: number): void {
    const at = Math.floor(row / BITS);
    if (at >= this.#whole.length) {
      const grown = new Uint8Array(Math.max(at + 1, 2 * this.#whole.length));
      grown.set(this.#whole);
      this.#whole = grown;
    }
    this.#whole[at] = (this.#whole[at] ?? 0) | (1 << (row % BITS));
  }

  #isWhole(row: number): boolean {
    return ((this.#whole[Math.floor(row / BITS)] ?? 0) & (1 << (row % BITS))) !== 0;
  }
}

/** The finished derived files of an index. */
function derivedFiles(folder: string): readonly string[] {
  const derived = join(folder, 'derived');
  if (!isThere(derived)) return [];
  return readdirSync(derived).flatMap((name) => (name.endsWith('.segment') ? [join(derived, name)] : []));
}

/** What is wrong with a derived file; null when all its checksums match, or it was just replaced. */
function derivedProblem(path: string): string | null {
  const snapshot = readHeader(path);
  if (!snapshot.usable) return snapshot.reason === 'missing' ? null : snapshot.detail;
  const file = new SnapshotFile(path);
  try {
    const { preamble } = file;
    if (preamble.id !== snapshot.id) return null;
    const buffer = Buffer.allocUnsafe(Math.min(preamble.chunkBytes, preamble.fileBytes));
    for (const chunk of storedChunks(file, snapshot.parts))
      if (readChunk(file, chunk, buffer) === null) return `chunk ${chunk.number} does not have its checksum`;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    file.close();
  }
}
