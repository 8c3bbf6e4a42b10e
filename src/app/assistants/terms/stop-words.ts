// Words that ask or bind and tell nothing about the matter of a question, by language.
import { hasStopWords, stopWordsOf } from '../../../domain/full-text/analysis/stop-words/lists.ts';
import { TEXT_LANGUAGES } from '../../../domain/full-text/text-analysis.ts';

/** English: also the words that questions begin with and that requests are made of. */
const ENGLISH =
  'a about all also am an and any are as at be been being but by can could define defined did do does doing explain for from give had has ' +
  'have having he her his how i if in into is it its just list many may me mean means meant much must my name no not of on one or ' +
  'our out over please shall she should show so some such tell than that the their them then there these they ' +
  'this those to too up us very was we were what when where which while who whom whose why will with would you your';
/** Words that ask, of Latin languages whose lists lack them. */
const LATIN_ASKING =
  'wann warum wer wem wen wessen womit wozu woher wohin wofür wovon wodurch woran worauf woraus worum wobei wonach wovor worüber ' +
  'worunter wieso weshalb inwiefern wieviel wieviele gibt ' +
  'combien comment pourquoi quand quel quelle quels quelles où faut fait faire ' +
  'cuánto cuánta cuántos cuántas cuál cuáles cómo dónde cuándo quién quiénes hace hacer falta ' +
  'quanto quanta quanti quante quale quali dove chi perché cosa quantos quantas qual quais onde quem porque ' +
  'hoe waar wanneer waarom wie welk welke hoeveel';
/** Languages without spaces: pairs of characters, of words that ask or bind. */
const CHINESE =
  '什么 是什 么是 怎么 怎样 么样 如何 哪些 哪个 哪里 多少 为什 是否 可以 有什 在哪 是多 的是 了什 请问';
const ARABIC =
  'ما ماذا من هل كم كيف اين أين متى لماذا في على الى إلى عن هو هي هذا هذه ذلك يكون تكون كان كانت التي الذي أن ان و';
const PERSIAN =
  'چه چیست کیست کسی چقدر چگونه کجا کی کدام آیا چند چرا در به از با که را است این آن و برای می شود کرد';
const RUSSIAN =
  'сколько почему зачем служит предназначен предназначена какой какая какое какие каким каких какого чей чья чьи чьих кем который которая';
const KOREAN = '무엇 엇인 인가 가요 입니 니까 어떻 떻게 어디 언제 누구 누가 얼마 하는 나요 습니 까요';

const others = new Set([
  ...ENGLISH.split(' '),
  ...CHINESE.split(' '),
  ...ARABIC.split(' '),
  ...PERSIAN.split(' '),
  ...KOREAN.split(' '),
  ...RUSSIAN.split(' '),
]);
const latinAsking = new Set(LATIN_ASKING.split(' '));
const LATIN = TEXT_LANGUAGES.filter(
  (language) => hasStopWords(language) && language !== 'en' && language !== 'ru',
);
const HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** Tells which of the words of a question bind or ask. @param words in lower case */
export function stopWordsAmong(words: readonly string[]): (word: string) => boolean {
  const lists = [others, ...(hasStopWords('ru') ? [stopWordsOf('ru')] : [])];
  const tongue = languageOf(words);
  if (tongue !== null) lists.push(tongue);
  // A short question may have no other word of its language.
  if (tongue !== null || !words.some((word) => others.has(word))) lists.push(latinAsking);
  return (word) => HIRAGANA.test(word) || lists.some((list) => list.has(word));
}

/** The list of the Latin language with more of the words than English has. */
function languageOf(words: readonly string[]): ReadonlySet<string> | null {
  const count = (list: ReadonlySet<string>): number => words.filter((word) => list.has(word)).length;
  let best: ReadonlySet<string> | null = null;
  let most = count(others);
  for (const language of LATIN) {
    const list = hasStopWords(language) ? stopWordsOf(language) : null;
    if (list !== null && count(list) > most) [best, most] = [list, count(list)];
  }
  return best;
}
