// Writes times, halves and failures of speech in the plain forms that comparing reads.

const HOURS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const HOUR = `(\\d{1,2}|${HOURS.join('|')})`;
const MINUTES: ReadonlyMap<string, number> = new Map([
  ['half past', 30],
  ['quarter past', 15],
  ['quarter to', -15],
]);
const PAST = new RegExp(`\\b(?:a )?(half past|quarter past|quarter to) ${HOUR}\\b`, 'gi');
/** `from 7 to 10 p.m.`, `between seven and ten in the morning`. */
const SPAN = new RegExp(
  `\\b(?:from |between )?${HOUR}(?: to | and | until | till |[-–])${HOUR} ?(?:(a|p)\\.?m\\b\\.?|in the (morning|afternoon|evening))`,
  'gi',
);
const DAYTIME = new RegExp(`\\b${HOUR}(?::(\\d{2}))?(?: o'clock)? in the (morning|afternoon|evening)`, 'gi');
const AND_A_HALF = /\b(?:an?|one) (?:and a half (\p{L}+)|(\p{L}+) and a half)\b/giu;
/** May is also a verb: as a month it stands beside a day or behind a preposition. */
const MAY =
  /\bMay(?=\s+\d)|(?<=\d(?:st|nd|rd|th)?(?: of)?\s)May\b|(?<=\b(?:in|since|until|by|from|to|of|during) )May\b/g;
const FAILED = /\bfail(?:s|ed|ing)? to\b/gi;

/** Texts without such forms stay as they are. */
export function withPlainForms(text: string): string {
  return text
    .replace(SPAN, (_, from, to, letter, daytime) => {
      const half = letter ?? (daytime === 'morning' ? 'a' : 'p');
      return `from ${hourOf(from)} ${half}.m. to ${hourOf(to)} ${half}.m. `;
    })
    .replace(PAST, (_, words, hour) => {
      const minutes = hourOf(hour) * 60 + (MINUTES.get(words.toLowerCase()) ?? 0);
      return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
    })
    .replace(DAYTIME, (_, hour, minutes = '00', daytime) => {
      return `${hourOf(hour)}:${minutes} ${daytime === 'morning' ? 'a' : 'p'}.m.`;
    })
    .replace(AND_A_HALF, '1.5 $1$2')
    .replace(MAY, 'Maytime')
    .replace(FAILED, 'not');
}

function hourOf(word: string): number {
  const at = HOURS.indexOf(word.toLowerCase());
  return at === -1 ? Number(word) : at + 1;
}
