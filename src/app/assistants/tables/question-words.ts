// The words by which questions in English and German ask for counts, sums and rows of tables.

export type Language = 'en' | 'de';
export type Operation = 'count' | 'sum' | 'average' | 'least' | 'greatest' | 'list';
export type Comparison = '>' | '>=' | '<' | '<=' | '=';

export interface QuestionToken {
  /** In lower case. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** All in capitals, as codes are: `DE`, `IN`. */
  readonly isCode: boolean;
}

const TOKEN =
  /\d+(?:[.,]\d+)*|[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}\d]+|_[\p{L}\p{M}\d_]+|\d+)*|[$€£%<>=]+|[^\s?!.,;:"'“”„‚‘’()]/gu;

export function tokensOf(question: string): readonly QuestionToken[] {
  const isShouted = !/\p{Ll}/u.test(question);
  return Array.from(question.matchAll(TOKEN), ({ 0: text, index }) => ({
    word: text.toLowerCase(),
    start: index,
    end: index + text.length,
    isCode: !isShouted && text.length > 1 && /^\p{Lu}+$/u.test(text),
  }));
}

type Phrases<Meaning> = readonly (readonly [meaning: Meaning, language: Language, phrases: string])[];

/** In each entry, phrases separated by commas. */
export const OPERATIONS: Phrases<Operation> = [
  ['count', 'en', 'how many, total number of, number of, count of, count the, count'],
  ['count', 'de', 'wie viele, wieviele, anzahl der, anzahl von, die anzahl, anzahl'],
  ['sum', 'en', 'sum of, sum, total of, total sum of, total, in total, altogether, add up'],
  ['sum', 'de', 'summe der, summe von, summe, gesamtsumme, insgesamt, gesamter, gesamte, zusammen'],
  ['average', 'en', 'average, mean, on average'],
  [
    'average',
    'de',
    'durchschnitt, im durchschnitt, durchschnittliche, durchschnittlicher, durchschnittlichen, mittelwert, im mittel, im schnitt',
  ],
  ['least', 'en', 'lowest, least, smallest, minimum, minimal, fewest'],
  [
    'least',
    'de',
    'niedrigste, niedrigsten, niedrigster, kleinste, kleinsten, kleinster, geringste, geringsten, minimum, minimale',
  ],
  ['greatest', 'en', 'highest, greatest, largest, biggest, maximum, maximal'],
  ['greatest', 'de', 'höchste, höchsten, höchster, größte, größten, größter, maximum, maximale'],
  ['list', 'en', 'which, list, show'],
  ['list', 'de', 'welche, welcher, welches, liste, zeige, zeig, nenne'],
];

export const COMPARISONS: Phrases<Comparison> = [
  [
    '>',
    'en',
    'over, above, more than, greater than, higher than, larger than, exceeding, exceeds, exceed, >',
  ],
  ['>=', 'en', 'at least, no less than, not less than, minimum of, >='],
  ['<', 'en', 'under, below, less than, fewer than, lower than, smaller than, <'],
  ['<=', 'en', 'at most, no more than, not more than, up to, maximum of, <='],
  ['=', 'en', 'exactly, equal to, equals, of exactly, ='],
  ['>', 'de', 'über, mehr als, größer als, höher als, oberhalb von'],
  ['>=', 'de', 'mindestens, wenigstens, nicht weniger als'],
  ['<', 'de', 'unter, weniger als, kleiner als, niedriger als, unterhalb von'],
  ['<=', 'de', 'höchstens, maximal, bis zu, nicht mehr als'],
  ['=', 'de', 'genau'],
];

/** Before a year. */
export const TIMES: Phrases<Comparison> = [
  ['=', 'en', 'in the year, in, during, from, of, for, year'],
  ['>', 'en', 'after'],
  ['>=', 'en', 'since'],
  ['<', 'en', 'before'],
  ['<=', 'en', 'until, up to, through'],
  ['=', 'de', 'im jahr, im jahre, in, aus, von, für, jahr, vom'],
  ['>', 'de', 'nach'],
  ['>=', 'de', 'seit, ab'],
  ['<', 'de', 'vor'],
  ['<=', 'de', 'bis'],
];

/** Before the first year of a range, which is otherwise the only year. */
export const RANGE_BEGINS = ['from', 'von', 'vom'];
/** Before the last year of a range, which is in it. */
export const RANGE_ENDS: Phrases<'<='> = [
  ['<=', 'en', 'to, until, up to, through'],
  ['<=', 'de', 'bis, bis zu'],
];
/** After a time, they make it the first of several. */
export const ONWARDS = words('on onward onwards forward forwards an ab aufwärts');

export const BETWEEN = ['between', 'zwischen'];
export const AND = ['and', 'und'];
/** They ask for different values. */
export const DISTINCT = words(
  'different distinct unique verschiedene verschiedenen unterschiedliche unterschiedlichen',
);

const MONTH_NAMES =
  'january/januar/jan february/februar/feb march/märz/mar april/apr may/mai june/juni/jun july/juli/jul august/aug september/sept/sep october/oktober/oct/okt november/nov december/dezember/dec/dez';
/** From 1. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  MONTH_NAMES.split(' ').flatMap((names, at) => names.split('/').map((name) => [name, at + 1] as const)),
);

/** Names of any row, table or column. */
export const GENERIC = words(
  'row rows record records entry entries line lines item table file sheet column columns field value values list data dataset ' +
    'zeile zeilen zeilenzahl datensatz datensätze datensätzen eintrag einträge einträgen tabelle datei blatt spalte spalten feld wert werte werten daten',
);

/** They say nothing that changes a number. Negations, `or`, `per` and `each` do, and are missing here. */
export const FILLERS = words(
  "a an the of in on at to for from with by is are was were be been has have had having do does did there that which who whose what what's where whats it its this these those their all any please tell me give we us our i you my and as " +
    'der die das den dem des ein eine einer eines einem einen von vom in im am an auf aus zu zum zur für mit ist sind war waren sein hat haben hatte hatten gibt es gab mir uns unser unsere unserer ich wir du sie bitte sag gib deren welche welcher welches was alle aller allen und als lautet beträgt betragen liegt liegen kommen stammen stehen steht',
);

/** Fillers that belong to the noun after them. */
export const DETERMINERS = words(
  'a an the all my our its their these those der die das den dem des ein eine einer eines einem einen alle aller allen unser unsere unserer',
);

/** Words and signs of units, by what cells and names of columns call them. */
export const UNITS: readonly ReadonlySet<string>[] = [
  words('euro euros eur €'),
  words('dollar dollars usd $'),
  words('pound pounds pfund gbp £'),
  words('franken chf francs'),
  words('percent prozent %'),
  words('kg kilo kilos kilogram kilograms kilogramm'),
  words('g gram grams gramm'),
  words('km kilometer kilometers kilometre kilometres kilometern'),
  words('m meter meters metre metres metern'),
  words('hour hours stunde stunden h'),
  words('minute minutes minuten min'),
  words('day days tag tage tagen'),
];
/** The first so many are currencies. */
export const CURRENCIES = 4;
export const MONEY_NAME =
  /amount|price|total|cost|value|revenue|sales|salary|fee|budget|turnover|income|payment|betrag|preis|kosten|summe|umsatz|gehalt|gebühr|erlös|wert/i;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
