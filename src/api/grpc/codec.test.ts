// Guarantees of the message codec: what is written reads back, and untrusted bytes do no harm.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import type { JsonObject } from '../../domain/json.ts';
import { JSON_DEPTH_MAX } from '../../domain/limits.ts';
import { FLOAT32_NORMAL_MIN } from '../../domain/records/dense-vector.ts';
import { type Field, fieldsOf } from './fields.ts';
import { countedBytes, FRAME_HEAD_BYTES, frameInPlace, unframe } from './frame.ts';
import { MessageWriter } from './message-writer.ts';
import { MESSAGES, type MessageName } from './messages.ts';
import { readMessage } from './read-message.ts';
import { writeMessage } from './write-message.ts';

const SEED = 43;
const NAMES = Object.keys(MESSAGES) as MessageName[];
const MEBIBYTE = 2 ** 20;
const NO_GZIP = 'The message of the request is not valid gzip';
const TIMES = { min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true };

function encode(name: MessageName, value: JsonObject): Uint8Array {
  const writer = new MessageWriter();
  writeMessage(writer, fieldsOf(name), value);
  return writer.finish();
}

function hex(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function isInvalid(error: unknown): boolean {
  return error instanceof Fault && error.code === 'INVALID_ARGUMENT';
}

/** Any JSON value that a Struct can represent. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).object as fc.Arbitrary<JsonObject>;

/** A message as `readMessage` returns it: without the defaults of fields that track no presence. */
function messageOf(name: MessageName): fc.Arbitrary<JsonObject> {
  const members = fieldsOf(name).list.map((field) => [field.jsonName, memberOf(field)] as const);
  const record = fc.record(Object.fromEntries(members), { requiredKeys: [], noNullPrototype: true });
  return record.map((value) =>
    Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)),
  );
}

