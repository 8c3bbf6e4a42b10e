// Assistants as the surfaces ask for them: rows at once, the work in jobs.
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
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { JobDesk } from '../../jobs/port.ts';
import { removalJob, setupJob } from './assistant-jobs.ts';
import { type ModelNames, modelsNow } from './current-models.ts';

export interface NewAssistant {
  readonly name: string;
  readonly instructions?: string | null | undefined;
  /** As sent: checked here. */
  readonly metadata?: unknown;
  readonly region?: string | null | undefined;
}

/** Absent fields keep their value, null clears. */
export type AssistantChange = Omit<NewAssistant, 'name'>;

export interface AssistantDeskParts {
  readonly catalog: Pick<Catalog, 'assistants'>;
  readonly jobs: Pick<JobDesk, 'wake'>;
  readonly inference: Inference;
  readonly models: ModelNames;
}

export class AssistantDesk {
  readonly #parts: AssistantDeskParts;

  constructor(parts: AssistantDeskParts) {
    this.#parts = parts;
  }

  /** Ready a little later. @throws invalid-argument, name-taken */
  async create({ projectId }: ProjectAccess, wanted: NewAssistant): Promise<Assistant> {
    const { name, instructions = null } = wanted;
    checkAssistantName(name);
    checkInstructions(instructions);
    const now = new Date().toISOString();
    const assistant: Assistant = {
      id: newId(),
      projectId,
      name,
      instructions,
      metadata: readAssistantMetadata(wanted.metadata),
      region: readRegion(wanted.region),
      state: 'Initializing',
      models: modelsNow(this.#parts.inference, this.#parts.models),
      sparseIndexId: newId(),
      createdAt: now,
      updatedAt: now,
    };
    await this.#parts.catalog.assistants.insert(assistant, setupJob(assistant, now));
    this.#parts.jobs.wake();
    return assistant;
  }

  /** Also one that is being made or deleted. @throws assistant-not-found */
  async describe({ projectId }: ProjectAccess, name: string): Promise<Assistant> {
    const assistant = await this.#parts.catalog.assistants.find(projectId, name);
    if (assistant === null) throw fault('assistant-not-found', { name });
    return assistant;
  }

  /** One that has files and answers. @throws assistant-not-found */
  async ready(access: ProjectAccess, name: string): Promise<Assistant> {
    const assistant = await this.describe(access, name);
    if (assistant.state !== 'Ready') throw fault('assistant-not-found', { name });
    return assistant;
  }

  /** Newest first. */
  list({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<Assistant>> {
    return this.#parts.catalog.assistants.list(projectId, page);
  }

  /** A region must be a valid one, and changes nothing. @throws invalid-argument, assistant-not-found */
  async change(access: ProjectAccess, name: string, wanted: AssistantChange): Promise<Assistant> {
    const { instructions, metadata, region } = wanted;
    if (instructions !== undefined) checkInstructions(instructions);
    readRegion(region);
    const { id } = await this.describe(access, name);
    const changed = await this.#parts.catalog.assistants.change(id, {
      updatedAt: new Date().toISOString(),
      ...(instructions !== undefined && { instructions }),
      ...(metadata !== undefined && { metadata: readAssistantMetadata(metadata) }),
    });
    if (changed === null) throw fault('assistant-not-found', { name });
    return changed;
  }

  /** Gone a little later, with its files. @throws assistant-not-found */
  async remove(access: ProjectAccess, name: string): Promise<void> {
    const assistant = await this.describe(access, name);
    await this.#parts.catalog.assistants.beginRemoval(
      assistant.id,
      removalJob(assistant, new Date().toISOString()),
    );
    this.#parts.jobs.wake();
  }
}
