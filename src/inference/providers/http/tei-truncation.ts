// How the TEI API is asked to truncate by the tokens of the model, which only the provider can count.
import type { Truncation } from '../../../domain/inference/model-parameters.ts';

/** The fields of a request. TEI names the side that is removed, which is the right one by default. */
export function teiTruncation(truncate: Truncation): Readonly<Record<string, unknown>> {
  if (truncate === 'NONE') return { truncate: false };
  return truncate === 'START' ? { truncate: true, truncation_direction: 'Left' } : { truncate: true };
}
