// Sets and shows the recall that an index promises to searches that name none.
import type { ProjectAccess } from '../../domain/access.ts';
import { denseFieldOf } from '../../domain/document-schema.ts';
import { invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { RECALL_PROMISE_MIN } from '../../domain/limits.ts';
import {
  checkRecall,
  promiseState,
  type RecallPromises,
  type RecallReport,
} from '../../domain/recall-promise.ts';
import type { RequestMeter } from '../monitoring/request-meter.ts';

export interface RecallPromiseParts {
  readonly indexes: Pick<IndexLifecycle, 'describe' | 'configure'>;
  readonly meter: Pick<RequestMeter, 'of'>;
}

export class RecallPromiseService implements RecallPromises {
  readonly #parts: RecallPromiseParts;

  constructor(parts: RecallPromiseParts) {
    this.#parts = parts;
  }

  async describe(access: ProjectAccess, indexName: string): Promise<RecallReport> {
    return this.#reportOf(await this.#parts.indexes.describe(access, indexName));
  }

  async set(access: ProjectAccess, indexName: string, recall: number): Promise<RecallReport> {
    const { indexes } = this.#parts;
    const index = await indexes.describe(access, indexName);
    const promisedRecall = checkRecall(recall, { name: 'recall', least: RECALL_PROMISE_MIN });
    if (!hasDenseVectors(index))
      throw invalid(`Index ${indexName} has no dense vectors; other searches are exact.`);
    await indexes.configure(access, indexName, { promisedRecall });
    return this.#reportOf({ ...index, promisedRecall });
  }

  async end(access: ProjectAccess, indexName: string): Promise<void> {
    await this.#parts.indexes.configure(access, indexName, { promisedRecall: null });
  }

  #reportOf({ id, promisedRecall }: Index): RecallReport {
    const promised = promisedRecall ?? null;
    const queries = this.#parts.meter.of(id).get('query');
    const audited = queries?.promisedRecall === promised ? (queries?.auditedRecall ?? null) : null;
    return { promised, audited, state: promised === null ? null : promiseState(promised, audited) };
  }
}

function hasDenseVectors({ documents, vectorType }: Index): boolean {
  return documents === null ? vectorType === 'dense' : denseFieldOf(documents) !== null;
}
