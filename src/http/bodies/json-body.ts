// JSON bodies of the control plane: decoded strictly, bounded in depth, and without dangerous property names.
import { boundStructures } from '../../api/json-structures.ts';
import { refuseHalfSurrogates } from '../../api/rest/records/parse-body.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { JSON_DEPTH_MAX } from '../../domain/limits.ts';

export interface JsonBody {
  /** `undefined` when the body is empty. */
  readonly value: unknown;
  readonly text: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/** True for JSON media types, and for none at all: some clients omit the header. */
export function isJsonType(contentType: string | undefined): boolean {
  return contentType === undefined || contentType === '' || JSON_TYPE.test(contentType);
}

/**
 * @param structuresMax the objects and lists that it may hold; needed where bodies are large
 * @throws body-not-json, invalid-argument
 */
export function parseJsonBody(bytes: Uint8Array, structuresMax?: number): JsonBody {
  if (bytes.byteLength === 0) return { value: undefined, text: '' };
  if (structuresMax !== undefined) boundStructures(bytes, structuresMax);
  const text = decode(bytes);
  const value = parse(text);
  checkTree(value);
  refuseHalfSurrogates(text, value);
  return { value, text };
}

/** The values of the lines that are not blank. @throws as parseJsonBody, naming the line */
export function parseJsonLines(bytes: Uint8Array, structuresMax?: number): readonly unknown[] {
  if (structuresMax !== undefined) boundStructures(bytes, structuresMax);
  const lines = decode(bytes).split('\n');
  return lines.flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, at + 1)]));
}

function parseLine(text: string, number: number): unknown {
  const value = parse(text, `line ${number}: `);
  checkTree(value);
  refuseHalfSurrogates(text, value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw fault('body-not-json', { reason: 'it is not valid UTF-8' });
  }
}

function parse(text: string, where = ''): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault('body-not-json', {
      reason: `${where}${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

/** Goes level by level without recursion, so that no depth can exhaust the stack. */
function checkTree(root: unknown): void {
  let level: readonly object[] = objectsAmong([root]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > JSON_DEPTH_MAX) {
      throw fault('body-not-json', { reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` });
    }
    // Assigned to another object, this name would replace that object's prototype.
    if (level.some((node) => Object.hasOwn(node, '__proto__'))) {
      throw invalid('The name __proto__ is not allowed in a request body');
    }
    level = level.flatMap((node) => objectsAmong(Object.values(node)));
  }
}

function objectsAmong(values: readonly unknown[]): readonly object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
