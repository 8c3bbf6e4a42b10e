// The rules for the name, instructions, metadata and region of an assistant.

import { Buffer } from 'node:buffer';
import { invalid } from '../faults.ts';
import { isJsonObject } from '../json.ts';
import { ASSISTANT_REGIONS, type AssistantMetadata, type AssistantRegion } from './assistant.ts';
import { ASSISTANT_METADATA_BYTES_MAX, ASSISTANT_NAME_CHARS_MAX, INSTRUCTIONS_BYTES_MAX } from './limits.ts';

/** JSON Schema form of the rule. */
export const ASSISTANT_NAME_PATTERN = '^[A-Za-z0-9_-]+$';
const NAME = new RegExp(ASSISTANT_NAME_PATTERN);

/** Names are distinct by case. @throws invalid-argument */
export function checkAssistantName(name: string): void {
  if (name.length <= ASSISTANT_NAME_CHARS_MAX && NAME.test(name)) return;
  throw invalid(
    `Invalid assistant name: expected 1 to ${ASSISTANT_NAME_CHARS_MAX} letters, digits, '-' or '_'.`,
  );
}

/** @throws invalid-argument */
export function checkInstructions(instructions: string): void {
  const bytes = Buffer.byteLength(instructions);
  if (bytes <= INSTRUCTIONS_BYTES_MAX) return;
  throw invalid(`instructions must be at most ${INSTRUCTIONS_BYTES_MAX} bytes, got ${bytes}.`);
}

/** @throws invalid-argument when it is not an object or too large */
export function readAssistantMetadata(json: unknown): AssistantMetadata {
  if (!isJsonObject(json)) throw invalid('metadata must be an object.');
  checkMetadataBytes(json);
  return json;
}

/** @throws invalid-argument */
export function checkMetadataBytes(metadata: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= ASSISTANT_METADATA_BYTES_MAX) return;
  throw invalid(
    `Metadata is too large: its JSON has ${bytes} bytes. Metadata exceeds maximum length of ${ASSISTANT_METADATA_BYTES_MAX} bytes.`,
  );
}

/** Defaults to the first region. @throws invalid-argument */
export function readRegion(region: string | undefined): AssistantRegion {
  const found = ASSISTANT_REGIONS.find((each) => each === (region ?? ASSISTANT_REGIONS[0]));
  if (found === undefined) throw invalid(`region must be one of ${ASSISTANT_REGIONS.join(', ')}.`);
  return found;
}
