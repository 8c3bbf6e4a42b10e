// Decodes one data page of a column into typed arrays: one byte per level, numbers as in the file.
import type { DataPageHeader, DecodedArray, Encoding } from 'hyparquet';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import type { DataPageHeaderV2 } from 'hyparquet/src/types.js';
import { FileProblem } from '../file-bytes.ts';
import type { Leaf } from './columns.ts';
import { type unpackerFor, unpackPage } from './decompress.ts';
import { asProblem } from './footer.ts';
import type { PackedPage } from './page-stream.ts';
import { isOneRun, readHybrid } from './rle-hybrid.ts';

/** Of the length before runs: of the levels of a page, or of booleans. */
const LENGTH_BYTES = 4;

export interface Page {
  /** The number of entries: values, nulls and empty lists. */
  readonly count: number;
  /** One level per entry; null if all entries have the maximum. */
  readonly definition: Uint8Array | null;
  /** One level per entry, 0 where a row begins; null if every entry is a row. */
  readonly repetition: Uint8Array | null;
  /** The present values, without nulls. */
  readonly values: DecodedArray;
}

type Unpack = Awaited<ReturnType<typeof unpackerFor>>;

export interface PageDecoder {
  readonly leaf: Leaf;
  readonly unpack: Unpack;
  /** The dictionary that pages refer to. */
  readonly dictionary: DecodedArray | null;
}

/** @throws FileProblem */
export function decodeDictionary(packed: PackedPage, { leaf, unpack }: PageDecoder): DecodedArray {
  const { dictionary_page_header: details, uncompressed_page_size: bytes } = packed.header;
  if (details === undefined) throw new FileProblem('a dictionary page lacks its header');
  const page = unpackPage(unpack, packed.bytes, bytes);
  return plain(page, leaf, details.num_values);
}

/** @throws FileProblem */
export function decodePage(packed: PackedPage, decoder: PageDecoder): Page {
  const { data_page_header: one, data_page_header_v2: two } = packed.header;
  if (one !== undefined) return decodeFirst(packed, one, decoder);
  if (two !== undefined) return decodeSecond(packed, two, decoder);
  throw new FileProblem(`a page is of the unknown type ${packed.header.type}`);
}

/** Version 1: levels and values are compressed together, each list of levels after its length. */
function decodeFirst(packed: PackedPage, details: DataPageHeader, decoder: PageDecoder): Page {
  const page = unpackPage(decoder.unpack, packed.bytes, packed.header.uncompressed_page_size);
  const { leaf } = decoder;
  const count = details.num_values;
  let at = 0;
  const levels = (): Uint8Array => {
    if (at + LENGTH_BYTES > page.byteLength) throw new FileProblem('a page ends in its levels');
    const bytes = new DataView(page.buffer, page.byteOffset + at, LENGTH_BYTES).getUint32(0, true);
    const part = page.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + bytes);
    at += LENGTH_BYTES + bytes;
    return part;
  };
  const { repetitionMax, definitionMax } = leaf;
  const repetition = repetitionMax === 0 ? null : readLevels(levels(), repetitionMax, count);
  const definition = definitionMax === 0 ? null : readDefinition(levels(), definitionMax, count);
  const values = decodeValues(page.subarray(at), details.encoding, {
    decoder,
    count: present(definition, leaf, count),
  });
  return { count, definition, repetition, values };
}

/** Version 2: levels come first, uncompressed, their lengths in the header. */
function decodeSecond({ header, bytes }: PackedPage, details: DataPageHeaderV2, decoder: PageDecoder): Page {
  const { leaf, unpack } = decoder;
  const {
    num_values: count,
    repetition_levels_byte_length: first,
    definition_levels_byte_length: second,
  } = details;
  const levelBytes = first + second;
  if (!(first >= 0 && second >= 0 && levelBytes <= bytes.byteLength)) {
    throw new FileProblem('a page ends in its levels');
  }
  const repetition =
    leaf.repetitionMax === 0 ? null : readLevels(bytes.subarray(0, first), leaf.repetitionMax, count);
  const definition =
    leaf.definitionMax === 0
      ? null
      : readDefinition(bytes.subarray(first, levelBytes), leaf.definitionMax, count);
  const rest = bytes.subarray(levelBytes);
  const page =
    details.is_compressed === false
      ? rest
      : unpackPage(unpack, rest, header.uncompressed_page_size - levelBytes);
  const values = decodeValues(page, details.encoding, { decoder, count: present(definition, leaf, count) });
  return { count, definition, repetition, values };
}

