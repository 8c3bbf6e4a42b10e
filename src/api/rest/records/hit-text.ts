// JSON text of search hits: a record's id, score and requested metadata fields.

import type { RankedMatch } from '../../../app/records/group-matches.ts';
import { scoreText } from '../../../domain/records/float32-text.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';

/** Writes a hit. @param fields null means every field */
export function hitText(match: RankedMatch, fields: ReadonlySet<string> | null): string {
  const chosen = fieldsText(match.metadataJson ?? null, fields);
  const group = match.group === undefined ? '' : `"_group":${JSON.stringify(match.group)},`;
  return `{"_id":${JSON.stringify(match.id)},"_score":${scoreText(match.score)},${group}"fields":${chosen}}`;
}

function fieldsText(metadataJson: string | null, fields: ReadonlySet<string> | null): string {
  if (metadataJson === null || fields?.size === 0) return '{}';
  if (fields === null) return metadataJson;
  const chosen = Object.entries(parseMetadata(metadataJson)).filter(([name]) => fields.has(name));
  return JSON.stringify(Object.fromEntries(chosen));
}
