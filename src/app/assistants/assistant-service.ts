// The service for assistants: stores rows at once and leaves the work to jobs.
import { setTimeout as pause } from 'node:timers/promises';
import type { Catalog } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import {
  checkAssistantName,
  checkInstructions,
  readAssistantMetadata,
  readRegion,
} from '../../domain/assistants/assistant-rules.ts';
import { DELETED_SHOWN_MS } from '../../domain/assistants/limits.ts';
import type {
  AssistantChange,
  Assistants,
  NewAssistant,
  RemovalOptions,
} from '../../domain/assistants/services.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { overloaded } from '../../domain/overload.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { removalJob, setupJob } from './assistant-jobs.ts';
import { type ModelNames, modelsNow } from './assistant-models.ts';
import type { AssistantDescriptions } from './descriptions/assistant-descriptions.ts';

/** Creating an assistant takes a few tenths of a second, on a busy machine a few seconds. */
const SETUP_WAIT_MS = 10_000;
const SETUP_POLL_MS = 25;
const RETRY_SECONDS = 1;

export interface AssistantServiceParts {
  readonly catalog: Pick<Catalog, 'assistants'>;
  readonly jobs: Pick<JobQueue, 'wake'>;
  readonly inference: Inference;
  readonly models: ModelNames;
  /** Absent: nothing is kept for the day when the catalog is lost. */
  readonly descriptions?: Pick<AssistantDescriptions, 'noteAssistant'>;
  /** How long callers wait for an assistant that is being created. */
  readonly setupWaitMs?: number;
}

export class AssistantService implements Assistants {
  readonly #parts: AssistantServiceParts;

  constructor(parts: AssistantServiceParts) {
    this.#parts = parts;
  }

  /** The assistant becomes Ready shortly afterwards. @throws invalid-argument, name-taken */
  async create({ projectId }: ProjectAccess, requested: NewAssistant): Promise<Assistant> {
    const { name, instructions, metadata, region } = requested;
    checkAssistantName(name);
    if (instructions !== undefined) checkInstructions(instructions);
    const now = new Date().toISOString();
    const id = newId();
    const assistant: Assistant = {
      id,
      projectId,
      name,
      instructions: instructions ?? null,
      metadata: metadata === undefined ? null : readAssistantMetadata(metadata),
      region: readRegion(region),
      state: 'Initializing',
      models: modelsNow(this.#parts.inference, this.#parts.models),
      denseIndexId: id,
      sparseIndexId: newId(),
      createdAt: now,
      updatedAt: now,
    };
    await this.#parts.catalog.assistants.insert(assistant, setupJob(assistant, now));
    this.#parts.jobs.wake();
    return assistant;
  }

  /** Also finds assistants that are being created or deleted. @throws assistant-not-found */
  async describe({ projectId }: ProjectAccess, name: string): Promise<Assistant> {
    const assistant = await this.#parts.catalog.assistants.find(projectId, name);
    if (assistant === null) throw fault('assistant-not-found', { name });
    return assistant;
  }

  /** Polls, since another node may be creating it. */
  async ready(access: ProjectAccess, name: string, signal?: AbortSignal): Promise<Assistant> {
    const deadline = performance.now() + (this.#parts.setupWaitMs ?? SETUP_WAIT_MS);
    for (;;) {
      const assistant = await this.describe(access, name);
      if (assistant.state === 'Ready') return assistant;
      if (assistant.state !== 'Initializing') throw fault('assistant-not-found', { name });
      if (performance.now() >= deadline) throw overloaded(RETRY_SECONDS);
      await pause(SETUP_POLL_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /** Newest first. */
  list({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<Assistant>> {
    return this.#parts.catalog.assistants.list(projectId, page);
  }

  /** Validates a region but ignores it. @throws invalid-argument, assistant-not-found */
  async change(access: ProjectAccess, name: string, requested: AssistantChange): Promise<Assistant> {
    const { instructions, metadata, region } = requested;
    if (instructions !== undefined) checkInstructions(instructions);
    readRegion(region);
    const { id } = await this.describe(access, name);
    const changed = await this.#parts.catalog.assistants.change(id, {
      updatedAt: new Date().toISOString(),
      ...(instructions !== undefined && { instructions }),
      ...(metadata !== undefined && { metadata: readAssistantMetadata(metadata) }),
    });
    if (changed === null) throw fault('assistant-not-found', { name });
    await this.#parts.descriptions?.noteAssistant(changed);
    return changed;
  }

  async remove(access: ProjectAccess, name: string, { isPolled }: RemovalOptions = {}): Promise<void> {
    const assistant = await this.describe(access, name);
    const createdAt = new Date().toISOString();
    const shownMs = isPolled === true ? DELETED_SHOWN_MS : 0;
    await this.#parts.catalog.assistants.beginRemoval(
      assistant.id,
      removalJob(assistant, { createdAt, shownMs }),
    );
    this.#parts.jobs.wake();
  }
}
