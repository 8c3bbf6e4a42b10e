// Opens an index for writing: files, shared memory, loaded namespaces and the writer, joined.
import { randomInt } from 'node:crypto';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator } from '../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../memory/arena.ts';
import type { Epochs } from '../memory/epochs.ts';
import type { StructureDelta } from '../memory/structure.ts';
import { closeFiles, type IndexFiles, openForWriting } from '../storage/index-files.ts';
import { IndexWriter } from './index-writer.ts';
import { LoadedNamespaces } from './loaded-namespaces.ts';
import { SEQ } from './write-transaction.ts';

export interface OpenIndex {
  readonly files: IndexFiles;
  readonly arena: Arena;
  /** What readers need to read the filter columns. */
  readonly columnSeed: number;
  readonly loaded: LoadedNamespaces;
  readonly writer: IndexWriter;
  /** Finishes what waits and closes the files. */
  close(): Promise<void>;
}

const COLUMN_SEEDS = 2 ** 48 - 1;

/** `announce` must reach every reader before it returns; the arena's version is counted up after it. */
export function openIndex(
  profile: IndexProfile,
  folder: string,
  options: {
    readonly epochs: Epochs;
    readonly announce: (delta: StructureDelta) => void;
    /** Bounds the shared memory below 4 GiB. */
    readonly framesMax?: number;
  },
): OpenIndex {
  const { dimension } = profile;
  const files = openForWriting(folder, dimension);
  const arena = Arena.create(options.framesMax);
  const rowBytes = (dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  const rowScratch = arena.grow(Math.ceil((rowBytes + 1) / FRAME_BYTES));
  if (rowScratch === null) throw new Error('no memory left to open an index');
  const columnSeed = randomInt(COLUMN_SEEDS);
  const allocator = new Allocator(arena, options.epochs);
  const context = { arena, allocator, kernel: loadKernel(arena.memory), dimension, rowScratch, columnSeed };
  const announce = (delta: StructureDelta) => {
    options.announce(delta);
    arena.announceStructure();
  };
  const seq = files.store.getNumber(SEQ);
  const loaded = new LoadedNamespaces(context, files, { epochs: options.epochs, announce, seq });
  const writer = new IndexWriter(profile, files, loaded);
  const close = async () => {
    await writer.close();
    await closeFiles(files);
  };
  return { files, arena, columnSeed, loaded, writer, close };
}
