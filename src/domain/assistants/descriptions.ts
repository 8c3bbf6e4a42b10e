// What the catalog knows of assistants and their files, as it is kept beside the files for the day when the catalog is lost.
import type { Assistant } from './assistant.ts';
import type { FileRevision } from './file.ts';

export interface AssistantDescription {
  readonly assistant: Assistant;
  /** The name of its project; null when it was not known. */
  readonly projectName: string | null;
}

export const ALL_DESCRIPTIONS_PREFIX = 'descriptions/';
const OF_ASSISTANT = 'assistant';

/** Returns the key prefix of everything that is described of an assistant. */
export function descriptionKeys(assistantId: string): string {
  return `${ALL_DESCRIPTIONS_PREFIX}${assistantId}/`;
}

export function assistantDescriptionKey(assistantId: string): string {
  return `${descriptionKeys(assistantId)}${OF_ASSISTANT}`;
}

export function fileDescriptionKey({ assistantId, id }: Pick<FileRevision, 'assistantId' | 'id'>): string {
  return `${descriptionKeys(assistantId)}${id}`;
}

/** Returns what a key describes: an assistant, or the revision of this id. Null for other keys. */
export function describedBy(
  key: string,
): { readonly assistantId: string; readonly revisionId: string | null } | null {
  const [assistantId, name, ...more] = key.slice(ALL_DESCRIPTIONS_PREFIX.length).split('/');
  if (assistantId === undefined || name === undefined || more.length > 0) return null;
  return { assistantId, revisionId: name === OF_ASSISTANT ? null : name };
}