/** Null if every level is the maximum. */
function readDefinition(bytes: Uint8Array, max: number, count: number): Uint8Array | null {
  const isFull = isOneRun(bytes, { width: bitsOf(max), count, value: max });
  return isFull ? null : readLevels(bytes, max, count);
}

function bitsOf(max: number): number {
  return 32 - Math.clz32(max);
}

function readLevels(bytes: Uint8Array, max: number, count: number): Uint8Array {
  const levels = new Uint8Array(count);
  readHybrid(bytes, bitsOf(max), levels);
  return levels;
}

function present(definition: Uint8Array | null, { definitionMax }: Leaf, count: number): number {
  if (definition === null) return count;
  let found = 0;
  for (let i = 0; i < definition.length; i++) if (definition[i] === definitionMax) found++;
  return found;
}

interface Wanted {
  readonly decoder: PageDecoder;
  readonly count: number;
}

function decodeValues(bytes: Uint8Array, encoding: Encoding, { decoder, count }: Wanted): DecodedArray {
  const { leaf } = decoder;
  if (encoding === 'PLAIN') return plain(bytes, leaf, count);
  if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') return lookUp(bytes, decoder, count);
  return asProblem('the values of a page are damaged', () => decodeOther(bytes, encoding, { leaf, count }));
}

function decodeOther(
  bytes: Uint8Array,
  encoding: Encoding,
  { leaf, count }: { readonly leaf: Leaf; readonly count: number },
): DecodedArray {
  const reader = readerOf(bytes);
  if (count === 0) return [];
  if (encoding === 'BYTE_STREAM_SPLIT') {
    return byteStreamSplit(reader, count, leaf.type, leaf.typeLength);
  }
  if (encoding === 'RLE' && leaf.type === 'BOOLEAN') return booleans(bytes, count);
  if (encoding === 'DELTA_BINARY_PACKED' && leaf.type.startsWith('INT')) {
    const numbers = leaf.type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
    deltaBinaryUnpack(reader, count, numbers);
    return numbers;
  }
  if (
    leaf.type === 'BYTE_ARRAY' &&
    (encoding === 'DELTA_LENGTH_BYTE_ARRAY' || encoding === 'DELTA_BYTE_ARRAY')
  ) {
    const texts = new Array<Uint8Array>(count);
    if (encoding === 'DELTA_BYTE_ARRAY') deltaByteArray(reader, count, texts);
    else deltaLengthByteArray(reader, count, texts);
    return texts;
  }
  throw new FileProblem(`values of type ${leaf.type} are encoded as ${encoding}, which is not supported`);
}

/** Runs of bits, after the length of their bytes. */
function booleans(bytes: Uint8Array, count: number): boolean[] {
  const bits = new Uint8Array(count);
  readHybrid(bytes.subarray(LENGTH_BYTES), 1, bits);
  return Array.from(bits, (bit) => bit === 1);
}

function plain(bytes: Uint8Array, { type, typeLength }: Leaf, count: number): DecodedArray {
  return asProblem('the values of a page are damaged', () =>
    readPlain(readerOf(bytes), type, count, typeLength),
  );
}

/** Looks up dictionary indices, which follow a byte with their bit width. */
function lookUp(bytes: Uint8Array, { dictionary }: PageDecoder, count: number): DecodedArray {
  if (dictionary === null) throw new FileProblem('a page refers to a missing dictionary');
  const indices = new Uint32Array(count);
  if (count > 0) readHybrid(bytes.subarray(1), bytes[0] ?? 0, indices);
  // Of the dictionary's own class, so every entry fits; the type does not know that both are of one class.
  const values =
    ArrayBuffer.isView(dictionary) && !(dictionary instanceof Uint8Array)
      ? new (dictionary.constructor as Float32ArrayConstructor)(count)
      : new Array<unknown>(count);
  for (let i = 0; i < count; i++) {
    const index = indices[i] ?? 0;
    if (index >= dictionary.length) throw new FileProblem('a page refers to an index outside its dictionary');
    (values as unknown[])[i] = dictionary[index];
  }
  return values;
}

/** In a separate buffer, because the library's readers stop only at the end of a buffer. */
function readerOf(bytes: Uint8Array): { readonly view: DataView; offset: number } {
  const own = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
  return { view: new DataView(own.buffer, own.byteOffset, own.byteLength), offset: 0 };
}
