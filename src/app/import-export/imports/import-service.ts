// The service for imports: stores a job at once, which does the work.
import type { Catalog, Page, PageQuery } from '../../../catalog/port.ts';
import type { ProjectAccess } from '../../../domain/access.ts';
import { fault } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import { checkColumns } from '../../../domain/imports/import-columns.ts';
import type {
  ImportDetails,
  ImportError,
  RequestedImport,
  RequestedUpload,
} from '../../../domain/imports/import-model.ts';
import type { Imports, TransferScope } from '../../../domain/imports/transfer-services.ts';
import type { Job } from '../../../domain/jobs.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { JobQueue } from '../../../jobs/port.ts';
import type { SourceRules } from '../../../storage-locations/port.ts';
import { checkLocation, refusePods } from '../transfer-rules.ts';
import { IMPORT_KIND, type ImportInput, importOf } from './import-progress.ts';
import type { UploadedFiles } from './uploaded-files.ts';

const ERRORS_PER_PAGE = 1_000;

export interface ImportServiceParts {
  readonly catalog: Pick<Catalog, 'jobs' | 'importErrors'>;
  readonly jobs: Pick<JobQueue, 'enqueue' | 'cancel' | 'decided'>;
  readonly rules: SourceRules;
  readonly uploads: Pick<UploadedFiles, 'receive'>;
  /** True when an index has an alias of this name, which no namespace may have. */
  readonly isAlias: (indexId: string, name: string) => boolean;
  /** Called before a project gets more records. @throws quota-exceeded */
  readonly admitGrowth?: (access: ProjectAccess) => Promise<void>;
}

export class ImportService implements Imports {
  readonly #parts: ImportServiceParts;

  constructor(parts: ImportServiceParts) {
    this.#parts = parts;
  }

  async start(scope: TransferScope, requested: RequestedImport): Promise<ImportDetails> {
    const { uri } = requested;
    await this.#admit(scope, requested);
    const { rules } = this.#parts;
    checkLocation(uri, rules.roots, {
      field: 'uri',
      setting: 'PINYON_IMPORT_FROM',
      mayBePublic: (rules.publicStorage ?? null) !== null,
    });
    return this.#enqueue(scope, newId(), { uri, ...optionsOf(requested) });
  }

  async upload(
    scope: TransferScope,
    { namespace, content, ...requested }: RequestedUpload,
  ): Promise<ImportDetails> {
    await this.#admit(scope, requested);
    // Before a file comes that the job would refuse.
    if (this.#parts.isAlias(scope.index.id, namespace))
      throw fault('name-in-use-by-alias', { name: namespace });
    const id = newId();
    const uri = `upload:${namespaceToShown(namespace)}`;
    const input = { uri, upload: true, ...optionsOf(requested) };
    return this.#parts.uploads.receive({ id, indexId: scope.index.id, namespace, content }, () =>
      this.#enqueue(scope, id, input),
    );
  }

  async #admit(
    { access, index }: TransferScope,
    { columns }: Pick<RequestedImport, 'columns'>,
  ): Promise<void> {
    refusePods(index, 'Importing');
    if (columns !== undefined) checkColumns(columns, index);
    await this.#parts.admitGrowth?.(access);
  }

  async #enqueue({ access, index }: TransferScope, id: string, input: ImportInput): Promise<ImportDetails> {
    const job = await this.#parts.jobs.enqueue({
      id,
      kind: IMPORT_KIND,
      projectId: access.projectId,
      indexId: index.id,
      subject: null,
      input,
      createdAt: new Date().toISOString(),
    });
    return importOf(job);
  }

  async list({ access, index }: TransferScope, page: PageQuery): Promise<Page<ImportDetails>> {
    const requested = { projectId: access.projectId, kind: IMPORT_KIND, indexId: index.id };
    const { items, next } = await this.#parts.catalog.jobs.list(requested, page);
    return { items: items.map(importOf), next };
  }

  async describe(scope: TransferScope, id: string): Promise<ImportDetails> {
    return importOf(await this.#found(scope, id));
  }

  async cancel(scope: TransferScope, id: string): Promise<void> {
    await this.#found(scope, id);
    await this.#parts.jobs.cancel(id);
    await this.#parts.jobs.decided(id);
  }

  async errors(scope: TransferScope, id: string): Promise<AsyncIterable<readonly ImportError[]>> {
    await this.#found(scope, id);
    return this.#errorPages(id);
  }

  async *#errorPages(id: string): AsyncGenerator<readonly ImportError[]> {
    for (let first = 0; ; first += ERRORS_PER_PAGE) {
      const page = await this.#parts.catalog.importErrors.list(id, { first, limit: ERRORS_PER_PAGE });
      if (page.length > 0) yield page;
      if (page.length < ERRORS_PER_PAGE) return;
    }
  }

  async #found({ access, index }: TransferScope, id: string): Promise<Job> {
    const job = await this.#parts.catalog.jobs.find({ projectId: access.projectId, kind: IMPORT_KIND, id });
    if (job?.indexId !== index.id) throw fault('import-not-found', { id });
    return job;
  }
}

function optionsOf({ onError, columns }: Omit<RequestedImport, 'uri'>): Omit<ImportInput, 'uri'> {
  return { onError, ...(columns !== undefined && { columns }) };
}
