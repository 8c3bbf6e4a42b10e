// Creates the folder of an index from a portable copy, through the ordinary writer, aside until it is whole.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import type { CopyDetails } from '../../port/index-copies.ts';
import { portableItems } from '../../port/portable-items.ts';
import { openIndex } from '../indexing/open-index.ts';
import { Epochs } from '../memory/epochs.ts';
import { removeFolder } from '../storage/index-files.ts';
import { assertSpace, place } from './import-copy.ts';
import { DERIVED_FOLDER } from './open-derived-files.ts';
import { setSeq } from './set-seq.ts';

export interface PortableImport {
  /** Temporary place; its content is removed. */
  readonly aside: string;
  /** The final place. */
  readonly folder: string;
  readonly sha256: string | null;
  /** How far the sequence number is ahead of the copy's; 0 to count from the first write of the import. */
  readonly seqAhead: number;
}

/** Durable when it resolves, and nothing is left when it fails. Search structures are built when they are needed. */
export async function importPortable(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array>,
  { aside, folder, sha256, seqAhead }: PortableImport,
): Promise<CopyDetails> {
  removeFolder(aside);
  try {
    const { seqOfCopy, ...details } = await fill(profile, bytes, { aside, sha256 });
    const seq = seqAhead === 0 ? details.seq : seqOfCopy + seqAhead;
    if (seq !== details.seq) await setSeq(profile, aside, seq);
    mkdirSync(join(aside, DERIVED_FOLDER), { recursive: true, mode: 0o700 });
    place(aside, folder);
    return { ...details, seq };
  } catch (error) {
    removeFolder(aside);
    throw error;
  }
}

async function fill(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array>,
  { aside, sha256 }: Pick<PortableImport, 'aside' | 'sha256'>,
): Promise<CopyDetails & { readonly seqOfCopy: number }> {
  const index = openIndex(profile, aside, {
    epochs: new Epochs(Epochs.allocate(1)),
    announce: () => undefined,
  });
  const { writer } = index;
  try {
    let details: CopyDetails | null = null;
    let name = '';
    for await (const item of portableItems(spaced(bytes, aside), profile, { sha256: sha256 ?? undefined })) {
      if (item.kind === 'head') ({ details } = item);
      else if (item.kind === 'records') await writer.upsert(name, item.records);
      else {
        ({ name } = item.namespace);
        if (item.namespace.isExplicit) await writer.createNamespace(name, item.namespace.schema);
      }
    }
    if (details === null) throw new CopyFailed('damaged', 'it has no beginning');
    return { ...details, seqOfCopy: details.seq, seq: writer.lsn() };
  } finally {
    await index.close();
  }
}

/** @throws storage-full */
async function* spaced(bytes: AsyncIterable<Uint8Array>, folder: string): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    assertSpace(folder, piece.length);
    yield piece;
  }
}
