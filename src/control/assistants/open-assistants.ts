// Puts together what assistants, their files and their answers are made of.
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { DocumentParser } from '../../documents/processes/open-document-parser.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { JobDesk, JobKind } from '../../jobs/port.ts';
import { AssistantDesk } from './assistant-desk.ts';
import { assistantKinds } from './assistant-kinds.ts';
import type { ChunkStoreParts } from './chunk-store.ts';
import { type ModelNames, USUAL_MODELS } from './current-models.ts';
import { FileDesk } from './file-desk.ts';
import { Retriever } from './retriever.ts';

export interface AssistantParts extends ChunkStoreParts {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  /** Runs the jobs of `kinds`. */
  readonly jobs: JobDesk;
  readonly inference: Inference;
  readonly parser: Pick<DocumentParser, 'chunk'>;
  /** A folder on this machine, for files while they are parsed. */
  readonly scratchFolder: string;
  readonly models?: ModelNames;
}

export interface OpenAssistants {
  readonly assistants: AssistantDesk;
  readonly files: FileDesk;
  readonly retriever: Retriever;
  readonly kinds: readonly JobKind[];
}

export function openAssistants(parts: AssistantParts): OpenAssistants {
  const models = parts.models ?? USUAL_MODELS;
  return {
    assistants: new AssistantDesk({ ...parts, models }),
    files: new FileDesk(parts),
    retriever: new Retriever({ ...parts, rerank: models.rerank }),
    kinds: assistantKinds(parts),
  };
}
