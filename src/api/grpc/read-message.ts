// Reads a message into the object that the JSON API would receive instead.

import { invalid } from '../../domain/faults.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { settleFloats } from '../../domain/records/dense-vector.ts';
import { type Field, fieldsOf, isScalar, type MessageFields, type Scalar } from './fields.ts';
import { MalformedMessage, MessageReader, WIRE } from './message-reader.ts';
import type { MessageName } from './messages.ts';
import { NumberList } from './number-list.ts';
import { readStruct } from './struct.ts';
import { readTimestamp } from './timestamp.ts';

type Target = Record<string, unknown>;

const WIRE_OF: Readonly<Record<Scalar, number>> = {
  string: WIRE.bytes,
  bool: WIRE.varint,
  float: WIRE.fixed32,
  uint32: WIRE.varint,
  int32: WIRE.varint,
  uint64: WIRE.varint,
};
const FLOAT_BYTES = 4;

/**
 * Fields have the names of the JSON API; fields that are absent, or at a default without presence,
 * are undefined. Lists of numbers are typed arrays with buffers of their own.
 * @throws invalid-argument for a malformed message
 */
export function readMessage(name: MessageName, bytes: Uint8Array): JsonObject {
  try {
    return readFields(new MessageReader(bytes), fieldsOf(name));
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw invalid(`The message is not a valid ${name}: ${error.message}`);
  }
}

/** Reads to the end of the entered part. */
function readFields(reader: MessageReader, fields: MessageFields): Target {
  const target: Target = {};
  const lists = new Map<string, NumberList>();
  while (reader.hasMore) {
    const tag = reader.tag();
    const field = fields.byNumber[tag >>> 3];
    if (field === undefined || !readField(reader, { field, type: tag & 7, target, lists })) reader.skip(tag);
  }
  for (const [name, list] of lists) if (list.length > 0) target[name] = finished(list);
  return target;
}

/** All lists of floats in messages are vectors. */
function finished(list: NumberList): Float32Array | Uint32Array {
  const numbers = list.finish();
  if (numbers instanceof Float32Array) settleFloats(numbers);
  return numbers;
}

interface FieldPlace {
  readonly field: Field;
  readonly type: number;
  readonly target: Target;
  /** Unfinished lists of numbers of this message. */
  readonly lists: Map<string, NumberList>;
}

/** False if the wire type does not fit the field, which then counts as unknown. */
function readField(reader: MessageReader, { field, type, target, lists }: FieldPlace): boolean {
  const { jsonName, form } = field;
  if (form === 'repeated' && isNumeric(field.type))
    return readNumbers(reader, { field, type, target, lists });
  if (type !== (isScalar(field.type) ? WIRE_OF[field.type] : WIRE.bytes)) return false;
  if (form === 'map') readEntry(reader, field, target);
  else if (form === 'repeated') listIn(target, jsonName).push(readSingle(reader, field.type));
  else {
    // Protobuf would merge them. No client relies on that, and merging a hundred thousand parts takes long.
    if (!isScalar(field.type) && Object.hasOwn(target, jsonName)) {
      throw new MalformedMessage(`${field.name} is given twice`);
    }
    const value = readSingle(reader, field.type);
    target[jsonName] = form === 'single' && isDefault(value) ? undefined : value;
  }
  return true;
}

function readSingle(reader: MessageReader, type: Field['type']): unknown {
  if (isScalar(type)) return readScalar(reader, type);
  if (type === 'Struct') return readStruct(reader);
  if (type === 'Timestamp') return readTimestamp(reader);
  const outer = reader.enter();
  const message = readFields(reader, fieldsOf(type));
  reader.leave(outer);
  return meantBy(type, message);
}

function meantBy(type: Field['type'], message: Target): unknown {
  // Some clients always send one and mean none by an empty one.
  if (type === 'SparseValues' && Object.keys(message).length === 0) return undefined;
  // A field of a schema is `false` by being left out.
  if (type === 'MetadataFieldProperties') return { filterable: message.filterable ?? false };
  return message;
}

function readScalar(reader: MessageReader, type: Scalar): unknown {
  if (type === 'string') return reader.text();
  if (type === 'bool') return reader.bool();
  if (type === 'float') return reader.float();
  if (type === 'uint32') return reader.uint32();
  return type === 'int32' ? reader.int32() : reader.uint64();
}

/** Reads numbers packed, one by one, or both. */
function readNumbers(reader: MessageReader, { field, type, lists }: FieldPlace): boolean {
  const isFloat = field.type === 'float';
  if (type !== WIRE.bytes && type !== (isFloat ? WIRE.fixed32 : WIRE.varint)) return false;
  const list =
    lists.get(field.jsonName) ?? new NumberList(isFloat ? new Float32Array(0) : new Uint32Array(0));
  lists.set(field.jsonName, list);
  if (type !== WIRE.bytes) list.push(isFloat ? reader.float() : reader.uint32());
  else if (isFloat) {
    const bytes = reader.bytes();
    if (bytes.byteLength % FLOAT_BYTES !== 0) throw new MalformedMessage('a list of floats is cut off');
    list.append(bytes);
  } else {
    const outer = reader.enter();
    while (reader.hasMore) list.push(reader.uint32());
    reader.leave(outer);
  }
  return true;
}

function readEntry(reader: MessageReader, field: Field, target: Target): void {
  const outer = reader.enter();
  let key = '';
  let value = meantBy(field.type, {});
  while (reader.hasMore) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | WIRE.bytes)) key = reader.text();
    else if (tag === ((2 << 3) | WIRE.bytes)) value = readSingle(reader, field.type);
    else reader.skip(tag);
  }
  reader.leave(outer);
  // A key may be `__proto__`, which must be defined rather than assigned.
  const map = membersOf(target[field.jsonName]);
  target[field.jsonName] = map;
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
}

function listIn(target: Target, name: string): unknown[] {
  const known = target[name];
  const list: unknown[] = Array.isArray(known) ? known : [];
  target[name] = list;
  return list;
}

function isNumeric(type: Field['type']): boolean {
  return type === 'float' || type === 'uint32';
}

function isDefault(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}
