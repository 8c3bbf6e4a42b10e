// What kind of fact a question asks for, where its words tell: passages that have one are preferred.

/** Words that ask for a number or a time. */
const AMOUNT = new RegExp(
  [
    String.raw`\b(?:how (?:many|much|long|often|far|high|old|fast|big|large|heavy|wide|deep|thick)|when|which year|what (?:year|date|time|number|percentage|size))\b`,
    String.raw`\b(?:wann|wie ?viele?|wie (?:lange|hoch|oft|weit|alt|schnell|groß|schwer)|combien|quand|à quelle heure)\b`,
    '(?:cuánt[oa]s?|cuándo|сколько|когда|как (?:долго|часто|далеко))',
    '多少|几|多长|多久|什么时候|何年|何月|何時|何人|何度|いくつ|いくら|いつ|몇|얼마|언제',
    'كم|متى|چند|چقدر|کی ',
  ].join('|'),
  'iu',
);
const PERSON = /\b(?:who|whose|whom|wer|wem|wen|qui|quién(?:es)?)\b|(?:^|\s)(?:кто|кем|чьих|кому)(?:\s|$)/iu;

const NUMBER = /\p{N}|[一二三四五六七八九十百千万]/u;
/** A name within a sentence; other scripts have no capital letters. */
const NAME = /[\p{Ll},;)]\s+["“«]?\p{Lu}\p{Ll}/u;

/** Tells whether a text has a fact of the kind that a question asks for; null where its words tell no kind. */
export function askedKind(question: string): ((text: string) => boolean) | null {
  if (AMOUNT.test(question)) return (text) => NUMBER.test(text);
  if (PERSON.test(question)) return (text) => NAME.test(text);
  return null;
}
