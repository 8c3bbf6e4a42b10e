// One server's assistants over a catalog and blobs on disk, with a text parser and models in process.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import type { BlobDetails, Blobs } from '../../../blobs/port.ts';
import type { FileRevision } from '../../../catalog/port.ts';
import type { Picture } from '../../../documents/pictures/picture-model.ts';
import type { ChunkedDocument, DocumentParser } from '../../../documents/processes/open-document-parser.ts';
import { refusal } from '../../../documents/refusal.ts';
import { mintProjectAccess, type ProjectAccess } from '../../../domain/access.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile, Operation } from '../../../domain/assistants/file.ts';
import type { Job } from '../../../domain/jobs.ts';
import { testInference } from '../../../inference/testing/test-inference.ts';
import { JobRunner } from '../../../jobs/job-runner.ts';
import { ControlPlane, eventually, OWNER } from '../../indexes/testing/control-plane.ts';
import type { PictureDescriber } from '../ingestion/picture-describer.ts';
import { type OpenAssistants, openAssistants } from '../open-assistants.ts';
import type { Pause } from '../stay-shown.ts';
import { HookedEngine } from './hooked-engine.ts';
import type { PowerCut } from './power-cut.ts';

export interface RunningAssistants extends OpenAssistants {
  readonly jobs: JobRunner;
  stop(): Promise<void>;
}

export class AssistantFixture {
  readonly plane: ControlPlane;
  readonly blobs: Blobs;
  readonly engine = new HookedEngine();
  readonly inference = testInference();
  readonly failures: unknown[] = [];
  /** Awaited before each file is parsed. */
  beforeParse: (signal: AbortSignal | undefined) => Promise<void> = async () => {};
  /** How many lines of a file the parser finds. */
  linesMax = Infinity;
  /** Awaited in place of the time for which deleted things stay shown. */
  whileShown: Pause = async () => {};
  /** Null when no model reads pictures. */
  describer: PictureDescriber | null = null;
  /** Pictures in every PDF file, one per batch. */
  pictures: readonly Picture[] = [];
  #running: RunningAssistants | null = null;

  private constructor(plane: ControlPlane, blobs: Blobs) {
    this.plane = plane;
    this.blobs = blobs;
  }

  static async make(): Promise<AssistantFixture> {
    const plane = await ControlPlane.make();
    await mkdir(join(plane.folder, 'scratch'));
    return new AssistantFixture(plane, await openFolderBlobs(join(plane.folder, 'blobs')));
  }

  /** With a server that runs, and an assistant that is ready. */
  static async withAssistant(): Promise<{
    readonly fixture: AssistantFixture;
    readonly running: RunningAssistants;
    readonly assistant: Assistant;
  }> {
    const fixture = await AssistantFixture.make();
    const running = await fixture.start();
    return { fixture, running, assistant: await fixture.ready(running) };
  }

  /** Starts a server on the present state, optionally through a power cut. */
  async start(power?: PowerCut): Promise<RunningAssistants> {
    const { folder } = this.plane;
    const through = <Part extends object>(part: Part): Part => power?.through(part) ?? part;
    const {
      assistants,
      assistantFiles,
      assistantRevisions,
      assistantOperations,
      jobs: jobStore,
    } = this.plane.catalog;
    const catalog = {
      ...this.plane.catalog,
      assistants: through(assistants),
      assistantFiles: through(assistantFiles),
      assistantRevisions: through(assistantRevisions),
      assistantOperations: through(assistantOperations),
      jobs: through(jobStore),
    };
    const onFailure = (error: unknown, _job: Job | null): void => void this.failures.push(error);
    const jobs = new JobRunner({ store: catalog.jobs, parallelMax: 2, retryMs: 1, onFailure });
    const opened = openAssistants({
      catalog,
      blobs: through(this.blobs),
      engine: through(this.engine),
      jobs,
      inference: this.inference,
      parser: this.#parser(),
      describer: this.describer,
      scratchFolder: join(folder, 'scratch'),
      pause: (ms, signal) => this.whileShown(ms, signal),
    });
    await jobs.start(opened.kinds);
    const running = { ...opened, jobs, stop: () => jobs.close() };
    this.#running = running;
    return running;
  }

  async ready(running: RunningAssistants, name = 'helper'): Promise<Assistant> {
    await running.assistants.create(OWNER, { name });
    await eventually(async () => (await running.assistants.describe(OWNER, name)).state === 'Ready');
    return running.assistants.ready(OWNER, name);
  }

  async ended(running: RunningAssistants, assistant: Assistant, { id }: Operation): Promise<Operation> {
    await eventually(async () => (await running.files.operation(assistant, id)).state !== 'Processing');
    return running.files.operation(assistant, id);
  }

  /** Waits until no job is left. */
  idle(): Promise<void> {
    return eventually(async () => (await this.plane.catalog.jobs.active({})).length === 0);
  }

  async stored(): Promise<readonly BlobDetails[]> {
    return (await this.blobs.list('assistants/', null)).items;
  }

  revision({ revisionId }: AssistantFile): Promise<FileRevision | null> {
    return this.plane.catalog.assistantRevisions.find(revisionId);
  }

  async dispose(): Promise<void> {
    await this.#running?.stop();
    await this.blobs.close();
    await this.plane.dispose();
  }

  /** Turns each line into a chunk on its own page. */
  #parser(): Pick<DocumentParser, 'chunk' | 'pictures' | 'regions'> {
    return {
      regions: (_, passages) => Promise.resolve({ regions: passages.map(() => []), layouts: [] }),
      chunk: async (input, options) => {
        await this.beforeParse(options?.signal);
        const pictures = (options?.pictures ?? []).map(({ text }) => text);
        const text = [('path' in input ? await readFile(input.path, 'utf8') : '').trim(), ...pictures]
          .filter((part) => part !== '')
          .join('\n');
        if (text === '') throw refusal(input.name.endsWith('.pdf') ? 'no-text' : 'empty');
        return documentOf(text.split('\n').slice(0, this.linesMax));
      },
      pictures: (_, fromPage) => {
        const picture = this.pictures[fromPage - 1];
        const nextPage = fromPage < this.pictures.length ? fromPage + 1 : null;
        return Promise.resolve({ pictures: picture === undefined ? [] : [picture], nextPage });
      },
    };
  }
}

function documentOf(lines: readonly string[]): ChunkedDocument {
  let start = 0;
  const chunks = lines.map((line, number) => {
    const chunk = {
      number,
      start,
      end: start + line.length,
      tokens: line.split(' ').length,
      headings: [],
      context: [],
      pages: [number + 1, number + 1],
      pageStarts: [{ page: number + 1, start }],
    } as const;
    start += line.length + 1;
    return chunk;
  });
  return { type: 'text', text: lines.join('\n'), pageCount: chunks.length, chunks };
}

export function accessTo(projectId: string): ProjectAccess {
  return mintProjectAccess({ organizationId: '', projectId, principalId: 'job' });
}

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

/** An upload of a text file. */
export function textFile(
  text: string,
  options: { readonly fileId?: string | undefined; readonly metadata?: unknown } = {},
) {
  const { fileId, metadata = null } = options;
  return { name: 'notes.txt', content: bytesOf(text), metadata: () => metadata, multimodal: false, fileId };
}
