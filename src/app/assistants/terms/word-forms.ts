// Forms of words that no stemmer joins: irregular verbs and plurals of English, compared as one term.
import { questionTerms, termList } from './analyze.ts';

/** Each line has the forms of one word. Forms that are also common words of their own (`saw`, `left`, `lay`) are left out. */
const FORMS = `
  arise arose arisen
  awake awoke awoken
  bear bore borne
  become became
  begin began begun
  bend bent
  bind bound
  bite bit bitten
  blow blew blown
  break broke broken
  breed bred
  bring brought
  build built
  burn burnt
  buy bought
  catch caught
  choose chose chosen
  come came
  creep crept
  deal dealt
  dig dug
  draw drew drawn
  dream dreamt
  drink drank drunk
  drive drove driven
  eat ate eaten
  fall fell fallen
  feed fed
  feel felt
  fight fought
  find found
  flee fled
  fly flew flown
  forbid forbade forbidden
  forget forgot forgotten
  freeze froze frozen
  grow grew grown
  hang hung
  hear heard
  hide hid hidden
  hold held
  keep kept
  know knew known
  lead led
  lend lent
  lose lost
  make made
  mean meant
  meet met
  pay paid
  ride rode ridden
  ring rang rung
  rise rose risen
  run ran
  say said
  seek sought
  sell sold
  send sent
  shake shook shaken
  shine shone
  shoot shot
  show shown
  shrink shrank shrunk
  sing sang sung
  sink sank sunk
  sit sat
  sleep slept
  slide slid
  speak spoke spoken
  spend spent
  spin spun
  stand stood
  steal stole stolen
  stick stuck
  strike struck
  swear swore sworn
  sweep swept
  swim swam swum
  swing swung
  take took taken
  teach taught
  tear tore torn
  tell told
  think thought
  throw threw thrown
  understand understood
  wear wore worn
  weave wove woven
  win won
  withdraw withdrew withdrawn
  write wrote written
  child children
  foot feet
  goose geese
  half halves
  index indices
  knife knives
  leaf leaves
  life lives
  man men
  matrix matrices
  mouse mice
  person people
  shelf shelves
  tooth teeth
  vertex vertices
  wife wives
  wolf wolves
  woman women
`;

const groups: readonly ReadonlySet<string>[] = FORMS.trim()
  .split('\n')
  .map((line) => new Set(termList(line)));
const groupOf = new Map(groups.flatMap((group) => [...group].map((term) => [term, group] as const)));

/** The term that stands for all forms of a word. */
export function baseOf(term: string): string {
  const [base = term] = groupOf.get(term) ?? [];
  return base;
}

/** All forms of a term, itself included: texts are stored with the forms that they have. */
export function formsOf(term: string): readonly string[] {
  return [...(groupOf.get(term) ?? [term])];
}

/** The terms of a text in order, with one term for all forms of a word. */
export function comparedTerms(text: string): string[] {
  return termList(text).map(baseOf);
}

/** The distinct terms of a question, as `comparedTerms` has them. */
export function comparedQuestion(text: string): ReadonlySet<string> {
  return new Set(Array.from(questionTerms(text), baseOf));
}
