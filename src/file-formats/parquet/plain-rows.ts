// Rows of hyparquet as JSON has them, for programs that read any Parquet file: decimals exact, texts UTF-8, no bytes.
import type { FileMetaData, ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { decimalValue, wholeValue } from './decimal-value.ts';

type TextParsers = Pick<ParquetParsers, 'stringFromBytes' | 'jsonFromBytes'>;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** In the place of a text that is none, until its column and row are known. */
class NotUtf8 {
  /** As the key of a map. */
  toString(): never {
    throw new Error('a text is not valid UTF-8');
  }
}

/** In the place of a value of a column that JSON cannot have as it is. */
export class Unreadable {
  /** Names the column. */
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

/** To read the rows with that `plainRow` takes. */
export const PARSERS: TextParsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && textOf(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => {
    const text = bytes && textOf(bytes);
    return typeof text === 'string' ? JSON.parse(text) : text;
  },
};

/** How to read the rows of a file so that decimals are the whole numbers that it has; hyparquet would round them. */
export function readingOptions(metadata: FileMetaData): {
  readonly metadata: FileMetaData;
  readonly utf8: boolean;
} {
  const decimals = metadata.schema.filter(isDecimal);
  const schema = metadata.schema.map((element) => {
    const { converted_type: _, logical_type: __, ...raw } = element;
    return isDecimal(element) ? raw : element;
  });
  // Otherwise those of bytes would become texts. Texts without an annotation are bytes then, too.
  const hasTexts = !decimals.some(({ type }) => type === 'BYTE_ARRAY');
  return { metadata: { ...metadata, schema }, utf8: hasTexts };
}

/**
 * The row without its absent values. Columns with a text that is not UTF-8, or with bytes, are `Unreadable`: whoever
 * does not use them can use the row.
 * @param schema as the file has it
 * @param dateOf what dates and moments become
 */
export function plainRow(row: JsonObject, schema: SchemaTree, dateOf: (date: Date) => unknown): JsonObject {
  const column = (value: unknown, node: SchemaTree | null) => {
    try {
      return plain(value, node, dateOf);
    } catch (error) {
      return new Unreadable(error instanceof Error ? error.message : String(error));
    }
  };
  return membersOf(row, (name) => childOf(schema, name), column);
}

type DateOf = (date: Date) => unknown;

/** @param node null below a value whose form the schema does not tell, as that of JSON */
function plain(value: unknown, node: SchemaTree | null, dateOf: DateOf): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const entry = node === null ? null : entryOf(node);
    return value.map((each) => plain(each, entry, dateOf) ?? null);
  }
  if (node?.children.length === 0 && !isPlainObject(value)) return leafValue(value, node, dateOf);
  if (!isPlainObject(value)) return scalar(value, dateOf);
  const inMap = node === null ? undefined : valueOfMap(node);
  const nodeOf = (name: string) => inMap ?? (node === null ? null : childOf(node, name));
  return membersOf(value, nodeOf, (each, inner) => plain(each, inner, dateOf));
}

function membersOf(
  object: JsonObject,
  nodeOf: (name: string) => SchemaTree | null,
  memberOf: (value: unknown, node: SchemaTree | null) => unknown,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const each = memberOf(value, nodeOf(name));
      return each === undefined ? [] : [[name, each]];
    }),
  );
}

function leafValue(value: unknown, { element, path }: SchemaTree, dateOf: DateOf): unknown {
  if (isDecimal(element)) return decimalValue(unscaledOf(value), scaleOf(element));
  const isText = value instanceof Uint8Array && element.type === 'BYTE_ARRAY';
  const found = isText ? textOf(value) : value;
  if (found instanceof NotUtf8) throw new Error(`a text of column '${path.join('.')}' is not valid UTF-8`);
  if (found instanceof Uint8Array)
    throw new Error(`column '${path.join('.')}' has bytes, which records do not take`);
  return scalar(found, dateOf);
}

function scalar(value: unknown, dateOf: DateOf): unknown {
  if (typeof value === 'bigint') return wholeValue(value);
  return value instanceof Date ? dateOf(value) : value;
}

function isPlainObject(value: unknown): value is JsonObject {
  const isOther = value instanceof Date || value instanceof NotUtf8 || ArrayBuffer.isView(value);
  return isJsonObject(value) && !isOther;
}

function childOf({ children }: SchemaTree, name: string): SchemaTree | null {
  return children.find(({ element }) => element.name === name) ?? null;
}

/** Of a list its entries, between which and the list a group may lie; of what is repeated itself. */
function entryOf(node: SchemaTree): SchemaTree {
  const [only, ...others] = node.children;
  const isList =
    node.element.converted_type === 'LIST' &&
    only?.element.repetition_type === 'REPEATED' &&
    only.children.length <= 1 &&
    others.length === 0;
  return isList ? (only.children[0] ?? only) : node;
}

/** The values of a map, which is an object; undefined for others. @throws Error for keys that have no text */
function valueOfMap({ element, children, path }: SchemaTree): SchemaTree | undefined {
  const [pairs] = children;
  const isMap = element.converted_type === 'MAP' && pairs?.element.repetition_type === 'REPEATED';
  if (!isMap || pairs.children.length !== 2) return undefined;
  const [key] = pairs.children;
  if (key !== undefined && (isDecimal(key.element) || key.element.type === 'FIXED_LEN_BYTE_ARRAY'))
    throw new Error(`the keys of column '${path.join('.')}' are no texts`);
  return pairs.children[1];
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'DECIMAL' || logical?.type === 'DECIMAL';
}

function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  return scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
}

/** Bytes are a whole number in two's complement, the highest first. */
function unscaledOf(value: unknown): bigint {
  if (typeof value === 'bigint' || typeof value === 'number') return BigInt(value);
  if (!(value instanceof Uint8Array)) throw new Error('a decimal is no number');
  const whole = value.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return BigInt.asIntN(8 * value.length, whole);
}

function textOf(bytes: Uint8Array): string | NotUtf8 {
  try {
    return utf8.decode(bytes);
  } catch {
    return new NotUtf8();
  }
}
