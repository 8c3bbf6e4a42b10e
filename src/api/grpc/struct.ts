// Converts between JSON objects and google.protobuf.Struct.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { JSON_DEPTH_MAX } from '../../domain/limits.ts';
import { MalformedMessage, type MessageReader, WIRE } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';

/** Field numbers of Struct, its entries, Value and ListValue. */
const FIELDS = 1;
const KEY = 1;
const VALUE = 2;
const KIND = { null: 1, number: 2, string: 3, bool: 4, struct: 5, list: 6 } as const;
const ITEMS = 1;

/** Reads the next Struct. @throws MalformedMessage, also beyond JSON_DEPTH_MAX */
export function readStruct(reader: MessageReader, levelsLeft = JSON_DEPTH_MAX): JsonObject {
  if (levelsLeft === 0) throw new MalformedMessage(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
  const entries: [string, unknown][] = [];
  eachField(reader, (tag) => {
    if (tag !== tagOf(FIELDS, WIRE.bytes)) return false;
    let key = '';
    let value: unknown = null;
    eachField(reader, (part) => {
      if (part === tagOf(KEY, WIRE.bytes)) key = reader.text();
      else if (part === tagOf(VALUE, WIRE.bytes)) value = readValue(reader, levelsLeft);
      else return false;
      return true;
    });
    entries.push([key, value]);
    return true;
  });
  // fromEntries defines own keys, so a field called `__proto__` stays a field.
  return Object.fromEntries(entries);
}

function readValue(reader: MessageReader, levelsLeft: number): unknown {
  let value: unknown = null;
  eachField(reader, (tag) => {
    if (tag === tagOf(KIND.string, WIRE.bytes)) value = reader.text();
    else if (tag === tagOf(KIND.number, WIRE.fixed64)) value = reader.double();
    else if (tag === tagOf(KIND.bool, WIRE.varint)) value = reader.bool();
    else if (tag === tagOf(KIND.list, WIRE.bytes)) value = readList(reader, levelsLeft - 1);
    else if (tag === tagOf(KIND.struct, WIRE.bytes)) value = readStruct(reader, levelsLeft - 1);
    else return false;
    return true;
  });
  return value;
}

function readList(reader: MessageReader, levelsLeft: number): readonly unknown[] {
  if (levelsLeft === 0) throw new MalformedMessage(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
  const items: unknown[] = [];
  eachField(reader, (tag) => {
    if (tag !== tagOf(ITEMS, WIRE.bytes)) return false;
    items.push(readValue(reader, levelsLeft));
    return true;
  });
  return items;
}

/** Enters the next part and passes each field to `read`; fields that it does not read are skipped. */
function eachField(reader: MessageReader, read: (tag: number) => boolean): void {
  const outer = reader.enter();
  while (reader.hasMore) {
    const tag = reader.tag();
    if (!read(tag)) reader.skip(tag);
  }
  reader.leave(outer);
}

/** Writes the fields of a Struct into the open part. */
export function writeStruct(writer: MessageWriter, object: JsonObject): void {
  for (const [key, value] of Object.entries(object)) {
    writer.part(FIELDS, () => {
      writer.text(KEY, key);
      writer.part(VALUE, () => writeValue(writer, value));
    });
  }
}

function writeValue(writer: MessageWriter, value: unknown): void {
  if (typeof value === 'string') writer.text(KIND.string, value);
  else if (typeof value === 'number') writer.double(KIND.number, value);
  else if (typeof value === 'boolean') writer.varint(KIND.bool, value ? 1 : 0);
  else if (Array.isArray(value)) writer.part(KIND.list, () => writeItems(writer, value));
  else if (isJsonObject(value)) {
    writer.part(KIND.struct, () => writeStruct(writer, value));
  } else writer.varint(KIND.null, 0);
}

function writeItems(writer: MessageWriter, items: readonly unknown[]): void {
  for (const item of items) writer.part(ITEMS, () => writeValue(writer, item));
}

function tagOf(number: number, type: number): number {
  return (number << 3) | type;
}
