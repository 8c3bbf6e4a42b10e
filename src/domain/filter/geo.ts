// Places on the Earth, and areas that contain them: circles by great-circle distance, and boxes of degrees.

/** Integers in units of 1e-7 degrees, about a centimeter: a place is the same in every engine. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

export type Area =
  | (Position & { readonly kind: 'circle'; readonly meters: number })
  /** Bounds in units of positions, inclusive; `west` above `east` crosses the antimeridian. */
  | {
      readonly kind: 'box';
      readonly south: number;
      readonly west: number;
      readonly north: number;
      readonly east: number;
    };

export const UNITS_A_DEGREE = 1e7;
export const POLE = 90 * UNITS_A_DEGREE;
export const ANTIMERIDIAN = 180 * UNITS_A_DEGREE;
/** The mean radius of the Earth (IUGG). */
export const EARTH_METERS = 6_371_008.8;
/** Half around the Earth, and a little more. */
export const RADIUS_METERS_MAX = 20_100_000;

const POSITION = /^ *([+-]?\d{1,2}(?:\.\d{1,20})?) *, *([+-]?\d{1,3}(?:\.\d{1,20})?) *$/;
const TEXT_CHARS_MAX = 60;
const RADIANS_A_UNIT = Math.PI / ANTIMERIDIAN;
/** Bounds of circles are wider by this, for all errors of rounding. */
const MARGIN = 10;

/** The places in a metadata value: those of a list's elements; none of other texts and values. */
export function positionsOf(value: unknown): readonly Position[] {
  if (typeof value === 'string') {
    const position = positionOf(value);
    return position === null ? [] : [position];
  }
  return Array.isArray(value) ? value.flatMap(positionsOf) : [];
}

/** The place that a text `latitude,longitude` tells, in degrees; null for any other text. */
export function positionOf(text: string): Position | null {
  if (text.length > TEXT_CHARS_MAX || !text.includes(',')) return null;
  const [, first, second] = POSITION.exec(text) ?? [];
  if (first === undefined || second === undefined) return null;
  const latitude = unitsOf(Number(first));
  const longitude = unitsOf(Number(second));
  return Math.abs(latitude) <= POLE && Math.abs(longitude) <= ANTIMERIDIAN ? { latitude, longitude } : null;
}

export function unitsOf(degrees: number): number {
  return Math.round(degrees * UNITS_A_DEGREE) + 0; // -0 + 0 is 0
}

/** What contains an area: latitudes, and ranges of longitudes. At the poles, every longitude is the same place. */
export interface Bounds {
  readonly south: number;
  readonly north: number;
  readonly longitudes: readonly (readonly [from: number, to: number])[];
}

/** The bounds of a box are the box; those of a circle contain it. */
export function boundsOf(area: Area): Bounds {
  return area.kind === 'box'
    ? { south: area.south, north: area.north, longitudes: rangesOf(area.west, area.east) }
    : circleBounds(area);
}

export function isInBounds({ south, north, longitudes }: Bounds, { latitude, longitude }: Position): boolean {
  if (latitude < south || latitude > north) return false;
  return Math.abs(latitude) === POLE || longitudes.some(([from, to]) => longitude >= from && longitude <= to);
}

/** A test for places of an area. */
export function isIn(area: Area): (position: Position) => boolean {
  const bounds = boundsOf(area);
  if (area.kind === 'box') return (position) => isInBounds(bounds, position);
  const limit = haversineLimit(area.meters);
  const toPosition = haversineFrom(area);
  return (position) => isInBounds(bounds, position) && toPosition(position) <= limit;
}

/** The great-circle distance in meters. */
export function metersBetween(a: Position, b: Position): number {
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(haversineFrom(a)(b))));
}

/** The haversine of a distance's angle, which no place within the distance exceeds; Infinity for all of the Earth. */
export function haversineLimit(meters: number): number {
  const half = meters / EARTH_METERS / 2;
  return half >= Math.PI / 2 ? Number.POSITIVE_INFINITY : Math.sin(half) ** 2;
}

/** The haversine of the angle to other places. */
function haversineFrom(center: Position): (to: Position) => number {
  const cosine = Math.cos(center.latitude * RADIANS_A_UNIT);
  return ({ latitude, longitude }) => {
    const north = Math.sin(((latitude - center.latitude) * RADIANS_A_UNIT) / 2);
    const east = Math.sin(((longitude - center.longitude) * RADIANS_A_UNIT) / 2);
    return north * north + cosine * Math.cos(latitude * RADIANS_A_UNIT) * east * east;
  };
}

function circleBounds({ latitude, longitude, meters }: Extract<Area, { kind: 'circle' }>): Bounds {
  const angle = meters / EARTH_METERS;
  const reach = Math.ceil(angle / RADIANS_A_UNIT) + MARGIN;
  const [south, north] = [latitude - reach, latitude + reach];
  const everywhere = [[-ANTIMERIDIAN, ANTIMERIDIAN]] as const;
  const sine = Math.sin(Math.min(angle, Math.PI / 2)) / Math.cos(latitude * RADIANS_A_UNIT);
  // Around a pole, or so near to one that a meridian touches the circle beyond it.
  if (south <= -POLE || north >= POLE || sine >= 1) return { south, north, longitudes: everywhere };
  const east = Math.ceil((Math.asin(sine) * (1 + 1e-9)) / RADIANS_A_UNIT) + MARGIN;
  if (east >= ANTIMERIDIAN) return { south, north, longitudes: everywhere };
  return { south, north, longitudes: rangesOf(wrapped(longitude - east), wrapped(longitude + east)) };
}

/** Eastward from `west` to `east`. Both sides of the antimeridian are the same meridian. */
function rangesOf(west: number, east: number): Bounds['longitudes'] {
  if (west > east) {
    return [
      [west, ANTIMERIDIAN],
      [-ANTIMERIDIAN, east],
    ];
  }
  const ranges: (readonly [number, number])[] = [[west, east]];
  if (west === -ANTIMERIDIAN) ranges.push([ANTIMERIDIAN, ANTIMERIDIAN]);
  if (east === ANTIMERIDIAN) ranges.push([-ANTIMERIDIAN, -ANTIMERIDIAN]);
  return ranges;
}

function wrapped(longitude: number): number {
  if (longitude > ANTIMERIDIAN) return longitude - 2 * ANTIMERIDIAN;
  return longitude < -ANTIMERIDIAN ? longitude + 2 * ANTIMERIDIAN : longitude;
}
