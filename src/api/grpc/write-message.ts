// Writes a message from the object that the JSON API would return instead.
import type { JsonObject } from '../../domain/json.ts';
import { type Field, fieldsOf, isScalar, type MessageFields, type Scalar } from './fields.ts';
import type { MessageWriter } from './message-writer.ts';
import { writeStruct } from './struct.ts';
import { writeTimestamp } from './timestamp.ts';

const UINT32_MAX = 2 ** 32 - 1;
const INT32_MAX = 2 ** 31 - 1;

/**
 * Takes each field by its JSON or proto name; null and undefined count as absent, unknown fields are omitted.
 * Counts too large for their type become its maximum. Lists of floats may be Float32Arrays; a message may be the bytes
 * of one that was written before.
 */
export function writeMessage(writer: MessageWriter, fields: MessageFields, value: JsonObject): void {
  for (const field of fields.list) {
    const member = value[field.jsonName] ?? value[field.name] ?? undefined;
    if (member !== undefined) writeField(writer, field, member);
  }
}

function writeField(writer: MessageWriter, field: Field, member: unknown): void {
  const { form, number, type } = field;
  if (form === 'map') writeMap(writer, field, declared(member));
  else if (form !== 'repeated') writeSingle(writer, field, member);
  else if (type === 'float') writeFloats(writer, number, declared(member));
  else if (type === 'uint32') writer.packed(number, declared(member));
  else {
    const each: Field = { ...field, form: 'optional' };
    for (const item of declared<readonly unknown[]>(member)) writeSingle(writer, each, item);
  }
}

function writeSingle(writer: MessageWriter, { form, number, type }: Field, value: unknown): void {
  if (isScalar(type)) writeScalar(writer, { number, type, writesDefault: form === 'optional' }, value);
  else if (value instanceof Uint8Array) writer.bytes(number, value);
  else if (type === 'Struct') writer.part(number, () => writeStruct(writer, declared(value)));
  else if (type === 'Timestamp') writer.part(number, () => writeTimestamp(writer, declared(value)));
  else writer.part(number, () => writeMessage(writer, fieldsOf(type), declared(value)));
}

/** The rendering code gives each member the type that its field declares. */
function declared<Member>(member: unknown): Member {
  return member as Member;
}

interface ScalarPlace {
  readonly number: number;
  readonly type: Scalar;
  /** Whether a default value is written. */
  readonly writesDefault: boolean;
}

function writeScalar(
  writer: MessageWriter,
  { number, type, writesDefault }: ScalarPlace,
  value: unknown,
): void {
  if (type === 'string') {
    if (writesDefault || value !== '') writer.text(number, String(value));
    return;
  }
  const numeric = Number(value);
  if (!writesDefault && numeric === 0) return;
  if (type === 'float') writer.float(number, numeric);
  else writer.varint(number, Math.min(numeric, MAX_OF[type]));
}

const MAX_OF: Readonly<Record<Exclude<Scalar, 'string' | 'float'>, number>> = {
  bool: 1,
  uint32: UINT32_MAX,
  int32: INT32_MAX,
  // Counts are exact up to this value.
  uint64: Number.MAX_SAFE_INTEGER,
};

function writeFloats(writer: MessageWriter, number: number, values: ArrayLike<number>): void {
  if (values.length === 0) return;
  const { buffer, byteOffset, byteLength } =
    values instanceof Float32Array ? values : Float32Array.from(values);
  writer.bytes(number, new Uint8Array(buffer, byteOffset, byteLength));
}

function writeMap(writer: MessageWriter, { number, type }: Field, map: JsonObject): void {
  for (const [key, value] of Object.entries(map)) {
    writer.part(number, () => {
      writer.text(1, key);
      writeSingle(writer, { number: 2, name: 'value', jsonName: 'value', type, form: 'optional' }, value);
    });
  }
}
