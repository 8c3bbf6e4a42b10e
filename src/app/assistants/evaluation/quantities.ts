// Reads the quantities of a text - numbers in digits or words, with their units - in a form that compares.

export interface Quantity {
  /** In the base unit of its dimension. */
  readonly value: number;
  /** What it measures; '' for a plain number. */
  readonly dimension: string;
  /** Digits before trailing zeros: 2 for 8.8 and for 8800. Fewer digits mean a rounder number. */
  readonly digits: number;
}

/** Numbers of fewer digits are not taken for rounded ones: 5 is not 5.4. */
const ROUNDED_DIGITS_MIN = 2;
const EXACT = 1e-9;
/** A kilobyte may have 1,000 or 1,024 bytes, and so on up to terabytes. */
const BYTES_TOLERANCE = 0.1;
/** Read from one text; all pairs are compared. */
const QUANTITIES_MAX = 100;

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
/** Without first and second, which have other meanings. */
const ORDINALS =
  'third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const SMALL: ReadonlyMap<string, number> = new Map([
  ...ONES.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, at) => [word, (at + 2) * 10] as const),
  ...ORDINALS.map((word, at) => [word, at + 3] as const),
  ['dozen', 12],
  ['half', 0.5],
  ['once', 1],
  ['twice', 2],
  ['thrice', 3],
]);
const MULTIPLIERS: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['mn', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
  ['trillion', 1e12],
]);

/** Words of a unit, its dimension and its size in the base unit. */
const UNITS: readonly (readonly [words: string, dimension: string, size: number])[] = [
  ['second seconds sec secs s', 'time', 1],
  ['minute minutes min mins', 'time', 60],
  ['hour hours hr hrs h', 'time', 3_600],
  ['day days daily', 'time', 86_400],
  ['week weeks weekly fortnight', 'time', 604_800],
  ['month months monthly', 'months', 1],
  ['year years yr yrs annual annually yearly', 'months', 12],
  ['decade decades', 'months', 120],
  ['century centuries', 'months', 1_200],
  ['mm millimeter millimeters millimetre millimetres', 'length', 1e-3],
  ['cm centimeter centimeters centimetre centimetres', 'length', 1e-2],
  ['m meter meters metre metres', 'length', 1],
  ['km kilometer kilometers kilometre kilometres', 'length', 1e3],
  ['mile miles mi', 'length', 1_609.344],
  ['foot feet ft', 'length', 0.3048],
  ['inch inches', 'length', 0.0254],
  ['mg milligram milligrams', 'mass', 1e-3],
  ['g gram grams', 'mass', 1],
  ['kg kilo kilos kilogram kilograms', 'mass', 1e3],
  ['tonne tonnes ton tons', 'mass', 1e6],
  ['lb lbs pound-mass', 'mass', 453.59237],
  ['ml milliliter milliliters millilitre millilitres', 'volume', 1e-3],
  ['l liter liters litre litres', 'volume', 1],
  ['byte bytes', 'bytes', 1],
  ['kb kilobyte kilobytes', 'bytes', 1e3],
  ['mb megabyte megabytes', 'bytes', 1e6],
  ['gb gigabyte gigabytes', 'bytes', 1e9],
  ['tb terabyte terabytes', 'bytes', 1e12],
  ['percent % pct', '', 0.01],
  ['watt watts w', 'power', 1],
  ['kw kilowatt kilowatts', 'power', 1e3],
  ['mw megawatt megawatts', 'power', 1e6],
  ['celsius °c c', 'celsius', 1],
  ['fahrenheit °f f', 'fahrenheit', 1],
];
const UNIT_OF = new Map(
  UNITS.flatMap(([words, dimension, size]) =>
    words.split(' ').map((word) => [word, { dimension, size }] as const),
  ),
);

const TOKENS = /\d+(?:[.,]\d+)*|[\p{L}°]+|%/gu;
/** As `3 pm`, `15:00`: minutes since midnight. */
const CLOCK = /\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|\b([01]?\d|2[0-3]):([0-5]\d)\b/gi;
const CENTURY = new RegExp(`\\b(?:(\\d{1,2})(?:st|nd|rd|th)|(${ORDINALS.join('|')}))[ -]century\\b`, 'gi');
const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})\b/g;

