// Reads a whole source as batches of packed records: the plan, then file after file.
import { createHash } from 'node:crypto';
import { embedsDense } from '../../domain/imports/document-line.ts';
import {
  checkManifestSize,
  type ListedNamespace,
  MANIFEST_NAME,
  type PlannedFile,
  planFiles,
  plannedNamespaces,
} from '../../domain/imports/import-layout.ts';
import { readManifest } from '../../domain/imports/manifest.ts';
import { isGzip } from '../../domain/imports/record-format.ts';
import { packRecords } from '../../engine/port/packed-records.ts';
import { openSource } from '../../storage-locations/open-source.ts';
import { type Source, type SourceFile, SourceProblem } from '../../storage-locations/source.ts';
import { FileProblem } from '../file-bytes.ts';
import { FILE_START, type RecordBatch, type RecordShape, readRecords } from '../read-records.ts';
import type { ImportEvent, ImportPosition, ReaderStart, RefusedRow } from './messages.ts';

/** The position after the last readable row of a file; no file has as many rows. */
const END_OF_FILE = Number.MAX_SAFE_INTEGER;

const START: ImportPosition = { file: 0, row: 0, byte: 0 };

type Batch = Extract<ImportEvent, { type: 'batch' }>;

interface ImportPlan {
  readonly files: readonly PlannedFile<SourceFile>[];
  /** The stored names of all namespaces. */
  readonly namespaces: readonly string[];
  /** The namespaces in the manifest. */
  readonly listed: readonly ListedNamespace[];
  /** Changes whenever a file is added, removed or changed. */
  readonly planDigest: string;
}

/**
 * Yields the plan, then batch after batch.
 * @param onRead called for every read
 * @throws SourceProblem, LayoutProblem, SourceUnavailable
 */
export async function* readImport(
  { uri, rules, shape, from }: ReaderStart,
  onRead: () => void,
): AsyncGenerator<ImportEvent> {
  const source = await openSource(uri, rules);
  try {
    const { files, ...plan } = await planSource(source);
    if (from !== null && from.planDigest !== plan.planDigest) {
      throw new SourceProblem('Files were added, removed or changed since the import was started.');
    }
    yield { type: 'plan', ...plan };
    yield* readFiles(source, files, { shape, place: from?.place ?? START, onRead });
  } finally {
    await source.close();
  }
}

async function planSource(source: Source): Promise<ImportPlan> {
  const all = await source.list();
  const manifest = await manifestOf(source, all);
  const files = planFiles(all, manifest);
  const namespaces = plannedNamespaces(files, manifest);
  const listed = manifest?.namespaces ?? [];
  // As an earlier release has done it: an import may have begun with that.
  const identities = listed.map(({ folder, name, schema }) => ({ folder, name, schema }));
  const hash = createHash('sha256').update(JSON.stringify(identities));
  for (const { file, namespace } of files) {
    hash.update(JSON.stringify([file.path, file.bytes, file.version, namespace]));
  }
  return { files, namespaces, listed, planDigest: hash.digest('hex') };
}

async function manifestOf(source: Source, files: readonly SourceFile[]) {
  const found = files.find(({ path }) => path === MANIFEST_NAME);
  if (found === undefined) return null;
  checkManifestSize(found.bytes);
  const file = await source.open(found);
  try {
    return readManifest(Buffer.from(await file.read(0, file.size)).toString());
  } finally {
    await file.close();
  }
}

interface ReadingFrom {
  readonly shape: RecordShape;
  readonly place: ImportPosition;
  readonly onRead: () => void;
}

async function* readFiles(
  source: Source,
  files: ImportPlan['files'],
  { shape, place, onRead }: ReadingFrom,
): AsyncGenerator<Batch> {
  const bytesTotal = files.reduce((sum, { file }) => sum + file.bytes, 0);
  let bytesDone = 0;
  const { documents = null, textField = null } = shape;
  // Vectors of texts are still to be made.
  const isMade = textField !== null || (documents !== null && embedsDense(documents));
  const dimension = isMade ? null : shape.dimension;
  for (const [number, planned] of files.entries()) {
    if (number >= place.file) {
      const from = number === place.file ? place : FILE_START;
      for await (const batch of readFile(source, planned, { shape, from, onRead })) {
        const percent = (100 * (bytesDone + batch.share * planned.file.bytes)) / Math.max(1, bytesTotal);
        yield {
          type: 'batch',
          file: planned.file.path,
          namespace: planned.namespace,
          records: batch.records.length === 0 ? null : packRecords(batch.records, dimension),
          pending: batch.pending,
          refused: batch.refused.map((each) => ({ ...each, file: planned.file.path })),
          place: { file: number, ...batch.next },
          percent,
        };
      }
    }
    bytesDone += planned.file.bytes;
  }
}

type FileBatch = Omit<RecordBatch, 'refused'> & { readonly refused: readonly Omit<RefusedRow, 'file'>[] };

interface FileFrom {
  readonly shape: RecordShape;
  readonly from: { readonly row: number; readonly byte: number };
  readonly onRead: () => void;
}

/** A corrupt file ends with a refusal of its rest. */
async function* readFile(
  source: Source,
  { file, format }: PlannedFile<SourceFile>,
  { shape, from, onRead }: FileFrom,
): AsyncGenerator<FileBatch> {
  const opened = await source.open(file);
  let place = { row: from.row, byte: from.byte };
  const reportingFile = {
    size: opened.size,
    read: (start: number, end: number) => {
      onRead();
      return opened.read(start, end);
    },
  };
  try {
    // The file was read to its end before the process stopped.
    if (place.row === END_OF_FILE) return;
    for await (const batch of readRecords(reportingFile, format, {
      place,
      shape,
      isGzip: isGzip(file.path),
    })) {
      place = batch.next;
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const reason = `The file cannot be read${place.row === 0 ? '' : ` beyond row ${place.row}`}: ${error.message}.`;
    yield {
      records: [],
      pending: [],
      refused: [{ row: null, id: null, reason }],
      next: { row: END_OF_FILE, byte: 0 },
      share: 1,
    };
  } finally {
    await opened.close();
  }
}
