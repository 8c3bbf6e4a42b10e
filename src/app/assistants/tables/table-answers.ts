// Answers questions that ask for counts, sums and rows of the tables of files, computed over all rows.
import type { Blobs } from '../../../blobs/port.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import { computed } from './compute-query.ts';
import { asksForTable, mapQuestion } from './map-question.ts';
import { readTable } from './table-columns.ts';
import type { TableQuery } from './table-query.ts';
import { type ReadRevision, TableReader } from './table-store.ts';

export interface TableAnswer {
  readonly file: AssistantFile;
  /** A sentence with the result, and how it was computed. */
  readonly text: string;
}

export type TableFile = AssistantFile & Pick<ReadRevision, 'parser'>;

export interface TableAnswers {
  /** @param files that were found, best first @returns one answer a table to which the question can be mapped; none where that is unclear */
  of(question: string, files: readonly TableFile[], signal: AbortSignal): Promise<readonly TableAnswer[]>;
}

/** Of the files that retrieval found. */
const FILES_MAX = 8;
const TABLES_MAX = 40;
/** More tables that fit make the question unclear. */
const ANSWERS_MAX = 3;

export function tableAnswers(blobs: Pick<Blobs, 'get'>): TableAnswers {
  const reader = new TableReader(blobs);
  return {
    of: async (question, files, signal) => {
      if (!asksForTable(question)) return [];
      const found: (TableAnswer & Pick<TableQuery, 'named'>)[] = [];
      let read = 0;
      for (const file of files.slice(0, FILES_MAX)) {
        for (const table of await reader.of({ ...file, id: file.revisionId })) {
          signal.throwIfAborted();
          if (++read > TABLES_MAX) return [];
          const whole = await readTable(table);
          const query = await mapQuestion(question, whole, [file.name, table.name]);
          if (query === null) continue;
          const title = table.name === '' ? file.name : `${table.name} in ${file.name}`;
          const text = computed(query, whole, title);
          if (text !== null) found.push({ file, text, named: query.named });
        }
      }
      // The tables that the question calls by their names, else all that fit.
      const most = Math.max(0, ...found.map(({ named }) => named));
      const best = found.filter(({ named }) => named === most);
      return best.length > ANSWERS_MAX ? [] : best.map(({ file, text }) => ({ file, text }));
    },
  };
}
