// Guarantees of extracted lists: the floats that JSON.parse gives, from valid JSON only.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FLOAT32_NORMAL_MIN } from '../../../../domain/records/dense-vector.ts';
import { Random } from '../../../../engine/embedded/kernels/testing/hard-vectors.ts';
import { effort } from '../../../../engine/embedded/testing/effort.ts';
import { LIST_MARK, takeLists } from './take-lists.ts';

const LIST_NUMBERS = 500;
const ROUNDS = effort({ daily: 3, long: 1_000 });
const SPACES = ['', '', ' ', '\n', '\t\r '];
const DENSE = '0.5,'.repeat(15);

const doubles = new Float64Array(1);
const bits = new BigUint64Array(doubles.buffer);

/** Of the same sign and at most 2^31 steps away. */
function stepped(value: number, steps: number): number {
  doubles[0] = value;
  bits[0] = (bits[0] ?? 0n) + BigInt(steps);
  return doubles[0];
}

/** What the list must hold for a number of the text. */
function floatOf(text: string): number {
  const float = Math.fround(JSON.parse(text));
  return Math.abs(float) < FLOAT32_NORMAL_MIN ? 0 : float;
}

function taken(json: string, depth = 0): { text: string; lists: Float32Array[] } {
  const { text, lists } = takeLists(Buffer.from(json), depth);
  return { text: Buffer.from(text).toString().replaceAll(LIST_MARK, '*'), lists: [...lists] };
}

function assertRead(numbers: readonly string[], between = () => ''): void {
  const finite = numbers.filter((text) => Number.isFinite(floatOf(text)));
  const spaced = finite.map((text) => `${between()}${text}${between()}`);
  const { text, lists } = taken(`[${spaced.join(',')}]`);
  assert.equal(text, '"*"');
  finite.forEach((number, i) => {
    assert.ok(Object.is(lists[0]?.[i], floatOf(number)), `${number}: ${lists[0]?.[i]}`);
  });
}

/** Makers of numbers as text. */
function makers(random: Random): readonly (() => string)[] {
  const below = (end: number) => random.integer(end);
  const digits = (count: number) => Array.from({ length: count }, () => below(10)).join('');
  const anyDouble = () => {
    bits[0] = (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32));
    return doubles[0] ?? 0;
  };
  const component = () => (random.uniform() - 0.5) * 10 ** -below(4);
  const finite = (value: number) => JSON.stringify(Number.isFinite(value) ? value : 0);
  /** Half-way between two neighbouring floats, or a few doubles beside it. */
  const border = () => {
    const float = Math.fround(component());
    return stepped((float + stepped(float, 2 ** 29)) / 2, below(65) - 32);
  };
  return [
    () => finite(anyDouble()),
    () => finite(Math.fround(anyDouble())),
    () => finite(Math.fround((random.uniform() - 0.5) * 10 ** (below(80) - 40))),
    () => finite(component()),
    () => finite(Math.fround(component())),
    () => component().toPrecision(1 + below(21)),
    () => component().toFixed(1 + below(40)),
    () =>
      component()
        .toExponential(below(20))
        .replace('e', random.uniform() < 0.5 ? 'e' : 'E'),
    () => finite(border()),
    () => border().toPrecision(17 + below(8)),
    () => finite(below(2 ** 32) - 2 ** 31),
    () => `${below(2) === 0 ? '-' : ''}${1 + below(9)}${digits(below(40))}`,
    () => `${below(2) === 0 ? '-' : ''}${below(10)}.${digits(1 + below(50))}`,
    () => `${1 + below(9)}${digits(below(20))}.${digits(1 + below(20))}e${below(100) - 50}`,
    () => `0.${'0'.repeat(below(40))}${digits(1 + below(20))}E+${below(30)}`,
  ];
}

