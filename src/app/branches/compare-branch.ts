// Compares what a branch and its source answer to the same queries.
import type {
  BranchComparison,
  BranchQuery,
  ComparedQuery,
  ComparisonRequest,
  MovedResult,
} from '../../domain/branches/services.ts';
import { invalid } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { scoresSparse } from '../../domain/records/vector-record.ts';
import type { QueryRequest, VectorReader } from '../../engine/port/reader-and-writer.ts';

type Vectors = Pick<QueryRequest, 'values' | 'sparse'>;

interface Sides {
  readonly profile: IndexProfile;
  readonly source: string;
  readonly branch: string;
}

/** @throws invalid-argument */
export async function compareBranch(
  reader: VectorReader,
  { queries, topK, ...sides }: ComparisonRequest & Sides,
): Promise<BranchComparison> {
  const compared: ComparedQuery[] = [];
  for (const query of queries) {
    const vectors = await vectorsOf(reader, query, sides);
    const search = async (namespace: string) => {
      const request = {
        namespace,
        topK,
        ...vectors,
        filter: null,
        includeValues: false,
        includeMetadata: false,
      };
      return (await reader.query(request)).map(({ id }) => id);
    };
    compared.push(comparedResults(await search(sides.source), await search(sides.branch)));
  }
  const overlap = compared.reduce((sum, each) => sum + each.overlap, 0) / Math.max(1, compared.length);
  return { overlap, queries: compared };
}

/** @param before ids in the order of the source, `after` in that of the branch */
export function comparedResults(before: readonly string[], after: readonly string[]): ComparedQuery {
  const [places, others] = [placesOf(before), placesOf(after)];
  const moved: MovedResult[] = [];
  for (const id of new Set([...before, ...after])) {
    const [inSource, inBranch] = [places.get(id) ?? null, others.get(id) ?? null];
    if (inSource !== inBranch) moved.push({ id, inSource, inBranch });
  }
  const common = before.filter((id) => others.has(id)).length;
  return { overlap: before.length === 0 ? (after.length === 0 ? 1 : 0) : common / before.length, moved };
}

function placesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map(ids.map((id, i) => [id, i + 1]));
}

async function vectorsOf(
  reader: VectorReader,
  { id, values }: BranchQuery,
  { profile, source, branch }: Sides,
): Promise<Vectors> {
  if (values !== undefined) {
    if (values.length === profile.dimension) return { values, sparse: null };
    throw invalid(
      `a query has ${values.length} values, the index has dimension ${profile.dimension ?? 'none'}`,
    );
  }
  const wanted = id ?? '';
  const [record] = [...(await reader.fetch(source, [wanted])), ...(await reader.fetch(branch, [wanted]))];
  if (record === undefined) throw invalid(`neither the branch nor its source has a record '${wanted}'`);
  const isSparse = record.values === null;
  if (isSparse && record.sparse === null) throw invalid(`record '${wanted}' has no vectors to search by`);
  return { values: record.values, sparse: isSparse || scoresSparse(profile) ? record.sparse : null };
}
