// Questions of one turn of the event loop, asked together: many small ones at a time cost one round trip.

export class GatheredCalls<Question, Answer> {
  readonly #askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting: { readonly questions: Question[]; readonly answers: Promise<readonly Answer[]> } | null = null;

  /** @param askAll answers in the order of the questions */
  constructor(askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#askAll = askAll;
  }

  /** @throws what `askAll` throws */
  async ask(question: Question): Promise<Answer> {
    this.#waiting ??= this.#gather();
    const { questions, answers } = this.#waiting;
    const at = questions.push(question) - 1;
    const answer = (await answers)[at];
    if (answer === undefined) throw new RangeError('fewer answers than questions');
    return answer;
  }

  #gather() {
    const questions: Question[] = [];
    const answers = Promise.resolve().then(() => {
      this.#waiting = null;
      return this.#askAll(questions);
    });
    return { questions, answers };
  }
}