describe('extracting numbers', () => {
  it('gives the floats of JSON.parse and Math.fround, however the numbers are written', () => {
    const random = new Random(17);
    const makes = makers(random);
    const pick = <T>(list: readonly T[]) => list[random.integer(list.length)];
    for (let round = 0; round < ROUNDS; round++) {
      for (const make of makes) assertRead(Array.from({ length: LIST_NUMBERS }, make));
      const mixed = Array.from({ length: LIST_NUMBERS }, () => pick(makes)?.() ?? '0');
      assertRead(mixed, () => pick(SPACES) ?? '');
    }
  });

  it('gives them at the limits of floats, doubles and integers too', () => {
    const edges = [
      FLOAT32_NORMAL_MIN,
      1.2e-37,
      3.4e38,
      3.4028235677973362e38,
      2 ** 24 + 1,
      2 ** 53,
      1e15,
      1e22,
    ]
      .flatMap((edge) => [-2, -1, 0, 1, 2].map((steps) => stepped(edge, steps)))
      .flatMap((value) => [String(value), String(-value), value.toPrecision(21)]);
    const zeros = [
      '0',
      '-0',
      '0.0',
      '-0.000',
      '0e9',
      '-0E-99999',
      `0.${'0'.repeat(60)}`,
      '1e-400',
      '-4e-324',
    ];
    const long = [`1${'0'.repeat(38)}`, `0.1${'0'.repeat(300)}1`, '0.5e0000000001', '1e-0', '1E+00', '12e-3'];
    assertRead([...edges, ...zeros, ...long]);
  });
});

describe('extracting lists', () => {
  it('extracts lists of 16 or more numbers at the given depth of brackets', () => {
    const list = `[${DENSE}1]`;
    const text = `{"a":${list},"b":[{"c":${list},"d":[${list}]},${list}]}`;
    assert.equal(taken(text, 1).text, `{"a":"*","b":[{"c":${list},"d":[${list}]},${list}]}`);
    assert.equal(taken(text, 2).text, `{"a":${list},"b":[{"c":${list},"d":[${list}]},"*"]}`);
    assert.equal(taken(text, 3).text, `{"a":${list},"b":[{"c":"*","d":[${list}]},${list}]}`);
    assert.equal(taken(`[${DENSE}1 , 2\n]`).lists[0]?.length, 17);
    assert.equal(taken(`[${DENSE.slice(0, -1)}]`).lists.length, 0);
  });

  it('leaves lists with anything but numbers that fit a float', () => {
    const others = ['null', '"1"', 'true', '[1]', '{}', '', ' ', 'NaN', 'Infinity', '1e39', '-1e309', '1-2'];
    const bad = [
      '01',
      '-',
      '+1',
      '.5',
      '1.',
      '1.e5',
      '1e',
      '1e+',
      '--1',
      '0x1',
      '1_0',
      '1 2',
      '00.5',
      '-01.5',
      '1.5.5',
    ];
    for (const item of [...others, ...bad, '1]', '[1']) {
      for (const text of [`[${DENSE}${item}]`, `[${item},${DENSE}1]`, `[${DENSE}${item}`])
        if (!text.startsWith(`[${DENSE}1]`)) assert.equal(taken(text).text, text);
    }
  });

  it('ignores brackets in strings', () => {
    const list = `[${DENSE}1]`;
    for (const text of [`"${list}"`, `"\\"${list}"`, `"\\\\\\"${list}"`, `"${'x'.repeat(40)}\\"${list}`])
      assert.equal(taken(text).text, text);
    assert.equal(
      taken(`{"\\\\":"${'é'.repeat(9)}","a":${list}}`, 1).text,
      `{"\\\\":"${'é'.repeat(9)}","a":"*"}`,
    );
  });

  it('stops at the end of the text, whatever a longer one has left in memory', () => {
    const text = `[${DENSE}0.25,12345678901234567.5e-3]`;
    for (let length = text.length; length > 0; length--) {
      takeLists(Buffer.from(text), 0);
      assert.equal(taken(text.slice(0, length)).lists.length, length === text.length ? 1 : 0);
    }
  });

  it('returns the lists in order, however long the text', () => {
    const lengths = [16, 20_000, 768, 17, 300_000];
    const text = lengths.map((length, i) => `[${`${i}.5,`.repeat(length - 1)}${i}]`).join();
    const { text: rest, lists } = taken(`[${text}]`, 1);
    assert.equal(rest, '["*","*","*","*","*"]');
    assert.deepEqual(
      lists,
      lengths.map((length, i) => new Float32Array(length).fill(i + 0.5).fill(i, length - 1)),
    );
  });
});
