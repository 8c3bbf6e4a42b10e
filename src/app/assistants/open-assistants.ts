// Puts together what assistants, their files and their answers are made of.

import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { DocumentParser } from '../../documents/port.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { JobDesk, JobKind } from '../../jobs/port.ts';
import { assistantKinds } from './assistant-kinds.ts';
import { type ModelNames, USUAL_MODELS } from './assistant-models.ts';
import { AssistantDesk } from './assistant-service.ts';
import { FileDesk } from './files/file-service.ts';
import type { PageImages } from './files/page-images.ts';
import { pagePictures } from './files/page-pictures.ts';
import type { ChunkStoreParts } from './ingestion/chunk-store.ts';
import type { PictureDescriber } from './ingestion/picture-describer.ts';
import { AssistantReembedDesk } from './ingestion/reembed-service.ts';
import { Retriever } from './retrieval/retriever.ts';

export interface AssistantParts extends ChunkStoreParts {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  /** Runs the jobs of `kinds`. */
  readonly jobs: JobDesk;
  readonly inference: Inference;
  readonly parser: Pick<DocumentParser, 'chunk' | 'pictures'>;
  /** Null where no model reads pictures. */
  readonly describer?: PictureDescriber | null | undefined;
  /** A folder on this machine, for files while they are parsed. */
  readonly scratchFolder: string;
  readonly models?: ModelNames;
}

export interface OpenAssistants {
  readonly assistants: AssistantDesk;
  readonly files: FileDesk;
  readonly retriever: Retriever;
  readonly reembeddings: AssistantReembedDesk;
  /** Of the pages of multimodal files. */
  readonly images: PageImages;
  readonly kinds: readonly JobKind[];
}

export function openAssistants(parts: AssistantParts): OpenAssistants {
  const models = parts.models ?? USUAL_MODELS;
  const assistants = new AssistantDesk({ ...parts, models });
  return {
    assistants,
    files: new FileDesk(parts),
    retriever: new Retriever({ ...parts, rerank: models.rerank }),
    reembeddings: new AssistantReembedDesk({ ...parts, models, assistants }),
    images: pagePictures(parts.blobs),
    kinds: assistantKinds({ ...parts, models }),
  };
}
