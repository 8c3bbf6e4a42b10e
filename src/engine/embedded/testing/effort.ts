// How much work a test does: little every day, all of it in the long form (`npm run test:long`).

const isLong = process.env.PINYON_TESTS === 'long';

/** What fits the run. */
export function effort<T>({ daily, long }: { readonly daily: T; readonly long: T }): T {
  return isLong ? long : daily;
}

/** Every pair of the two lists in the long form; every day so many that each member of both has its turn. */
export function pairs<A, B>(as: readonly A[], bs: readonly B[]): readonly (readonly [A, B])[] {
  const all = as.flatMap((a, i) => bs.map((b, j) => ({ pair: [a, b] as const, i, j })));
  const isTurn = ({ i, j }: { readonly i: number; readonly j: number }) =>
    as.length < bs.length ? i === j % as.length : j === i % bs.length;
  return all.filter((each) => isLong || isTurn(each)).map(({ pair }) => pair);
}
