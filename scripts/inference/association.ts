// How much more often two stems are mentioned together than chance would have it (positive pointwise mutual information).

import { naturalLog } from '../../src/inference/builtin/natural-log.ts';
import type { Bag, Corpus } from './corpus.ts';
import { type SparseMatrix, SparseMatrixBuilder } from './sparse-matrix.ts';

/** What a mention in a related document counts. */
const RELATED_WEIGHT = 0.3;

/** Symmetric: entry (w, c) = max(0, ln of the joint share over both words' shares, contexts smoothed by the power 3/4). */
export function associations(corpus: Corpus): SparseMatrix {
  const counts = jointCounts(corpus);
  const { sums, total } = rowSums(counts);
  const smoothed = sums.map((sum) => threeQuarterPower(sum));
  const smoothedTotal = smoothed.reduce((a, b) => a + b, 0);
  const bias = Float64Array.from(sums, (sum, w) =>
    sum === 0 ? 0 : (naturalLog(sum / total) + naturalLog((smoothed[w] ?? 0) / smoothedTotal)) / 2,
  );
  const builder = new SparseMatrixBuilder();
  for (let row = 0; row < counts.size; row++) {
    const [from, until] = [counts.starts[row] ?? 0, counts.starts[row + 1] ?? 0];
    const columns = counts.columns.subarray(from, until);
    const values = counts.values
      .subarray(from, until)
      .map((count, at) => naturalLog(count / total) - (bias[row] ?? 0) - (bias[columns[at] ?? 0] ?? 0));
    builder.addRow(
      columns.filter((_, at) => (values[at] ?? 0) > 0),
      values.filter((value) => value > 0),
    );
  }
  return builder.build();
}

/** x^0.75 by square roots, which every machine rounds alike. */
function threeQuarterPower(x: number): number {
  const root = Math.sqrt(x);
  return root * Math.sqrt(root);
}

/** Sum over documents of own x (own + related) and its transpose. */
function jointCounts({ stems, documents }: Corpus): SparseMatrix {
  const own = packed(documents.map((document) => document.own));
  const related = packed(documents.map((document) => document.related));
  const inOwn = mentions(stems.length, own);
  const inRelated = mentions(stems.length, related);
  const sums = new Float64Array(stems.length);
  const builder = new SparseMatrixBuilder();
  for (let term = 0; term < stems.length; term++) {
    for (const at of inOwn[term] ?? []) {
      const [document, weight] = [own.documents[at] ?? 0, own.weights[at] ?? 0];
      addBag(sums, { bags: own, document, scale: weight });
      addBag(sums, { bags: related, document, scale: weight * RELATED_WEIGHT });
    }
    for (const at of inRelated[term] ?? []) {
      const [document, weight] = [related.documents[at] ?? 0, related.weights[at] ?? 0];
      addBag(sums, { bags: own, document, scale: weight * RELATED_WEIGHT });
    }
    sums[term] = 0;
    const columns = positive(sums);
    builder.addRow(
      columns,
      Float32Array.from(columns, (column) => sums[column] ?? 0),
    );
    sums.fill(0);
  }
  return builder.build();
}

/** Where the numbers are above zero. */
function positive(numbers: Float64Array): Uint32Array {
  const found: number[] = [];
  for (let at = 0; at < numbers.length; at++) if ((numbers[at] ?? 0) > 0) found.push(at);
  return Uint32Array.from(found);
}

/** All bags' entries one after the other. */
interface PackedBags {
  /** Where each document's entries begin; one more than documents. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Uint8Array;
}

function packed(bags: readonly Bag[]): PackedBags {
  const entries = bags.reduce((count, bag) => count + bag.size, 0);
  const result = {
    starts: new Uint32Array(bags.length + 1),
    documents: new Uint32Array(entries),
    terms: new Uint32Array(entries),
    weights: new Uint8Array(entries),
  };
  let at = 0;
  for (const [document, bag] of bags.entries()) {
    for (const [term, weight] of bag) {
      result.documents[at] = document;
      result.terms[at] = term;
      result.weights[at] = weight;
      at++;
    }
    result.starts[document + 1] = at;
  }
  return result;
}

/** Positions of each term's entries. */
function mentions(termCount: number, { terms }: PackedBags): readonly (readonly number[])[] {
  const lists: number[][] = Array.from({ length: termCount }, () => []);
  for (const [at, term] of terms.entries()) lists[term]?.push(at);
  return lists;
}

interface Addition {
  readonly bags: PackedBags;
  readonly document: number;
  readonly scale: number;
}

function addBag(sums: Float64Array, { bags, document, scale }: Addition): void {
  const { starts, terms, weights } = bags;
  const until = starts[document + 1] ?? 0;
  for (let at = starts[document] ?? 0; at < until; at++) {
    const term = terms[at] ?? 0;
    sums[term] = (sums[term] ?? 0) + (weights[at] ?? 0) * scale;
  }
}

function rowSums(matrix: SparseMatrix): { readonly sums: Float64Array; readonly total: number } {
  const sums = new Float64Array(matrix.size);
  for (let row = 0; row < matrix.size; row++)
    for (let at = matrix.starts[row] ?? 0; at < (matrix.starts[row + 1] ?? 0); at++)
      sums[row] = (sums[row] ?? 0) + (matrix.values[at] ?? 0);
  return { sums, total: sums.reduce((a, b) => a + b, 0) };
}
