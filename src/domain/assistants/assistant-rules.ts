// The rules for the name, instructions, metadata and region of an assistant.
import { Buffer } from 'node:buffer';
import { invalid } from '../faults.ts';
import { ASSISTANT_REGIONS, type AssistantMetadata, type AssistantRegion } from './assistant.ts';
import { ASSISTANT_METADATA_BYTES_MAX, ASSISTANT_NAME_CHARS_MAX, INSTRUCTIONS_BYTES_MAX } from './limits.ts';

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** @throws invalid-argument */
export function checkAssistantName(name: string): void {
  if (name.length <= ASSISTANT_NAME_CHARS_MAX && NAME.test(name)) return;
  throw invalid(
    `Invalid assistant name: 1 to ${ASSISTANT_NAME_CHARS_MAX} lower case letters, digits or '-', with a letter or digit at both ends.`,
  );
}

/** Null clears. @throws invalid-argument */
export function checkInstructions(instructions: string | null): void {
  const bytes = instructions === null ? 0 : Buffer.byteLength(instructions);
  if (bytes <= INSTRUCTIONS_BYTES_MAX) return;
  throw invalid(`instructions must be at most ${INSTRUCTIONS_BYTES_MAX} bytes, got ${bytes}.`);
}

/** Null clears. @throws invalid-argument when it is not an object or too large */
export function readAssistantMetadata(json: unknown): AssistantMetadata | null {
  if (json === null || json === undefined) return null;
  if (typeof json !== 'object' || Array.isArray(json)) throw invalid('metadata must be an object.');
  checkMetadataBytes(json);
  return json as AssistantMetadata;
}

/** @throws invalid-argument */
export function checkMetadataBytes(metadata: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= ASSISTANT_METADATA_BYTES_MAX) return;
  throw invalid(`metadata must be at most ${ASSISTANT_METADATA_BYTES_MAX} bytes of JSON, got ${bytes}.`);
}

/** Defaults to the first region. @throws invalid-argument */
export function readRegion(region: string | null | undefined): AssistantRegion {
  const found = ASSISTANT_REGIONS.find((each) => each === (region ?? ASSISTANT_REGIONS[0]));
  if (found === undefined) throw invalid(`region must be one of ${ASSISTANT_REGIONS.join(', ')}.`);
  return found;
}
