// Keeps what the catalog knows of assistants and files beside the files, and mends what is missing there.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import {
  ALL_DESCRIPTIONS_PREFIX,
  type AssistantDescription,
  assistantDescriptionKey,
  describedBy,
  fileDescriptionKey,
} from '../../../domain/assistants/descriptions.ts';
import { assistantKeys, type FileRevision, revisionKey } from '../../../domain/assistants/file.ts';
import { keepDescription, readDescription } from './description-text.ts';

const PAGE = 100;

export interface AssistantDescriptionParts {
  readonly catalog: Pick<Catalog, 'assistants' | 'assistantRevisions' | 'administration'>;
  readonly blobs: Pick<Blobs, 'get' | 'put' | 'list' | 'head' | 'delete'>;
  /** Null when it is not known. */
  readonly projectName: (projectId: string) => string | null;
  /** Called when a description could not be kept; it is kept at the next start. */
  readonly onFailure: (error: unknown) => void;
}

export class AssistantDescriptions {
  readonly #parts: AssistantDescriptionParts;

  constructor(parts: AssistantDescriptionParts) {
    this.#parts = parts;
  }

  /** Durable when it resolves, or told as a failure. */
  async noteAssistant(assistant: Assistant): Promise<void> {
    await this.#keepAssistant(assistant).catch(this.#parts.onFailure);
  }

  /** Durable when it resolves, or told as a failure. */
  async noteFile(revision: FileRevision): Promise<void> {
    await this.#keepFile(revision).catch(this.#parts.onFailure);
  }

  /**
   * Keeps what is missing, damaged or different, and removes descriptions of what was deleted. Safe at any time.
   * @throws BlobsUnavailable
   */
  async keepAll(signal: AbortSignal): Promise<void> {
    const kept = await this.#keptKeys(signal);
    const { administration, assistants } = this.#parts.catalog;
    for (const { id: organizationId } of await administration.organizations.list())
      for (const { id: projectId } of await administration.projects.list(organizationId)) {
        let after: PageQuery['after'] = null;
        do {
          const page: Page<Assistant> = await assistants.list(projectId, { limit: PAGE, after });
          for (const assistant of page.items) await this.#keepWhole(assistant, kept, signal);
          after = page.next;
        } while (after !== null);
      }
  }

  async #keepWhole(assistant: Assistant, kept: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    if (signal.aborted || assistant.state !== 'Ready') return;
    await this.#keepAssistant(assistant);
    const { assistantRevisions } = this.#parts.catalog;
    const all = { assistantId: assistant.id, accepts: null };
    for (const id of await assistantRevisions.ids(all, ['staged', 'live', 'stale'])) {
      if (signal.aborted) return;
      if (kept.has(fileDescriptionKey({ assistantId: assistant.id, id }))) continue;
      const revision = await assistantRevisions.find(id);
      if (revision !== null && revision.state !== 'dead') await this.#keepFile(revision);
    }
  }

  /** Those of whole descriptions. Also removes what a deletion of a file at the same moment as a change has left. */
  async #keptKeys(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { blobs } = this.#parts;
    const keys = new Set<string>();
    let cursor: string | null = null;
    do {
      const { items, next } = await blobs.list(ALL_DESCRIPTIONS_PREFIX, cursor);
      for (const { key } of items) {
        if (signal.aborted) return keys;
        if (await this.#isOfNothing(key)) await blobs.delete(key);
        else if ((await readDescription(blobs, key)) !== null) keys.add(key);
      }
      cursor = next;
    } while (cursor !== null);
    return keys;
  }

  /**
   * While there are bytes, their description is kept, and so is a whole one of an assistant: the catalog may be an older
   * copy.
   */
  async #isOfNothing(key: string): Promise<boolean> {
    const place = describedBy(key);
    if (place === null) return false;
    const { blobs, catalog } = this.#parts;
    const { assistantId, revisionId } = place;
    if (revisionId === null) {
      if ((await catalog.assistants.byId(assistantId)) !== null) return false;
      if ((await readDescription(blobs, key)) !== null) return false;
      return (await blobs.list(assistantKeys(assistantId), null, 1)).items.length === 0;
    }
    if ((await catalog.assistantRevisions.find(revisionId)) !== null) return false;
    return (await blobs.head(revisionKey({ assistantId, id: revisionId }))) === null;
  }

  async #keepAssistant(assistant: Assistant): Promise<void> {
    const { blobs, catalog, projectName } = this.#parts;
    const key = assistantDescriptionKey(assistant.id);
    const description: AssistantDescription = { assistant, projectName: projectName(assistant.projectId) };
    await keepDescription(blobs, key, description);
    // Its removal may have removed its descriptions just before.
    const now = await catalog.assistants.byId(assistant.id);
    if (now === null || now.state === 'Terminating') await blobs.delete(key);
  }

  async #keepFile(revision: FileRevision): Promise<void> {
    const { blobs, catalog } = this.#parts;
    const key = fileDescriptionKey(revision);
    await keepDescription(blobs, key, revision);
    // As above.
    const now = await catalog.assistantRevisions.find(revision.id);
    if (now === null || now.state === 'dead') await blobs.delete(key);
  }
}
