// Opens everything for assistants: their services, the processing of files, chat, and the removal of what a crash left.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssistantServices } from '../api/rest/assistants/assistant-endpoint.ts';
import type { ChunkEngine } from '../app/assistants/chunks/chunk-store.ts';
import { forgetOperations } from '../app/assistants/files/forget-operations.ts';
import { SignedLinks } from '../app/assistants/files/signed-links.ts';
import { sweepUploads } from '../app/assistants/files/sweep-uploads.ts';
import { openAssistants as openServices } from '../app/assistants/open-assistants.ts';
import { openChat, openDescriber } from '../app/assistants/open-chat.ts';
import { tableAnswers } from '../app/assistants/tables/table-answers.ts';
import { tokenCounter } from '../app/assistants/token-counter.ts';
import { measuredLanguageModel } from '../app/monitoring/measured-models.ts';
import type { ModelMeter } from '../app/monitoring/model-meter.ts';
import type { QuotaService } from '../app/quotas/quota-service.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Catalog } from '../catalog/port.ts';
import { openTesseract, type ScanReader, tesseractProblem } from '../documents/ocr/tesseract.ts';
import { openDocumentParser } from '../documents/processes/open-document-parser.ts';
import { loadTokenCounter } from '../documents/text/count-tokens.ts';
import type { PageCursors } from '../domain/administration/page-cursors.ts';
import type { Assistant } from '../domain/assistants/assistant.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { Logger } from '../http/request-log.ts';
import { scorerOf } from '../inference/builtin/encoders.ts';
import { openLanguageModel } from '../inference/language-models/open-language-model.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { JobKind } from '../jobs/port.ts';
import { DelayedWork } from '../platform/delayed-work.ts';
import { assistantModels } from './assistant-models.ts';
import { withChatServer } from './chat-server.ts';
import { evaluationJudge } from './evaluation-judge.ts';
import type { Settings } from './settings.ts';

/** In the data folder; used only while a file is parsed. */
const SCRATCH_FOLDER = 'scratch';
const SWEEP = 'sweep';
const SWEEP_PAUSE_MS = 24 * 60 * 60 * 1_000;
const SWEEP_RETRY_MS = 60_000;
const ORPHANED =
  'uploads to assistants that the catalog does not know are kept; `pinyon check --adopt` brings them back';

export interface AssistantParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly engine: ChunkEngine;
  readonly jobs: JobRunner;
  readonly inference: Inference;
  readonly modelMeter: ModelMeter;
  readonly quotas: Pick<QuotaService, 'admitFile'>;
  readonly cursors: PageCursors;
  /** Null when it is not known. */
  readonly projectName: (projectId: string) => string | null;
  /** Signs links to files. */
  readonly linkSecret: Uint8Array;
  /** The base address for clients. */
  readonly baseUrl: () => string;
}

export interface OpenAssistants {
  readonly services: AssistantServices;
  /** Keeps what the catalog knows of an assistant beside its files. */
  readonly note: (assistant: Assistant) => Promise<void>;
  /** The kinds of jobs that the job runner must know. */
  readonly kinds: readonly JobKind[];
  /** Notices for the operator, one sentence each. */
  readonly notices: readonly string[];
  /** Starts the sweeps. */
  start(): void;
  close(): Promise<void>;
}

export async function openAssistants(parts: AssistantParts): Promise<OpenAssistants> {
  const { logger, catalog, blobs, cursors, baseUrl } = parts;
  const { settings, notices } = await withChatServer(parts.settings);
  const parser = openDocumentParser({ processes: settings.parsers });
  const scans = openScans(settings);
  const scratchFolder = await emptyFolder(join(settings.dataDir, SCRATCH_FOLDER));
  const opened = openLanguageModel(settings, (model, { kind, message }) =>
    logger.warn({ model, kind, reason: message }, 'a chat model failed'),
  );
  const languageModel = opened === null ? null : measuredLanguageModel(opened, parts.modelMeter);
  const services = openServices({
    ...parts,
    parser,
    scratchFolder,
    models: assistantModels(settings.assistantModels, parts.inference),
    describer: openDescriber({ settings, languageModel }),
    scanReader: scans.reader,
    admitFile: (projectId) => parts.quotas.admitFile(projectId),
    onUndescribed: (error) => logger.warn({ err: error }, 'an assistant could not be described'),
  });
  const chat = openChat({
    settings,
    languageModel,
    judge: evaluationJudge(settings.evaluationModel, parts.inference, languageModel !== null),
    countTokens: tokenCounter(loadTokenCounter),
    similarity: scorerOf,
    retriever: services.retriever,
    images: services.images,
    tables: tableAnswers(blobs),
  });
  const links = new SignedLinks({
    catalog,
    blobs,
    secret: parts.linkSecret,
    urlFor: (token) => `${baseUrl()}/assistant/file-content/${token}`,
  });
  const host = () => (settings.hostWithoutScheme ? baseUrl().replace(/^https?:\/\//, '') : baseUrl());
  const { assistants, files, passages, reembeddings } = services;
  const sweeping = new DelayedWork({
    retryMilliseconds: SWEEP_RETRY_MS,
    onFailure: (error) => logger.error({ err: error }, 'removing what assistants need no more failed'),
  });
  const closing = new AbortController();
  const sweep = (delayMs: number): void =>
    sweeping.plan(SWEEP, delayMs, async () => {
      await forgetOperations({ catalog, signal: closing.signal });
      const { orphaned } = await sweepUploads({ blobs, catalog, signal: closing.signal });
      if (orphaned > 0) logger.warn({ uploads: orphaned }, ORPHANED);
      await services.descriptions.keepAll(closing.signal);
      sweep(SWEEP_PAUSE_MS);
    });
  return {
    services: { assistants, reembeddings, files, passages, links, cursors, host, ...chat },
    kinds: services.kinds,
    note: (assistant) => services.descriptions.noteAssistant(assistant),
    notices: [...notices, ...scans.notices],
    start: () => sweep(0),
    close: async () => {
      closing.abort();
      await sweeping.stop();
      await parser.close();
    },
  };
}

/** Null where no scans are read, by setting or for want of the program; a notice then says why. */
function openScans({ ocr, parsers }: Pick<Settings, 'ocr' | 'parsers'>): {
  readonly reader: ScanReader | null;
  readonly notices: readonly string[];
} {
  if (ocr === null) return { reader: null, notices: [] };
  const options = { languages: ocr, processes: parsers };
  const problem = tesseractProblem(options);
  return problem === null
    ? { reader: openTesseract(options), notices: [] }
    : { reader: null, notices: [`PINYON_OCR has no effect: ${problem}.`] };
}

/** Discards what an earlier run left. */
async function emptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  return path;
}
