// Particles and endings in questions of scripts without spaces, where pairs of characters would join them to telling words.

const HAN = /\p{Script=Han}/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
const HANGUL_WORD = /\p{Script=Hangul}+/gu;
const ANY_UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;

/** Words of Chinese that bind or ask. */
const CHINESE = new Set(
  (
    '的 是 了 吗 呢 吧 谁 什么 时候 什么时候 什么样 怎么 怎样 怎么样 如何 哪 哪些 哪个 哪里 哪儿 多少 多 长 久 大 高 几 几点 几时 几个 几天 几年 几月 几号 几次 几种 几位 多大 多高 多远 多重 多快 ' +
    '为什么 为何 由 被 把 和 与 及 于 在 有 会 能 可以 应该 必须 需要 要 从 到 对 中 里 上 下 请 请问 一个 它 他 她 我 你 们 这 那 这个 ' +
    '那个 这些 那些 不 也 都 还 就 才 让 使 将 以 用 其 之 或 而 且 并'
  ).split(' '),
);
/** Words of Japanese that bind or ask and are not all in hiragana. */
const JAPANESE = new Set('何 何時 何度 何人 何年 誰 幾 幾ら 場合 時 事 方 為 後 前 中 内 的'.split(' '));
/** Endings of Korean words: particles of nouns and endings of questions, longest first. */
const KOREAN =
  /(?:(?:입|습|합|됩)니까|하나요|되나요|인가요|하는가|되는가|는가요?|나요|인가|한가요?|은가요?|을까요?|에게서|에서는|에서|에게|한테|으로|부터|까지|마다|처럼|보다|이나|하고|해야|해서|하면|이며|이고|은|는|이|가|을|를|에|의|로|와|과|도|만|들)$/u;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const japanese = new Intl.Segmenter('ja', { granularity: 'word' });

/** The question with a space in the place of each particle and ending. */
export function withoutParticles(question: string): string {
  return wordsOf(question).join('');
}

/**
 * Pairs of characters that end one word and begin the next: texts with both words may lack them. A word that the
 * dictionary does not know is divided into single characters, so these make no such pair.
 */
export function bridgesOf(question: string): ReadonlySet<string> {
  const words = wordsOf(question).map((word) => (ANY_UNSPACED.test(word) ? [...word] : []));
  const within = new Set(words.flatMap((word) => word.slice(1).map((each, at) => `${word[at]}${each}`)));
  const across = words.slice(1).flatMap((word, at) => {
    const before = words[at] ?? [];
    return before.length > 1 && word.length > 1 ? [`${before.at(-1)}${word[0]}`] : [];
  });
  return new Set(across).difference(within);
}

/** The words of a question in order, a space in the place of each particle and ending. */
function wordsOf(question: string): readonly string[] {
  const text = question.normalize('NFKC').replace(HANGUL_WORD, (word) => `${word.replace(KOREAN, '')} `);
  if (!HAN.test(text) && !KANA.test(text)) return [text];
  const isJapanese = KANA.test(text);
  const binds = (word: string): boolean =>
    isJapanese ? HIRAGANA.test(word) || JAPANESE.has(word) : CHINESE.has(word);
  return Array.from((isJapanese ? japanese : segmenter).segment(text), ({ segment }) =>
    ANY_UNSPACED.test(segment) && binds(segment) ? ' ' : segment,
  );
}
