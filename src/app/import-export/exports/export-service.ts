// The service for exports: stores a job at once, which does the work.
import type { Catalog, Page, PageQuery } from '../../../catalog/port.ts';
import { servedNamespace } from '../../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../../domain/aliases/services.ts';
import { fault } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import type { ExportDetails, RequestedExport } from '../../../domain/imports/export-model.ts';
import type { ExportFile, Exports, TransferScope } from '../../../domain/imports/transfer-services.ts';
import { isActive, type Job } from '../../../domain/jobs.ts';
import type { JobQueue } from '../../../jobs/port.ts';
import { checkLocation, exportFormat } from '../transfer-rules.ts';
import { EXPORT_KIND, exportInputOf, exportOf } from './export-progress.ts';
import { ownBase, removeAll, type TargetParts } from './export-target.ts';

export interface ExportServiceParts extends Omit<TargetParts, 'openLocation'> {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue' | 'cancel' | 'decided'>;
  readonly aliases: Pick<AliasDirectory, 'shared'>;
}

/** Paths that an export writes: a folder and a file, or a file. No other path reaches the storage. */
const FILE_PATH = /^(?:[A-Za-z0-9_=-][A-Za-z0-9._=-]*\/)?[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

export class ExportService implements Exports {
  readonly #parts: ExportServiceParts;

  constructor(parts: ExportServiceParts) {
    this.#parts = parts;
  }

  async start({ access, index }: TransferScope, requested: RequestedExport): Promise<ExportDetails> {
    const { rules, jobs, aliases } = this.#parts;
    if (requested.uri !== null) {
      checkLocation(requested.uri, rules.roots, { field: 'uri', setting: 'PINYON_EXPORT_TO' });
    }
    const { uri, namespace: named } = requested;
    // The job may begin when the alias leads elsewhere: what is exported is what the caller's reads showed.
    const namespace = named === null ? null : servedNamespace(aliases.shared(index.id), named);
    const format = exportFormat(index, requested.format);
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

  async list({ access, index }: TransferScope, page: PageQuery): Promise<Page<ExportDetails>> {
    const requested = { projectId: access.projectId, kind: EXPORT_KIND, indexId: index.id };
    const { items, next } = await this.#parts.catalog.jobs.list(requested, page);
    return { items: items.map(exportOf), next };
  }

  async describe(scope: TransferScope, id: string): Promise<ExportDetails> {
    return exportOf(await this.#found(scope, id));
  }

  async remove(scope: TransferScope, id: string): Promise<void> {
    let job = await this.#found(scope, id);
    if (isActive(job)) {
      await this.#parts.jobs.cancel(id);
      await this.#parts.jobs.decided(id);
      // It may have been completed first.
      job = await this.#found(scope, id);
    }
    if (!isActive(job) && exportInputOf(job).uri === null) await removeAll(this.#parts.blobs, ownBase(id));
  }

  async file(scope: TransferScope, id: string, path: string): Promise<ExportFile> {
    const job = await this.#found(scope, id);
    const key = `${ownBase(id)}${path}`;
    const isMine = job.state === 'Completed' && exportInputOf(job).uri === null && FILE_PATH.test(path);
    const fields = isMine ? await this.#parts.blobs.head(key) : null;
    if (fields === null) throw fault('export-file-not-found', { id, path });
    return { bytes: fields.bytes, content: this.#parts.blobs.get(key) };
  }

  async #found({ access, index }: TransferScope, id: string): Promise<Job> {
    const job = await this.#parts.catalog.jobs.find({ projectId: access.projectId, kind: EXPORT_KIND, id });
    if (job?.indexId !== index.id) throw fault('export-not-found', { id });
    return job;
  }
}
