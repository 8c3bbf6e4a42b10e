// How much work a test does: little every day, all of it in the long form (`npm run test:long`).

const isLong = process.env.PINYON_TESTS === 'long';

/** What fits the run. */
export function effort<T>({ daily, long }: { readonly daily: T; readonly long: T }): T {
  return isLong ? long : daily;
}
