// Makes the file of related words from the word table: forms that share a row, and rows of similar meaning.
import { crc32 } from 'node:zlib';
import { wordOf } from '../../src/inference/builtin/lexicon.ts';
import {
  emptyRelated,
  type RelatedTables,
  relatedFrom,
  SIMILAR_ROWS,
  SIMILARITY_ONE,
} from '../../src/inference/builtin/related-format.ts';
import { STOP_WORDS } from '../../src/inference/builtin/stop-words.ts';
import {
  NO_ROW,
  setChecksum,
  type Tables,
  VECTOR_LENGTH,
  wordKey,
} from '../../src/inference/builtin/table-format.ts';

/** Less similar words have little to do with each other. */
const SIMILARITY_MIN = 0.3;

/** A similar row and its cosine. */
type Similar = readonly [row: number, cosine: number];

/** @param shares of the words of the vocabulary @param table the word table, of which `wordOf` reads too */
export function relatedFile(shares: ReadonlyMap<string, number>, table: Tables): Uint8Array {
  const forms = formsByRow(shares, table.rows);
  const words = forms.reduce((sum, list) => sum + list.length, 0);
  const { bytes, tables } = emptyRelated({ rows: table.rows, words });
  let end = 0;
  for (const [row, list] of forms.entries()) {
    tables.starts[row] = end;
    tables.forms.set(list.map(wordKey), end);
    end += list.length;
  }
  tables.starts[table.rows] = end;
  for (const [row, list] of similarRows(table, forms).entries()) writeSimilar(tables, row, list);
  setChecksum(bytes, crc32(relatedFrom(bytes).body));
  return new Uint8Array(bytes);
}

function formsByRow(shares: ReadonlyMap<string, number>, rows: number): readonly (readonly string[])[] {
  const forms = Array.from({ length: rows }, (): string[] => []);
  const common = [...shares].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  for (const [word] of common) {
    const { row } = wordOf(word);
    if (row !== NO_ROW && !STOP_WORDS.has(word)) forms[row]?.push(word);
  }
  return forms;
}

/** Compares all pairs of rows that have words: about 400 million inner products. */
function similarRows(table: Tables, forms: readonly (readonly string[])[]): readonly (readonly Similar[])[] {
  const lengths = Array.from({ length: table.rows }, (_, row) => Math.sqrt(product(table, row, row)));
  const found = Array.from({ length: table.rows }, (): Similar[] => []);
  const used = [...forms.keys()].filter((row) => forms[row]?.length !== 0 && lengths[row] !== 0);
  for (const [at, row] of used.entries()) {
    for (const other of used.slice(at + 1)) {
      const cosine = product(table, row, other) / ((lengths[row] ?? 0) * (lengths[other] ?? 0));
      if (cosine < SIMILARITY_MIN) continue;
      insert(found[row] ?? [], [other, cosine]);
      insert(found[other] ?? [], [row, cosine]);
    }
  }
  return found;
}

/** Keeps the list short and sorted; of equal cosines, the lower row comes first. */
function insert(list: Similar[], [row, cosine]: Similar): void {
  const isAfter = ([other, value]: Similar): boolean => value < cosine || (value === cosine && other > row);
  const at = list.findIndex(isAfter);
  if (at < 0 && list.length === SIMILAR_ROWS) return;
  list.splice(at < 0 ? list.length : at, 0, [row, cosine]);
  list.length = Math.min(list.length, SIMILAR_ROWS);
}

function writeSimilar({ similar, similarities }: RelatedTables, row: number, list: readonly Similar[]): void {
  for (const [i, [other, cosine]] of list.entries()) {
    similar[row * SIMILAR_ROWS + i] = other;
    similarities[row * SIMILAR_ROWS + i] = Math.round(Math.min(1, cosine) * SIMILARITY_ONE);
  }
}

function product({ vectors }: Tables, row: number, other: number): number {
  const [a, b] = [row * VECTOR_LENGTH, other * VECTOR_LENGTH];
  let sum = 0;
  for (let i = 0; i < VECTOR_LENGTH; i++) sum += Math.imul(vectors[a + i] ?? 0, vectors[b + i] ?? 0);
  return sum;
}
