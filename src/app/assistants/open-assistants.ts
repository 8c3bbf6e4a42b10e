// Composes the services and jobs of assistants, files and retrieval.

import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { DocumentParser, ScanReader } from '../../documents/port.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { JobKind, JobQueue } from '../../jobs/port.ts';
import { assistantKinds } from './assistant-kinds.ts';
import { type ModelNames, USUAL_MODELS } from './assistant-models.ts';
import { AssistantService } from './assistant-service.ts';
import type { ChunkStoreParts } from './chunks/chunk-store.ts';
import { AssistantDescriptions } from './descriptions/assistant-descriptions.ts';
import { FileService } from './files/file-service.ts';
import type { PageImages } from './files/page-images.ts';
import { pagePictures } from './files/page-pictures.ts';
import type { PictureDescriber } from './ingestion/picture-describer.ts';
import { AssistantReembedService } from './ingestion/reembed-service.ts';
import { PassageFinder } from './retrieval/passage-finder.ts';
import { Retriever } from './retrieval/retriever.ts';
import type { Pause } from './stay-shown.ts';

export interface AssistantParts extends ChunkStoreParts {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  /** Runs the jobs of `kinds`. */
  readonly jobs: JobQueue;
  readonly inference: Inference;
  readonly parser: Pick<DocumentParser, 'chunk' | 'pictures' | 'regions'>;
  /** Null where no model reads pictures. */
  readonly describer?: PictureDescriber | null | undefined;
  /** Null where scanned pages are not read. */
  readonly scanReader?: ScanReader | null | undefined;
  /** A folder on this machine, for files while they are parsed. */
  readonly scratchFolder: string;
  readonly models?: ModelNames;
  /** While what is deleted is still shown; default in real time. */
  readonly pause?: Pause;
  /** Null when it is not known. */
  readonly projectName?: (projectId: string) => string | null;
  /** Called when a description for the day when the catalog is lost could not be kept. */
  readonly onUndescribed?: (error: unknown) => void;
  /** Called before a project gets another file. @throws quota-exceeded */
  readonly admitFile?: (projectId: string) => Promise<void>;
}

export interface OpenAssistants {
  readonly assistants: AssistantService;
  readonly files: FileService;
  readonly retriever: Retriever;
  readonly passages: PassageFinder;
  readonly reembeddings: AssistantReembedService;
  readonly descriptions: AssistantDescriptions;
  /** Of the pages of multimodal files. */
  readonly images: PageImages;
  readonly kinds: readonly JobKind[];
}

export function openAssistants(parts: AssistantParts): OpenAssistants {
  const models = parts.models ?? USUAL_MODELS;
  const { catalog, blobs, projectName = () => null, onUndescribed: onFailure = () => {} } = parts;
  const descriptions = new AssistantDescriptions({ catalog, blobs, projectName, onFailure });
  const assistants = new AssistantService({ ...parts, models, descriptions });
  return {
    assistants,
    descriptions,
    files: new FileService({ ...parts, descriptions }),
    retriever: new Retriever({ ...parts, rerank: models.rerank }),
    passages: new PassageFinder(parts),
    reembeddings: new AssistantReembedService({ ...parts, models, assistants }),
    images: pagePictures(parts.blobs),
    kinds: assistantKinds({ ...parts, models, descriptions }),
  };
}
