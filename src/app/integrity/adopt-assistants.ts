// Brings assistants and files that no catalog knows back into the catalog, by the descriptions beside the files.
import { createHash } from 'node:crypto';
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { Assistant, Catalog, FileRevision } from '../../catalog/port.ts';
import {
  ALL_DESCRIPTIONS_PREFIX,
  type AssistantDescription,
  assistantDescriptionKey,
  describedBy,
  fileDescriptionKey,
} from '../../domain/assistants/descriptions.ts';
import { revisionKey } from '../../domain/assistants/file.ts';
import { ingestJob, setupJob } from '../assistants/assistant-jobs.ts';
import { readDescription } from '../assistants/descriptions/description-text.ts';
import { newOperation } from '../assistants/files/new-operation.ts';
import { projectFor } from './project-for.ts';

export interface AdoptedAssistant {
  readonly id: string;
  /** Its name now: another one where the name was taken. */
  readonly name: string;
  readonly project: string;
  /** Files that the next start processes anew. */
  readonly files: number;
  /** Indexes of its chunks. */
  readonly indexIds: readonly string[];
}

export interface RefusedFile {
  readonly what: string;
  readonly reason: string;
}

export interface AdoptedAssistants {
  readonly adopted: readonly AdoptedAssistant[];
  readonly refused: readonly RefusedFile[];
}

/**
 * Gives each described assistant a row, and each of its files the newest upload whose bytes are whole. Safe to repeat
 * after it was interrupted.
 * @throws BlobsUnavailable, the signal's reason
 */
export async function adoptAssistants(
  catalog: Catalog,
  blobs: Blobs,
  signal: AbortSignal,
): Promise<AdoptedAssistants> {
  const adopted: AdoptedAssistant[] = [];
  const refused: RefusedFile[] = [];
  for (const [assistantId, revisionIds] of await described(blobs)) {
    const known = await catalog.assistants.byId(assistantId);
    if (known !== null && known.state !== 'Ready') continue;
    const key = assistantDescriptionKey(assistantId);
    const description = known === null ? await readDescription<AssistantDescription>(blobs, key) : null;
    if (known === null && description === null) {
      refused.push({ what: `assistant ${assistantId}`, reason: 'its description is missing or damaged' });
      continue;
    }
    const assistant = known ?? (description && (await adoptOne(catalog, description)));
    if (assistant === null) continue;
    const { revisions, damaged } = await revisionsOf(blobs, assistantId, revisionIds);
    const files = await adoptFiles({ catalog, blobs, signal, assistant }, revisions);
    refused.push(...files.refused);
    for (const id of damaged)
      if ((await catalog.assistantRevisions.find(id)) === null)
        refused.push({
          what: `upload ${id} of assistant ${assistant.name}`,
          reason: 'its description is damaged',
        });
    if (known !== null && files.adopted === 0) continue;
    const { name, projectId, denseIndexId, sparseIndexId } = assistant;
    const { name: project } = await projectFor(catalog, {
      id: projectId,
      name: description?.projectName ?? 'default',
    });
    const indexIds = known === null ? [denseIndexId, sparseIndexId] : [];
    adopted.push({ id: assistantId, name, project, files: files.adopted, indexIds });
  }
  return { adopted, refused };
}

interface FileAdoption {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly signal: AbortSignal;
  readonly assistant: Assistant;
}

/** @param revisions the newest first */
async function adoptFiles(
  { catalog, blobs, signal, assistant }: FileAdoption,
  revisions: readonly FileRevision[],
): Promise<{ readonly adopted: number; readonly refused: readonly RefusedFile[] }> {
  const refused: RefusedFile[] = [];
  let adopted = 0;
  for (const revision of revisions) {
    signal.throwIfAborted();
    const { fileId, name } = revision;
    // An upload that the catalog knows, or a newer one of the same file.
    if ((await catalog.assistantRevisions.find(revision.id)) !== null) continue;
    if ((await catalog.assistantFiles.find({ assistantId: assistant.id, fileId })) !== null) continue;
    const reason = await problemOf(blobs, revision, signal);
    if (reason === null) {
      await stage(catalog, assistant, revision);
      adopted++;
    } else refused.push({ what: `file ${name} of assistant ${assistant.name}`, reason });
  }
  return { adopted, refused };
}

/** Ids of described revisions, by assistant. */
async function described(blobs: Blobs): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  let cursor: string | null = null;
  do {
    const { items, next } = await blobs.list(ALL_DESCRIPTIONS_PREFIX, cursor);
    for (const { key } of items) {
      const place = describedBy(key);
      if (place === null) continue;
      const revisions = found.get(place.assistantId) ?? [];
      if (place.revisionId !== null) revisions.push(place.revisionId);
      found.set(place.assistantId, revisions);
    }
    cursor = next;
  } while (cursor !== null);
  return found;
}

/** Its indexes are made again by the job where they are missing; files can be staged at once. */
async function adoptOne(
  catalog: Catalog,
  { assistant: described, projectName }: AssistantDescription,
): Promise<Assistant> {
  await projectFor(catalog, { id: described.projectId, name: projectName ?? 'default' });
  const name = await freeName(catalog, described);
  const assistant: Assistant = { ...described, name, state: 'Initializing' };
  await catalog.assistants.insert(assistant, setupJob(assistant, new Date().toISOString()));
  await catalog.assistants.move(assistant.id, 'Ready');
  return { ...assistant, state: 'Ready' };
}

async function freeName({ assistants }: Catalog, { projectId, name }: Assistant): Promise<string> {
  let free = name;
  for (let number = 1; (await assistants.find(projectId, free)) !== null; number++)
    free = `${name.slice(0, 45)}-adopted${number}`;
  return free;
}

/** The newest first, and the ids of those whose descriptions are damaged. */
async function revisionsOf(
  blobs: Blobs,
  assistantId: string,
  ids: readonly string[],
): Promise<{ readonly revisions: readonly FileRevision[]; readonly damaged: readonly string[] }> {
  const revisions: FileRevision[] = [];
  const damaged: string[] = [];
  for (const id of ids) {
    const revision = await readDescription<FileRevision>(blobs, fileDescriptionKey({ assistantId, id }));
    if (revision === null) damaged.push(id);
    else revisions.push(revision);
  }
  return { revisions: revisions.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)), damaged };
}

async function problemOf(blobs: Blobs, revision: FileRevision, signal: AbortSignal): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const piece of blobs.get(revisionKey(revision))) {
      signal.throwIfAborted();
      hash.update(piece);
    }
  } catch (error) {
    if (error instanceof BlobMissing) return 'its bytes are missing';
    throw error;
  }
  return hash.digest('hex') === revision.sha256 ? null : 'its bytes are not those that were uploaded';
}

async function stage(catalog: Catalog, assistant: Assistant, described: FileRevision): Promise<void> {
  const { fileId } = described;
  const operation = newOperation('upsert_file', { assistantId: assistant.id, fileId });
  const revision: FileRevision = {
    ...described,
    operationId: operation.id,
    state: 'staged',
    processing: null,
  };
  await catalog.assistantFiles.stage({ revision, operation, job: ingestJob(assistant, revision) });
}
