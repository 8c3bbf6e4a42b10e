// The counts of an index and its namespaces that both stats endpoints return.

import { countRecords } from '../../../app/records/count-records.ts';
import type { VectorReader } from '../../../app/records/record-access.ts';
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { METRICS, VECTOR_TYPES } from '../../../domain/vector-shape.ts';
import type { DataCall, DataReply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { StatsAnswer } from './stats-answer.ts';

const ABSENT = 'Absent on indexes of documents without dense vectors.';

export const IndexStats = Type.Object(
  {
    namespaces: Type.Record(Type.String(), Type.Object({ vectorCount: Type.Integer() }), {
      description: 'By name. The default namespace is `__default__`; before 2025-04, "".',
    }),
    dimension: Type.Optional(
      Type.Integer({
        description: 'Absent on sparse indexes, and on those of documents without dense vectors.',
      }),
    ),
    indexFullness: Type.Number({ description: 'Always 0.' }),
    totalVectorCount: Type.Integer(),
    metric: Type.Optional(Type.String({ enum: [...METRICS], 'x-since': '2025-01', description: ABSENT })),
    vectorType: Type.Optional(
      Type.String({ enum: [...VECTOR_TYPES], 'x-since': '2025-01', description: ABSENT }),
    ),
    memoryFullness: Type.Optional(Type.Number({ description: 'Dedicated read capacity only.' })),
    storageFullness: Type.Optional(Type.Number({ description: 'Dedicated read capacity only.' })),
    memory_fullness: Type.Optional(Type.Number()),
    storage_fullness: Type.Optional(Type.Number()),
  },
  {
    title: 'IndexStats',
    examples: [
      {
        namespaces: { films: { vectorCount: 1200 }, __default__: { vectorCount: 3 } },
        dimension: 3,
        indexFullness: 0,
        totalVectorCount: 1203,
        metric: 'cosine',
        vectorType: 'dense',
      },
    ],
  },
);

/** Builds the reply: the counts of all records, or of those that match the filter. */
export async function statsReply(
  { index, store, version }: DataCall<VectorReader>,
  filter: Filter | null,
): Promise<DataReply> {
  const counts = await countRecords(store, filter);
  const details = {
    ...(index.dimension !== null && { dimension: index.dimension }),
    indexFullness: 0,
    totalVectorCount: totalOf(counts),
    ...kindDetails(index, version),
  };
  return { status: 200, stats: { counts, isShown: isAtLeast(version, '2025-04'), details } };
}

function totalOf(counts: StatsAnswer['counts']): number {
  let total = 0;
  for (const block of counts) for (const { recordCount } of block) total += recordCount;
  return total;
}

/** Fullness is always 0: storage grows with the disk. Clients read both of its spellings. */
function kindDetails(index: IndexProfile, version: RequestedVersion) {
  const type =
    isAtLeast(version, '2025-01') && hasVectors(index)
      ? { metric: index.metric, vectorType: index.vectorType }
      : {};
  if (!index.dedicated) return type;
  return { ...type, memoryFullness: 0, storageFullness: 0, memory_fullness: 0, storage_fullness: 0 };
}

/** Documents may have no dense vectors: the index has then none that its metric is for. */
function hasVectors({ documents, dimension }: IndexProfile): boolean {
  return documents === null || dimension !== null;
}
