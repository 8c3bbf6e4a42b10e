// Metadata as JSON to edit, and its check: what the server would refuse, said while the person types.
import type { Metadata } from '../../api/types.ts';

/** Marks that turn or hide the text around them. */
const CONTROLS = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const HEX = 16;
const HEX_CHARS = 4;

/** Metadata as JSON to edit, in which invisible marks are written as escapes. */
export function metadataText(metadata: Metadata): string {
  return JSON.stringify(metadata, null, 2).replaceAll(
    CONTROLS,
    (mark) => `\\u${mark.charCodeAt(0).toString(HEX).padStart(HEX_CHARS, '0')}`,
  );
}

/** Why the text is no metadata; undefined for metadata. */
export function metadataProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'Metadata is a JSON object';
    const [name] = Object.entries(value).find(([, each]) => !isAllowed(each)) ?? [];
    return name === undefined
      ? undefined
      : `${name} must be a text, a number, true, false or a list of texts`;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON';
  }
}

function isAllowed(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