function memberOf({ form, type }: Field): fc.Arbitrary<unknown> {
  if (form === 'repeated' && type === 'float') {
    const floats = fc.float32Array({ minLength: 1, maxLength: 40, noNaN: true, noDefaultInfinity: true });
    return floats.map((values) => values.map((value) => (Math.abs(value) < FLOAT32_NORMAL_MIN ? 0 : value)));
  }
  if (form === 'repeated' && type === 'uint32') return fc.uint32Array({ minLength: 1, maxLength: 40 });
  const single = singleOf(type);
  if (form === 'repeated') return fc.array(single, { minLength: 1, maxLength: 3 });
  if (form === 'map')
    return fc.dictionary(fc.string(), single, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const isDefault = (value: unknown) => value === 0 || value === '' || value === false;
  return form === 'single' ? single.map((value) => (isDefault(value) ? undefined : value)) : single;
}

function singleOf(type: Field['type']): fc.Arbitrary<unknown> {
  if (type === 'string') return fc.string({ unit: 'binary' });
  if (type === 'bool') return fc.boolean();
  if (type === 'float') return fc.float({ noNaN: true }).map((number) => number + 0);
  if (type === 'uint32') return fc.nat({ max: 2 ** 32 - 1 });
  if (type === 'int32') return fc.nat({ max: 2 ** 31 - 1 });
  if (type === 'uint64') return fc.maxSafeNat();
  if (type === 'Struct') return json;
  if (type === 'Timestamp') return fc.date(TIMES).map((time) => time.toISOString());
  // Within another message, an absent one counts as false.
  if (type === 'MetadataFieldProperties')
    return fc.record({ filterable: fc.boolean() }, { noNullPrototype: true });
  // An empty sparse vector counts as absent.
  return type === 'SparseValues'
    ? messageOf(type).map((value) => (Object.keys(value).length === 0 ? undefined : value))
    : messageOf(type);
}

describe('a message', () => {
  it('reads back as it was written, whatever it contains', () => {
    const sample = fc.constantFrom(...NAMES).chain((name) => fc.tuple(fc.constant(name), messageOf(name)));
    fc.assert(
      fc.property(sample, ([name, value]) => assert.deepEqual(readMessage(name, encode(name, value)), value)),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('has the bytes of the examples in the protobuf documentation', () => {
    assert.deepEqual(Buffer.from(encode('Usage', { readUnits: 150 })), hex('08 96 01'));
    assert.deepEqual(
      Buffer.from(encode('Pagination', { next: 'testing' })),
      hex('0a 07 74 65 73 74 69 6e 67'),
    );
    const sparse = encode('SparseValues', { indices: [3, 270, 86942], values: [1] });
    assert.deepEqual(Buffer.from(sparse), hex('0a 06 03 8e 02 9e a7 05 12 04 00 00 80 3f'));
    const struct = encode('DescribeIndexStatsRequest', { filter: { a: 1 } });
    assert.deepEqual(Buffer.from(struct), hex('0a 10 0a 0e 0a 01 61 12 09 11 00 00 00 00 00 00 f0 3f'));
  });

  it('takes lists packed, unpacked, in pieces and mixed', () => {
    const whole = Float32Array.of(1, 2, 3);
    for (const bytes of [
      '0a 01 61 12 0c 0000803f 00000040 00004040',
      '0a 01 61 15 0000803f 15 00000040 15 00004040',
      '12 04 0000803f 0a 01 61 15 00000040 12 04 00004040',
    ]) {
      assert.deepEqual(readMessage('Vector', hex(bytes)), { id: 'a', values: whole });
    }
    const indices = readMessage('SparseValues', hex('08 03 0a 03 8e 02 05'));
    assert.deepEqual(indices, { indices: Uint32Array.of(3, 270, 5) });
  });

  it('ignores unknown fields of every kind, groups included, and known ones of another kind', () => {
    const unknown =
      'a0 06 01 a1 06 0000000000000000 a2 06 01 ff a5 06 00000000 a3 06 08 01 ab 06 ac 06 a4 06';
    assert.deepEqual(readMessage('Pagination', hex(`${unknown} 0a 01 61 08 05`)), { next: 'a' });
  });

  it('does not distinguish a default from absence unless presence is tracked', () => {
    assert.deepEqual(
      { ...readMessage('QueryRequest', hex('10 00 20 00 42 00')) },
      {
        topK: undefined,
        includeValues: undefined,
        id: undefined,
      },
    );
    assert.deepEqual(readMessage('ListRequest', hex('0a 00 10 00')), { prefix: '', limit: 0 });
    assert.deepEqual(encode('UpdateResponse', { matchedRecords: 0 }), new Uint8Array([8, 0]));
    assert.deepEqual(encode('UpsertResponse', { upsertedCount: 0 }), new Uint8Array());
  });

  it('saturates counts that exceed their type', () => {
    const answer = encode('UpsertResponse', { upsertedCount: 2 ** 40 });
    assert.deepEqual(readMessage('UpsertResponse', answer), { upsertedCount: 2 ** 32 - 1 });
  });

  it('keeps fields called __proto__ as fields', () => {
    const filter = JSON.parse('{"__proto__": {"a": 1}}') as JsonObject;
    const request = encode('DeleteRequest', { filter });
    assert.equal(JSON.stringify(readMessage('DeleteRequest', request)), '{"filter":{"__proto__":{"a":1}}}');
    const schema = JSON.parse('{"fields": {"__proto__": {"filterable": true}}}') as JsonObject;
    const read = readMessage('CreateNamespaceRequest', encode('CreateNamespaceRequest', { schema }));
    assert.deepEqual(Object.keys((read.schema as JsonObject).fields as JsonObject), ['__proto__']);
  });
});

describe('malformed messages', () => {
  it('are refused or read as something, at random and with damage', () => {
    const sample = fc.constantFrom(...NAMES).chain((name) =>
      fc.tuple(
        fc.constant(name),
        messageOf(name).map((value) => encode(name, value)),
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(),
      ),
    );
    fc.assert(
      fc.property(sample, ([name, message, noise, at]) => {
        const place = at % (message.length + 1);
        const damaged = Buffer.concat([message.subarray(0, place), noise, message.subarray(place)]);
        for (const bytes of [noise, damaged, message.subarray(0, place)]) {
          try {
            readMessage(name, bytes);
          } catch (error) {
            assert.ok(isInvalid(error), String(error));
          }
        }
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('are refused with the reason: truncated, not UTF-8, no field number, unknown type, duplicate field', () => {
    for (const [bytes, reason] of [
      ['0a 05 61', 'it is cut off'],
      ['0a 01 ff', 'a text is not valid UTF-8'],
      ['10 ff ff ff ff ff ff ff ff ff ff 01', 'a number has more than 10 bytes'],
      ['00 00', 'a field has no number'],
      ['0e', 'a field is of no known type'],
      ['3a 03 00 00 00', 'a list of floats is cut off'],
      ['1a 00 1a 00', 'filter is given twice'],
    ] as const) {
      const refused = { message: `The message is not a valid QueryRequest: ${reason}` };
      assert.throws(() => readMessage('QueryRequest', hex(bytes)), refused);
    }
  });

  it('are refused when a Struct in them is nested too deeply, however deeply', () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) });
    const deepest = encode('DeleteRequest', { filter: nested(JSON_DEPTH_MAX) });
    assert.ok(readMessage('DeleteRequest', deepest));
    const deeper = encode('DeleteRequest', { filter: nested(JSON_DEPTH_MAX + 1) });
    assert.throws(() => readMessage('DeleteRequest', deeper), /deeper than 64 levels/);
    let list: unknown = 1;
    for (let level = 0; level < 500; level++) list = [list];
    assert.throws(
      () => readMessage('DeleteRequest', encode('DeleteRequest', { filter: { list } })),
      isInvalid,
    );
    assert.throws(() => readMessage('DeleteRequest', Buffer.alloc(10_000, 0x0b)), isInvalid);
  });

  it('take no longer to read in the smallest pieces than in one, at two megabytes', () => {
    const piece = hex('12 04 0000803f');
    const pieces = Buffer.alloc(2 * MEBIBYTE - ((2 * MEBIBYTE) % piece.length), piece);
    const { values } = readMessage('Vector', pieces);
    assert.equal((values as Float32Array).length, pieces.length / piece.length);
  });
});

describe('a frame', () => {
  const message = encode('Pagination', { next: 'a'.repeat(1_000) });
  const framed = (flag: number, content: Uint8Array, length = content.length): Uint8Array => {
    const frame = Buffer.alloc(FRAME_HEAD_BYTES + content.length);
    frame[0] = flag;
    frame.writeUInt32BE(length, 1);
    frame.set(content, FRAME_HEAD_BYTES);
    return frame;
  };

  it('contains its message, plain or gzipped', () => {
    assert.deepEqual(Buffer.from(unframe(framed(0, message))), Buffer.from(message));
    assert.deepEqual(Buffer.from(unframe(framed(1, gzipSync(message)))), Buffer.from(message));
    const own = new Uint8Array(Buffer.concat([Buffer.alloc(FRAME_HEAD_BYTES), message]));
    frameInPlace(own);
    assert.deepEqual(Buffer.from(own), framed(0, message));
  });

  it('is refused unless it is one whole message', () => {
    for (const [frame, words] of [
      [new Uint8Array(), 'The request holds no whole message'],
      [Buffer.alloc(4), 'The request holds no whole message'],
      [framed(0, message, message.length + 1), 'The message of the request is cut off'],
      [Buffer.concat([framed(0, message), framed(0, message)]), 'The request holds more than one message'],
      [framed(2, message), 'The request is not a gRPC message'],
      [framed(1, message), NO_GZIP],
      [framed(1, new Uint8Array(3)), NO_GZIP],
    ] as const) {
      assert.throws(() => unframe(frame), { message: words });
    }
  });

  it('counts as its message decompressed, in however many pieces it comes', () => {
    const frame = framed(1, gzipSync(message));
    assert.ok(frame.length < message.length);
    const counted = FRAME_HEAD_BYTES + message.length;
    const inBytes = Array.from(frame, (byte) => Uint8Array.of(byte));
    for (const pieces of [[frame], [new Uint8Array(), frame], inBytes]) {
      assert.equal(countedBytes(pieces), counted);
    }
    assert.equal(countedBytes([framed(0, message)]), counted);
    // What unframe refuses counts as received.
    for (const refused of [new Uint8Array(), Buffer.of(1, 0, 0), framed(1, new Uint8Array(3))])
      assert.equal(countedBytes([refused]), refused.length);
    const bomb = framed(1, gzipSync(Buffer.alloc(8 * MEBIBYTE)));
    assert.throws(() => countedBytes([bomb]), { condition: 'payload-too-large' });
  });

  it('is refused where it says to be smaller than it is', () => {
    const gzip = gzipSync(message);
    for (const [words, tail] of [
      ['another member', gzipSync('')],
      ['more bytes', Buffer.of(1, 0, 0, 0)],
    ] as const) {
      assert.throws(() => unframe(framed(1, Buffer.concat([gzip, tail]))), { message: NO_GZIP }, words);
    }
    const lying = Buffer.from(gzip);
    lying.writeUInt32LE(1, lying.length - 4);
    assert.throws(() => unframe(framed(1, lying)), { message: NO_GZIP });
  });

  it('is not decompressed beyond its bound', () => {
    const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE));
    assert.throws(() => unframe(framed(1, bomb)), { condition: 'payload-too-large' });
  });
});
