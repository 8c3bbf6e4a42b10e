// An engine that only copies indexes: an index holds a text, and tests can stop every step.
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { CAPABILITIES } from '../../../engine/embedded/storage/capabilities.ts';
import { CopyFailed } from '../../../engine/port/copy-failed.ts';
import type {
  CopyDetails,
  CopyOptions,
  ImportOptions,
  IndexCopies,
  IndexExport,
} from '../../../engine/port/index-copies.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import { sha256Of } from '../archive-format.ts';

const PIECE_BYTES = 1_000;
const END = '\nEND';

/** The stages of a copy that tests can observe. */
export type CopyStage = 'export' | 'export-piece' | 'import' | 'import-piece' | 'import-end';

export class FakeCopies implements Pick<VectorStore, 'capabilities' | 'createIndex' | 'dropIndex'> {
  readonly capabilities = CAPABILITIES;
  /** Content of each index, one record per line. */
  readonly stored = new Map<string, string>();
  readonly dropped: string[] = [];
  openExports = 0;
  /** Throws or waits to simulate a fault, a slow disk or a crash. */
  at: (stage: CopyStage) => Promise<void> = () => Promise.resolve();

  copies(profile: IndexProfile): IndexCopies {
    return {
      export: (options) => this.#export(profile, options),
      import: (bytes, options) => this.#import(profile, bytes, options),
      read: notFaked,
      write: notFaked,
      neighbors: notFaked,
    };
  }

  async #export(profile: IndexProfile, { signal }: CopyOptions = {}): Promise<IndexExport> {
    await this.at('export');
    const content = this.stored.get(profile.id);
    if (content === undefined) throw fault('index-not-found', { name: profile.name });
    const bytes = Buffer.from(content + END);
    this.openExports += 1;
    let isOpen = true;
    const at = this.at;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let first = 0; first < bytes.byteLength; first += PIECE_BYTES) {
        signal?.throwIfAborted();
        await at('export-piece');
        yield Uint8Array.from(bytes.subarray(first, first + PIECE_BYTES));
      }
    }
    return {
      ...fieldsOf(content),
      bytesExpected: bytes.byteLength,
      bytes: pieces(),
      sha256: Promise.resolve(sha256Of(bytes)),
      release: async () => {
        if (isOpen) this.openExports -= 1;
        isOpen = false;
      },
    };
  }

  async #import(
    profile: IndexProfile,
    bytes: AsyncIterable<Uint8Array>,
    { signal, sha256 }: ImportOptions = {},
  ): Promise<CopyDetails> {
    await this.at('import');
    if (this.stored.has(profile.id)) throw new Error('the index has storage');
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      signal?.throwIfAborted();
      await this.at('import-piece');
      pieces.push(piece);
    }
    const whole = Buffer.concat(pieces);
    if (sha256 !== sha256Of(whole)) throw new CopyFailed('damaged', 'The copy is damaged: it is another.');
    const text = whole.toString();
    signal?.throwIfAborted();
    const content = text.slice(0, -END.length);
    this.stored.set(profile.id, content);
    await this.at('import-end');
    return fieldsOf(content);
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    if (!this.stored.has(profile.id)) this.stored.set(profile.id, '');
  }

  async dropIndex(indexId: string): Promise<void> {
    this.dropped.push(indexId);
    this.stored.delete(indexId);
  }
}

function notFaked(): Promise<never> {
  return Promise.reject(new Error('this engine only copies whole indexes'));
}

function fieldsOf(content: string): CopyDetails {
  const recordCount = content === '' ? 0 : content.split('\n').length;
  return { seq: 1, recordCount, namespaceCount: Math.min(1, recordCount), sizeBytes: content.length };
}
