// Assistants in responses and in request bodies.

import { ASSISTANT_REGIONS, type Assistant } from '../../../../domain/assistants/assistant.ts';
import {
  ASSISTANT_METADATA_BYTES_MAX,
  INSTRUCTIONS_BYTES_MAX,
} from '../../../../domain/assistants/limits.ts';
import type { AssistantChange } from '../../../../domain/assistants/services.ts';
import { fault, invalid } from '../../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';

export const AssistantName = Type.String({ description: 'Name of the assistant.', examples: ['helper'] });
export const AssistantParams = Type.Object({ assistant_name: AssistantName });

const JsonMap = Type.Object({}, { additionalProperties: true });

/** Shown as an example. */
export const ASSISTANT = {
  name: 'helper',
  instructions: 'Answer in one sentence.',
  metadata: { team: 'search' },
  region: 'us',
  status: 'Ready',
  host: 'http://localhost:5080',
  created_at: '2026-07-01T09:30:00.000Z',
  updated_at: '2026-07-01T09:30:00.000Z',
};

export const AssistantObject = Type.Object(
  {
    name: Type.String(),
    instructions: Type.Union([Type.String(), Type.Null()]),
    metadata: Type.Union([JsonMap, Type.Null()]),
    region: choice(ASSISTANT_REGIONS),
    status: choice(['Initializing', 'Ready', 'Failed', 'Terminating', 'InitializationFailed']),
    host: Type.String({ description: 'Where its files and chats are.' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Assistant', examples: [ASSISTANT] },
);

/** The fields of the bodies that create and update an assistant. */
export const ASSISTANT_FIELDS = {
  instructions: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `How it is to answer: at most ${INSTRUCTIONS_BYTES_MAX} bytes.`,
      examples: ['Answer in one sentence.'],
    }),
  ),
  metadata: Type.Optional(
    Type.Union([JsonMap, Type.Null()], {
      description: `At most ${ASSISTANT_METADATA_BYTES_MAX} bytes of JSON.`,
    }),
  ),
  region: Type.Optional(
    choice(ASSISTANT_REGIONS, 'A label: everything stays on this server. Never changes. Default: us.'),
  ),
};

export function assistantToWire(assistant: Assistant, host: string) {
  const { name, instructions, metadata, region, state } = assistant;
  return {
    name,
    instructions,
    metadata,
    region,
    status: state,
    host,
    created_at: assistant.createdAt,
    updated_at: assistant.updatedAt,
  };
}

/** @throws invalid-argument, body-not-json */
export function assistantBody(json: unknown): JsonObject {
  if (json === undefined) throw fault('body-not-json', { reason: 'it is empty' });
  if (!isJsonObject(json)) {
    throw invalid('The request body must be a JSON object.');
  }
  if ('environment' in json) throw invalid('environment cannot be chosen.');
  return json;
}

/** Null means unset: the assistant client for Python sends it for arguments that were not given. @throws invalid-argument */
export function changeOf(body: JsonObject): AssistantChange {
  const { metadata } = body;
  return {
    instructions: optionalText(body, 'instructions'),
    region: optionalText(body, 'region'),
    ...(metadata !== undefined && metadata !== null && { metadata }),
  };
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string.`);
  return value;
}
