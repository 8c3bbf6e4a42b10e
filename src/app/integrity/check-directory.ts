// Checks everything in a data directory while no server runs: indexes, chunks of assistants, backups, uploaded files, and
// indexes that the catalog does not know.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { Assistant, AssistantFile, Catalog, Project } from '../../catalog/port.ts';
import { chunkIndexes } from '../../domain/assistants/assistant.ts';
import { revisionKey } from '../../domain/assistants/file.ts';
import { storagesOf } from '../../domain/embedding/model-change.ts';
import { profileOf } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import type { StorageInspection } from '../../engine/port/storage-inspection.ts';
import { archiveProblem } from '../backups/check-archive.ts';
import { archiveTitle } from '../backups/damaged-archives.ts';
import { allPages, allProjects, archivesOfProject } from './all-archives.ts';
import type { CheckedFile, CheckedIndex, DirectoryReport, OrphanedIndex } from './directory-report.ts';

export interface DirectoryCheckParts {
  /** Null when it is missing or damaged: then every index is an orphan. */
  readonly catalog: Catalog | null;
  /** What is wrong with the catalog. */
  readonly catalogProblem: string | null;
  readonly blobs: Blobs;
  readonly storage: StorageInspection;
  readonly signal: AbortSignal;
  /** Called while something is read, with its share from 0 to 1. */
  readonly onProgress: (what: string, share: number) => void;
}

export async function checkDirectory(parts: DirectoryCheckParts): Promise<DirectoryReport> {
  const { catalog, catalogProblem } = parts;
  const checker = new DirectoryChecker(parts);
  if (catalog === null)
    return { catalog: catalogProblem, indexes: [], orphans: await checker.orphans(), backups: [], files: [] };
  const projects = await allProjects(catalog);
  const indexes = await checker.indexes(catalog, projects);
  const [backups, files] = [await checker.backups(catalog, projects), [] as CheckedFile[]];
  for (const project of projects)
    for (const assistant of await allPages((page) => catalog.assistants.list(project.id, page))) {
      indexes.push(...(await checker.chunks(assistant, project)));
      files.push(...(await checker.files(catalog, assistant)));
    }
  return { catalog: catalogProblem, indexes, orphans: await checker.orphans(), backups, files };
}

class DirectoryChecker {
  readonly #parts: DirectoryCheckParts;
  /** Indexes that the catalog knows. */
  readonly #known = new Set<string>();

  constructor(parts: DirectoryCheckParts) {
    this.#parts = parts;
  }

  async indexes(catalog: Catalog, projects: readonly Project[]): Promise<CheckedIndex[]> {
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const checked: CheckedIndex[] = [];
    for (const index of await catalog.indexes.list()) {
      const { id, name, projectId, state } = index;
      for (const storage of storagesOf(index)) this.#known.add(storage);
      // Those have no storage yet, or none that counts.
      if (state === 'Initializing' || state === 'InitializationFailed' || state === 'Terminating') continue;
      const check = await this.#check(profileOf(index), `index ${name}`);
      checked.push({ id, name, project: names.get(projectId) ?? projectId, assistant: null, check });
    }
    return checked;
  }

  async chunks(assistant: Assistant, project: Project): Promise<readonly CheckedIndex[]> {
    const { dense, sparse } = chunkIndexes(assistant);
    for (const { id } of [dense, sparse]) this.#known.add(id);
    if (assistant.state !== 'Ready') return [];
    const checked: CheckedIndex[] = [];
    for (const profile of [dense, sparse]) {
      const { id, name } = profile;
      const check = await this.#check(profile, `assistant ${name}`);
      checked.push({ id, name, project: project.name, assistant: name, check });
    }
    return checked;
  }

  /** Indexes that nothing in the catalog refers to. Call last. */
  async orphans(): Promise<readonly OrphanedIndex[]> {
    const { storage } = this.#parts;
    const found: OrphanedIndex[] = [];
    for (const id of storage.ids()) {
      if (this.#known.has(id)) continue;
      const place = storage.placeOf(id);
      const described = storage.description(id);
      if (described.state !== 'whole') {
        found.push({ id, place, name: null, project: null, check: null });
        continue;
      }
      const { index, projectName } = described.description;
      const check = await this.#check({ id, dimension: index.dimension }, `index ${index.name}`);
      found.push({ id, place, name: index.name, project: projectName, check });
    }
    return found;
  }

  async backups(catalog: Catalog, projects: readonly Project[]): Promise<readonly CheckedFile[]> {
    const { blobs, signal, onProgress } = this.#parts;
    const checked: CheckedFile[] = [];
    for (const { id: projectId } of projects)
      for (const archive of await archivesOfProject(catalog, projectId)) {
        if (archive.state !== 'Ready') continue;
        const what = archiveTitle(archive);
        const onBytes = (bytes: number) => onProgress(what, bytes / Math.max(1, archive.sizeBytes));
        const problem = await archiveProblem(blobs, archive, { signal, onBytes });
        checked.push({ what, id: archive.id, problem });
      }
    return checked;
  }

  async files(catalog: Catalog, assistant: Assistant): Promise<readonly CheckedFile[]> {
    const query = { assistantId: assistant.id, accepts: null };
    const checked: CheckedFile[] = [];
    for (const file of await allPages((page) => catalog.assistantFiles.list(query, page))) {
      if (file.state !== 'Available' && file.state !== 'Processing') continue;
      const what = `file ${file.name} of assistant ${assistant.name}`;
      this.#parts.onProgress(what, 0);
      checked.push({ what, id: file.id, problem: await this.#fileProblem(file) });
    }
    return checked;
  }

  async #fileProblem({ assistantId, revisionId, sha256 }: AssistantFile): Promise<string | null> {
    const { blobs, signal } = this.#parts;
    const hash = createHash('sha256');
    try {
      for await (const piece of blobs.get(revisionKey({ assistantId, id: revisionId }))) {
        signal.throwIfAborted();
        hash.update(piece);
      }
    } catch (error) {
      if (error instanceof BlobMissing) return 'it is missing';
      throw error;
    }
    return hash.digest('hex') === sha256 ? null : 'it is not the file that was uploaded';
  }

  async #check(index: Parameters<StorageInspection['check']>[0], what: string): Promise<IndexCheck> {
    const { storage, signal, onProgress } = this.#parts;
    const steps = storage.check(index);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      onProgress(what, value.bytes / Math.max(1, value.bytesExpected));
      // Lets an interrupt arrive.
      await setImmediate();
      signal.throwIfAborted();
    }
  }
}
