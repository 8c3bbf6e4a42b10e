// Moments: dates and times of ISO 8601, as microseconds since 1970.

/** What is wrong with a text that should be a date or a time. */
export interface MomentError {
  /** Counted from 1. */
  readonly position: number;
  readonly expected: string;
}

const TEXT_CHARS_MIN = 10;
const TEXT_CHARS_MAX = 40;
const FRACTION_DIGITS_MAX = 9;
const MICROSECONDS_DIGITS = 6;
const MICROSECONDS_A_MILLISECOND = 1_000;
const MICROSECONDS_A_SECOND = 1_000_000;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The moments in a metadata value: those of a list's elements; none of other texts and values. */
export function momentsOf(value: unknown): readonly number[] {
  if (typeof value === 'string') {
    const moment = momentOf(value);
    return moment === null ? [] : [moment];
  }
  return Array.isArray(value) ? value.flatMap(momentsOf) : [];
}

/** The moment that a text tells; null when it is not in a form that `readMoment` takes. */
export function momentOf(text: string): number | null {
  // Most texts are no dates: two characters tell.
  if (text.length < TEXT_CHARS_MIN || text.length > TEXT_CHARS_MAX) return null;
  if (text[4] !== '-' || text[7] !== '-') return null;
  const moment = readMoment(text);
  return typeof moment === 'number' ? moment : null;
}

/** The same in whole milliseconds since 1970, as clocks tell; `Date.parse` takes 30 February for a day in March. */
export function millisecondsOf(text: string): number | null {
  const moment = momentOf(text);
  return moment === null ? null : Math.floor(moment / MICROSECONDS_A_MILLISECOND);
}

/**
 * Reads `YYYY-MM-DD`, or that with `T` or a space and `HH:MM`, seconds, a fraction of up to nine digits, and an offset:
 * `Z`, `+HH`, `+HH:MM` or `+HHMM`. Without an offset it is UTC; a date is its first moment. Years are 0000 to 9999, of
 * the Gregorian calendar. Digits below microseconds are dropped.
 */
export function readMoment(text: string): number | MomentError {
  const scanner = new MomentScanner(text);
  return scanner.read() ?? scanner.error;
}

class MomentScanner {
  readonly #text: string;
  #at = 0;
  #error: MomentError = { position: 1, expected: 'a date' };

  constructor(text: string) {
    this.#text = text;
  }

  get error(): MomentError {
    return this.#error;
  }

  /** Null after an error. */
  read(): number | null {
    const days = this.#date();
    if (days === null) return null;
    if (this.#at === this.#text.length) return days * 86_400 * MICROSECONDS_A_SECOND;
    if (!this.#take('Tt ')) return this.#fail('T, a space or the end');
    const time = this.#time();
    if (time === null) return null;
    const offset = this.#offset();
    if (offset === null) return null;
    if (this.#at < this.#text.length) return this.#fail('the end');
    return (days * 86_400 + time.seconds - offset) * MICROSECONDS_A_SECOND + time.microseconds;
  }

  /** Days since 1970. */
  #date(): number | null {
    const year = this.#number(4, 9_999, 'a year of four digits');
    if (year === null || !this.#require('-')) return null;
    const month = this.#number(2, 12, 'a month, 01 to 12', 1);
    if (month === null || !this.#require('-')) return null;
    const last = month === 2 && isLeap(year) ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0);
    const day = this.#number(2, last, `a day, 01 to ${last}`, 1);
    return day === null ? null : daysSince1970(year, month, day);
  }

  #time(): { readonly seconds: number; readonly microseconds: number } | null {
    const hours = this.#number(2, 23, 'hours, 00 to 23');
    if (hours === null || !this.#require(':')) return null;
    const minutes = this.#number(2, 59, 'minutes, 00 to 59');
    if (minutes === null) return null;
    const upToMinutes = (hours * 60 + minutes) * 60;
    if (!this.#take(':')) return { seconds: upToMinutes, microseconds: 0 };
    const seconds = this.#number(2, 59, 'seconds, 00 to 59');
    if (seconds === null) return null;
    const microseconds = this.#take('.,') ? this.#fraction() : 0;
    return microseconds === null ? null : { seconds: upToMinutes + seconds, microseconds };
  }

  #fraction(): number | null {
    const first = this.#at;
    while (this.#at - first < FRACTION_DIGITS_MAX && this.#isDigit()) this.#at++;
    if (this.#at === first) return this.#fail('digits of a second');
    const digits = this.#text.slice(first, Math.min(this.#at, first + MICROSECONDS_DIGITS));
    return Number(digits.padEnd(MICROSECONDS_DIGITS, '0'));
  }

  /** Seconds east of UTC. */
  #offset(): number | null {
    if (this.#at === this.#text.length || this.#take('Zz')) return 0;
    const sign = this.#take('+') ? 1 : this.#take('-') ? -1 : 0;
    if (sign === 0) return this.#fail('Z, an offset such as +02:00 or the end');
    const hours = this.#number(2, 23, 'hours of an offset, 00 to 23');
    if (hours === null) return null;
    const hasMinutes = this.#take(':') || this.#isDigit();
    const minutes = hasMinutes ? this.#number(2, 59, 'minutes of an offset, 00 to 59') : 0;
    return minutes === null ? null : sign * (hours * 60 + minutes) * 60;
  }

  #number(digits: number, max: number, expected: string, min = 0): number | null {
    const first = this.#at;
    let value = 0;
    for (let i = 0; i < digits; i++, this.#at++) {
      if (!this.#isDigit()) return this.#fail(expected);
      value = value * 10 + Number(this.#text[this.#at]);
    }
    if (value >= min && value <= max) return value;
    this.#at = first;
    return this.#fail(expected);
  }

  #isDigit(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    return code >= 48 && code <= 57;
  }

  #take(characters: string): boolean {
    const next = this.#text[this.#at];
    if (next === undefined || !characters.includes(next)) return false;
    this.#at++;
    return true;
  }

  #require(character: string): boolean {
    if (this.#take(character)) return true;
    this.#fail(`'${character}'`);
    return false;
  }

  #fail(expected: string): null {
    this.#error = { position: this.#at + 1, expected };
    return null;
  }
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Counts in years that begin in March, so that leap days come last. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + dayOfYear - 719_468;
}
