// Exports as the surfaces ask for them: a job's row at once, the work in the job.
import type { Catalog, Page, PageQuery } from '../../../catalog/port.ts';
import { fault } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import type { ExportFacts, WantedExport } from '../../../domain/imports/export-model.ts';
import type { ExportDesk, ExportFile, TransferScope } from '../../../domain/imports/transfer-services.ts';
import { isActive, type Job } from '../../../domain/jobs.ts';
import type { JobDesk } from '../../../jobs/port.ts';
import { checkPlace } from '../transfer-rules.ts';
import { EXPORT_KIND, exportInputOf, exportOf } from './export-progress.ts';
import { ownBase, removeAll, type TargetParts } from './export-target.ts';

export interface ExportDeskParts extends Omit<TargetParts, 'openLocation'> {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobDesk, 'enqueue' | 'cancel'>;
}

/** What an export writes: a folder and a file, or a file. Nothing else reaches the storage. */
const FILE_PATH = /^(?:[A-Za-z0-9_=-][A-Za-z0-9._=-]*\/)?[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

export class Exports implements ExportDesk {
  readonly #parts: ExportDeskParts;

  constructor(parts: ExportDeskParts) {
    this.#parts = parts;
  }

  async start({ access, index }: TransferScope, wanted: WantedExport): Promise<ExportFacts> {
    const { rules, jobs } = this.#parts;
    if (wanted.uri !== null) {
      checkPlace(wanted.uri, rules.roots, { field: 'uri', setting: 'PINYON_EXPORT_TO' });
    }
    const { uri, namespace, format } = wanted;
    const job = await jobs.enqueue({
      id: newId(),
      kind: EXPORT_KIND,
      projectId: access.projectId,
      indexId: index.id,
      subject: null,
      input: { uri, namespace, format },
      createdAt: new Date().toISOString(),
    });
    return exportOf(job);
  }

  async list({ access, index }: TransferScope, page: PageQuery): Promise<Page<ExportFacts>> {
    const wanted = { projectId: access.projectId, kind: EXPORT_KIND, indexId: index.id };
    const { items, next } = await this.#parts.catalog.jobs.list(wanted, page);
    return { items: items.map(exportOf), next };
  }

  async describe(scope: TransferScope, id: string): Promise<ExportFacts> {
    return exportOf(await this.#found(scope, id));
  }

  async remove(scope: TransferScope, id: string): Promise<void> {
    const job = await this.#found(scope, id);
    if (isActive(job)) await this.#parts.jobs.cancel(id);
    else if (exportInputOf(job).uri === null) await removeAll(this.#parts.blobs, ownBase(id));
  }

  async file(scope: TransferScope, id: string, path: string): Promise<ExportFile> {
    const job = await this.#found(scope, id);
    const key = `${ownBase(id)}${path}`;
    const isMine = job.state === 'Completed' && exportInputOf(job).uri === null && FILE_PATH.test(path);
    const facts = isMine ? await this.#parts.blobs.head(key) : null;
    if (facts === null) throw fault('export-file-not-found', { id, path });
    return { bytes: facts.bytes, content: this.#parts.blobs.get(key) };
  }

  async #found({ access, index }: TransferScope, id: string): Promise<Job> {
    const job = await this.#parts.catalog.jobs.find({ projectId: access.projectId, kind: EXPORT_KIND, id });
    if (job?.indexId !== index.id) throw fault('export-not-found', { id });
    return job;
  }
}
