// How much work a test does: little in the everyday form, all of it in the long form (`npm run test:long`).

const isLong = process.env.PINYON_TESTS === 'long';

/** The value for the current form. */
export function effort<T>({ daily, long }: { readonly daily: T; readonly long: T }): T {
  return isLong ? long : daily;
}

/** Every pair of the two lists in the long form; otherwise enough pairs that each member of both is used. */
export function pairs<A, B>(as: readonly A[], bs: readonly B[]): readonly (readonly [A, B])[] {
  const all = as.flatMap((a, i) => bs.map((b, j) => ({ pair: [a, b] as const, i, j })));
  const isTurn = ({ i, j }: { readonly i: number; readonly j: number }) =>
    as.length < bs.length ? i === j % as.length : j === i % bs.length;
  return all.filter((each) => isLong || isTurn(each)).map(({ pair }) => pair);
}
