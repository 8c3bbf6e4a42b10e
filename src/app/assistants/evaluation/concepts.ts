// Words that say the same or the opposite, as far as a short table goes: judging by words needs the common ones.
import { stemOf } from '../content-words.ts';

/** One line a concept: words that affirm it, then, after a slash, words that deny it. */
const TABLE = `
rise rose risen rising increase grow grew grown climb gain gained higher raised raise / fall fell fallen falling decrease decline drop dropped shrink shrank sank sink lower lowered reduce reduced cut loss
allow permit permitted legal authorized allowed / forbid forbidden forbade prohibit prohibited ban banned illegal disallow
open opened / close closed shut
accept accepted approve approved agree agreed / reject rejected refuse refused deny denied decline declined
pass passed succeed succeeded success successful / fail failed failure unsuccessful
win won winner beat defeated victory / lose lost loser defeat
more greater larger bigger exceed exceeds most maximum / less fewer smaller least minimum
before earlier prior precede / after later following follow
true correct right / false incorrect wrong
safe harmless / dangerous unsafe harmful hazardous
possible able / impossible unable
required mandatory compulsory must necessary / optional voluntary unnecessary
free gratis complimentary / paid charged costs fee
cheap inexpensive / expensive costly dear
enable enabled activate activated / disable disabled deactivate deactivated
include included including contain contains / exclude excluded excluding
start began begin begun started commence commenced launch launched / end ended finish finished stop stopped cease ceased
buy bought purchase purchased acquire acquired acquisition / sell sold sale
arrive arrived arrival / depart departed departure leave
north northern / south southern
east eastern / west western
hot warm / cold cool
high tall / low short
fast quick rapid / slow
early / late
add added / remove removed delete deleted
build built construct constructed erect erected / destroy destroyed demolish demolished
alive living / dead died deceased
public / private
profit / deficit
strong / weak
large big huge / small little tiny
old ancient / new modern recent
first / last final
import imported / export exported
love loved / hate hated dislike
healthy / sick ill unhealthy
present available / absent unavailable
positive / negative
above over / below beneath underneath
uphold upheld confirm confirmed / overturn overturned overrule overruled
merge merged unite united / split divided
heavy / light
many / few
improve improved better best / worsen worsened worse worst
create createded establish established invent invented
write wrote written author authored
doctor physician
car automobile vehicle
employee staff worker
film movie
annual yearly
assist help aid
company firm corporation business
child kids children
large sizeable
refund reimburse reimbursement repay
guarantee warranty
cause caused trigger triggered
show display
keep kept retain retained
send sent ship shipped deliver delivered
illness disease
produced produce manufactured manufacture
located lies situated
called named known
`;

export interface Concept {
  readonly name: string;
  /** -1 for words that deny it. */
  readonly sign: 1 | -1;
}

const CONCEPTS = new Map<string, Concept>();
for (const line of TABLE.trim().split('\n')) {
  const [affirming = '', denying = ''] = line.split('/');
  const [name = ''] = affirming.split(' ');
  for (const [words, sign] of [
    [affirming, 1],
    [denying, -1],
  ] as const) {
    for (const word of words
      .trim()
      .split(/\s+/)
      .filter((each) => each !== '')) {
      if (!CONCEPTS.has(word)) CONCEPTS.set(word, { name, sign });
      if (!CONCEPTS.has(stemOf(word))) CONCEPTS.set(stemOf(word), { name, sign });
    }
  }
}

/** @param word in lower case */
export function conceptOf(word: string): Concept | undefined {
  return CONCEPTS.get(word) ?? CONCEPTS.get(stemOf(word));
}

export const NEGATORS: ReadonlySet<string> = new Set(
  "not no never none neither nor without cannot n't hardly nobody nothing nowhere isn't aren't wasn't weren't don't doesn't didn't won't can't couldn't shouldn't wouldn't hasn't haven't hadn't mustn't".split(
    ' ',
  ),
);
