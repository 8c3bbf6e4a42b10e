// The count of a document search, an extension of this server: how many documents match, not only the top ones.
import { invalid } from '../../../domain/faults.ts';
import { Type } from '../../schema/type.ts';

export const CountBody = Type.Boolean({
  default: false,
  description:
    'An extension of this server: counts all documents that match: those that pass the filter and, where no dense ' +
    'vector ranks, match one of the clauses. Groups and reranking change no count. A phrase of frequent words may take ' +
    'more steps than a search has, in large namespaces, though it is answered without a count.',
});

export const MatchCount = Type.Object(
  {
    value: Type.Integer({ description: 'Documents that match.', examples: [4_211] }),
    exact: Type.Boolean({ description: 'Whether the value is exact; it is with every kind of clause.' }),
  },
  { title: 'MatchCount', description: 'With count: how many documents match in all.' },
);

/** Whether matches are to be counted. @throws invalid-argument */
export function readCount(json: unknown): boolean {
  if (json === undefined || typeof json === 'boolean') return json ?? false;
  throw invalid('count must be true or false');
}