/** Returns the quantities in order, and the words that they consist of, in lower case. */
export function quantitiesIn(text: string): {
  readonly found: readonly Quantity[];
  readonly words: ReadonlySet<string>;
} {
  const found: Quantity[] = [];
  const words = new Set<string>();
  const rest = text
    .toLowerCase()
    .replace(CLOCK, (_, hour, minute, half, hour24, minute24) => {
      const hours = half === undefined ? Number(hour24) : (Number(hour) % 12) + (half === 'p' ? 12 : 0);
      const value = hours * 60 + Number(minute24 ?? minute ?? 0);
      found.push({ value, dimension: 'clock', digits: 4 });
      return ' ; ';
    })
    .replace(CENTURY, (_, digits, word) => {
      const value = digits === undefined ? ORDINALS.indexOf(word) + 3 : Number(digits);
      found.push({ value, dimension: 'century', digits: 2 });
      return ' ; ';
    })
    .replace(ISO_DATE, spelled)
    .toLowerCase();
  const tokens = rest.match(TOKENS) ?? [];
  for (let at = 0; at < tokens.length; ) {
    const read = readNumber(tokens, at);
    if (read === null) at += 1;
    else {
      found.push(read.quantity);
      for (const token of tokens.slice(at, read.end)) words.add(token);
      at = read.end;
    }
  }
  return { found: found.slice(0, QUANTITIES_MAX), words };
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Spells the months of dates like 2027-12-31, so that they are words as in other dates. */
export function withSpelledMonths(text: string): string {
  return text.replace(ISO_DATE, spelled);
}

function spelled(_: string, year: string, month: string, day: string): string {
  return ` ${Number(year)} ${MONTHS[Number(month) - 1] ?? ''} ${Number(day)} `;
}

/** True when both say the same, one of them perhaps more roughly. */
export function isSameQuantity(a: Quantity, b: Quantity): boolean {
  if (a.dimension === 'century' || b.dimension === 'century') return centuryOf(a) === centuryOf(b);
  if (a.dimension !== b.dimension && a.dimension !== '' && b.dimension !== '') return false;
  const difference = Math.abs(a.value - b.value);
  const size = Math.max(Math.abs(a.value), Math.abs(b.value));
  if (difference <= size * EXACT) return true;
  if (a.dimension === '' || b.dimension === '' || a.dimension === 'clock') return false;
  if (a.dimension === 'bytes' && difference <= size * BYTES_TOLERANCE) return true;
  const digits = Math.min(a.digits, b.digits);
  return digits >= ROUNDED_DIGITS_MIN && difference <= size * 10 ** -digits * 5;
}

/** Of a century, or of a year in it. */
function centuryOf({ value, dimension }: Quantity): number {
  return dimension === 'century' ? value : Math.ceil(value / 100);
}

function readNumber(tokens: readonly string[], from: number) {
  let end = from;
  let value: number | null = null;
  let digits = 1;
  for (; end < tokens.length; end++) {
    const token = tokens[end] ?? '';
    const part = numberOf(token);
    const times = MULTIPLIERS.get(token);
    if (value !== null && times !== undefined) value *= times;
    else if (value === null && part !== null) {
      value = part;
      digits = significantDigits(token);
    } else if (value !== null && part !== null && isTens(tokens[end - 1]) && part > 0 && part < 10)
      value += part;
    else if (
      !(
        value !== null &&
        token === 'and' &&
        MULTIPLIERS.has(tokens[end - 1] ?? '') &&
        numberOf(tokens[end + 1] ?? '') !== null
      )
    )
      break;
    else {
      value += numberOf(tokens[end + 1] ?? '') ?? 0;
      end += 1;
    }
  }
  if (value === null) return null;
  if (/^degrees?$/.test(tokens[end] ?? '')) end += 1;
  const unit = UNIT_OF.get(tokens[end] ?? '');
  // 1,500,000 has two digits that count, however it is written.
  const quantity = {
    value: value * (unit?.size ?? 1),
    dimension: unit?.dimension ?? '',
    digits,
  };
  return { quantity, end: unit === undefined ? end : end + 1 };
}

/** Digits without the zeros around them, at least 1. By loops: a pattern for trailing zeros takes quadratic time. */
function significantDigits(token: string): number {
  const digits = token.replace(/\D/g, '');
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return Math.max(1, end - start);
}

function isTens(token: string | undefined): boolean {
  return TENS.split(' ').includes(token ?? '');
}

function numberOf(token: string): number | null {
  const word = SMALL.get(token);
  if (word !== undefined) return word;
  if (!/^\d/.test(token)) return null;
  // A comma before three digits groups thousands; any other separates decimals.
  return (
    Number(token.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(',', '.')) || (/^[0.,]+$/.test(token) ? 0 : null)
  );
}
