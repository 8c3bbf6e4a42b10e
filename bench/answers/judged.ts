// Judges an answer: whether it holds what it should, cites the right page, and says when nothing answers.
import type { FoundSnippet, Reply } from './assistant.ts';
import type { Question } from './questions.ts';

/** How a built-in answer begins that does not claim to answer. */
const TOLD = /^(?:No passage|There are no files|The files do not contain)/;

export interface Judged {
  readonly question: Question;
  readonly reply: Reply;
  /** The answer holds what it should and cites a right page. */
  readonly isRight: boolean;
  /** Its first citation is a right page. */
  readonly isFirst: boolean;
  /** A right page is among the snippets of the context. */
  readonly isFound: boolean;
  /** It says that no passage answers. */
  readonly isTold: boolean;
}

export function judged(question: Question, reply: Reply, snippets: readonly FoundSnippet[]): Judged {
  const { file, pages, holds = '' } = question;
  const isPlace = (reference: FoundSnippet['reference'] | undefined): boolean =>
    reference?.file.name === file &&
    (pages === undefined || (reference?.pages ?? []).some((page) => pages.includes(page)));
  const isRight = condensed(reply.content).includes(condensed(holds)) && reply.references.some(isPlace);
  return {
    question,
    reply,
    isRight: file !== undefined && isRight,
    isFirst: file !== undefined && isRight && isPlace(reply.references[0]),
    isFound: snippets.some(
      ({ content, reference }) => isPlace(reference) && condensed(content).includes(condensed(holds)),
    ),
    isTold: TOLD.test(reply.content),
  };
}

function condensed(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}
