// Says how far a long crash test has come, for who watches it; the everyday form is over too soon to say anything.

const CYCLES_BETWEEN = 10;

/** `cycle` counts from 0, and is done. */
export function tellOfCycle(cycle: number): void {
  if ((cycle + 1) % CYCLES_BETWEEN === 0) process.stderr.write(`${cycle + 1} kills survived\n`);
}
