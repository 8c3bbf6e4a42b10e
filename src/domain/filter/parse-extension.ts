// The operators that the public language does not have: dates and times, and areas on the Earth.
import { nextAbove, nextBelow } from '../adjacent-number.ts';
import { invalid } from '../faults.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { conditionText, fieldText } from './condition-text.ts';
import { type Area, RADIUS_METERS_MAX, unitsOf } from './geo.ts';
import type { FieldTest } from './grammar.ts';
import { readMoment } from './moment.ts';

const LATITUDE = { min: -90, max: 90 };
const LONGITUDE = { min: -180, max: 180 };
const METERS = { min: 0, max: RADIUS_METERS_MAX };
const COMPARISONS = ['$eq', '$gt', '$gte', '$lt', '$lte'];

/** Where a part of an operand stands, for errors. */
interface Place {
  readonly field: string;
  readonly operator: string;
}

/** The test of an operator of these; null for any other operator. @throws invalid-argument for a bad operand */
export function parseExtension(field: string, operator: string, operand: unknown): FieldTest | null {
  const place = { field, operator };
  switch (operator) {
    case '$datetime':
      return momentTest(place, objectOf(place, operand, COMPARISONS));
    case '$geo_radius':
      return { op: 'within', area: circleOf(place, objectOf(place, operand, ['lat', 'lon', 'meters'])) };
    case '$geo_box':
      return {
        op: 'within',
        area: boxOf(place, objectOf(place, operand, ['south', 'west', 'north', 'east'])),
      };
    default:
      return null;
  }
}

function momentTest(place: Place, operand: JsonObject): FieldTest {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  const comparisons = Object.entries(operand);
  if (comparisons.length === 0) throw bad(place, `needs one of ${COMPARISONS.join(', ')}`);
  for (const [comparison, value] of comparisons) {
    const moment = momentAt(place, comparison, value);
    if (comparison === '$gt') from = Math.max(from, nextAbove(moment));
    else if (comparison === '$lt') to = Math.min(to, nextBelow(moment));
    if (comparison === '$gte' || comparison === '$eq') from = Math.max(from, moment);
    if (comparison === '$lte' || comparison === '$eq') to = Math.min(to, moment);
  }
  return { op: 'moment', from, to };
}

function momentAt(place: Place, comparison: string, value: unknown): number {
  if (typeof value !== 'string')
    throw bad(
      place,
      `${comparison} must be a date or time of ISO 8601 as a string, got ${conditionText(value)}`,
    );
  const moment = readMoment(value);
  if (typeof moment === 'number') return moment;
  const { position, expected } = moment;
  throw bad(
    place,
    `${comparison} must be a date or time of ISO 8601, got ${conditionText(value)}: expected ${expected} at character ${position}`,
  );
}

function circleOf(place: Place, operand: JsonObject): Area {
  return {
    kind: 'circle',
    latitude: unitsOf(numberAt(place, operand, { key: 'lat', ...LATITUDE })),
    longitude: unitsOf(numberAt(place, operand, { key: 'lon', ...LONGITUDE })),
    meters: numberAt(place, operand, { key: 'meters', ...METERS }),
  };
}

function boxOf(place: Place, operand: JsonObject): Area {
  const south = unitsOf(numberAt(place, operand, { key: 'south', ...LATITUDE }));
  const north = unitsOf(numberAt(place, operand, { key: 'north', ...LATITUDE }));
  if (south > north) throw bad(place, 'south must not be above north');
  const west = unitsOf(numberAt(place, operand, { key: 'west', ...LONGITUDE }));
  const east = unitsOf(numberAt(place, operand, { key: 'east', ...LONGITUDE }));
  return { kind: 'box', south, west, north, east };
}

function numberAt(
  place: Place,
  operand: JsonObject,
  { key, min, max }: { readonly key: string; readonly min: number; readonly max: number },
): number {
  const value = operand[key];
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw bad(place, `${key} must be a number from ${min} to ${max}, got ${conditionText(value)}`);
}

function objectOf(place: Place, operand: unknown, keys: readonly string[]): JsonObject {
  if (!isJsonObject(operand))
    throw bad(place, `must be an object with ${keys.join(', ')}, got ${conditionText(operand)}`);
  const unknown = Object.keys(operand).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw bad(place, `has the unknown key ${fieldText(unknown)}; expected ${keys.join(', ')}`);
  return operand;
}

function bad({ field, operator }: Place, problem: string): Error {
  return invalid(`operator ${operator} on field ${fieldText(field)}: ${problem}`);
}
