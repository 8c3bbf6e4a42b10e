// Moments against the clock of JavaScript, and the place and the reason of every refusal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { momentOf, momentsOf, readMoment } from './moment.ts';

const MICROSECONDS_A_MILLISECOND = 1_000;

const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0');
const offset = fc.oneof(
  fc.constantFrom({ text: '', minutes: 0 }, { text: 'Z', minutes: 0 }, { text: '+05', minutes: 300 }),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59), fc.constantFrom(':', ''))
    .map(([sign, hours, minutes, between]) => ({
      text: `${sign}${pad(hours)}${between}${pad(minutes)}`,
      minutes: (sign === '+' ? 1 : -1) * (hours * 60 + minutes),
    })),
);

test('agrees with the clock of JavaScript on every date, time and offset', () => {
  const date = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, offset, fc.constantFrom('T', 't', ' '), (moment, { text, minutes }, between) => {
      const written = moment.toISOString().replace('T', between).replace('Z', text);
      const expected = (moment.getTime() - minutes * 60_000) * MICROSECONDS_A_MILLISECOND;
      assert.equal(readMoment(written), expected, written);
    }),
    { seed: 20_261, numRuns: 2_000 },
  );
});

test('keeps microseconds, and drops what is below', () => {
  assert.equal(readMoment('1970-01-01T00:00:00.000001Z'), 1);
  assert.equal(readMoment('1970-01-01T00:00:00.1Z'), 100_000);
  assert.equal(readMoment('1970-01-01T00:00:00.123456789Z'), 123_456);
  assert.equal(readMoment('1970-01-01T00:00:00,5'), 500_000);
  assert.equal(readMoment('1969-12-31T23:59:59.999999Z'), -1);
});

test('takes a date for its first moment in UTC, and a time without seconds', () => {
  assert.equal(readMoment('2024-02-29'), Date.UTC(2024, 1, 29) * MICROSECONDS_A_MILLISECOND);
  assert.equal(readMoment('2024-02-29 10:30'), Date.UTC(2024, 1, 29, 10, 30) * MICROSECONDS_A_MILLISECOND);
  assert.equal(readMoment('2024-01-01T00:30+02:00'), readMoment('2023-12-31T22:30Z'));
});

const REFUSED: readonly (readonly [text: string, position: number, expected: RegExp])[] = [
  ['', 1, /year/],
  ['yesterday', 1, /year/],
  ['24-01-01', 3, /year/],
  ['2024/01/01', 5, /'-'/],
  ['2024-13-01', 6, /month/],
  ['2024-00-01', 6, /month/],
  ['2023-02-29', 9, /01 to 28/],
  ['1900-02-29', 9, /01 to 28/],
  ['2024-04-31', 9, /01 to 30/],
  ['2024-01-01X', 11, /T, a space/],
  ['2024-01-01T', 12, /hours/],
  ['2024-01-01T24:00', 12, /hours/],
  ['2024-01-01T10', 14, /':'/],
  ['2024-01-01T10:60', 15, /minutes/],
  ['2024-01-01T10:00:60Z', 18, /seconds/],
  ['2024-01-01T10:00:00.Z', 21, /digits/],
  ['2024-01-01T10:00:00.1234567890', 30, /Z, an offset/],
  ['2024-01-01T10:00CET', 17, /Z, an offset/],
  ['2024-01-01T10:00+24', 18, /hours of an offset/],
  ['2024-01-01T10:00+02:', 21, /minutes of an offset/],
  ['2024-01-01T10:00Z ', 18, /the end/],
];

for (const [text, position, expected] of REFUSED) {
  test(`refuses ${JSON.stringify(text)} and says where`, () => {
    const read = readMoment(text);
    assert.ok(typeof read === 'object');
    assert.equal(read.position, position);
    assert.match(read.expected, expected);
    assert.equal(momentOf(text), null);
  });
}

test('finds the moments of a list, and none in other values', () => {
  assert.deepEqual(momentsOf(['1970-01-01', 'drama', '1970-01-02']), [0, 86_400_000_000]);
  for (const value of [0, true, 'drama', '2024', [], undefined]) assert.deepEqual(momentsOf(value), []);
});
