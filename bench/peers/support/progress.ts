// Tells on standard error what the benchmark is doing, and adds up how long its stages take.

const started = performance.now();
const stages = new Map<string, number>();

export function progress(what: string): void {
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(6)} s  ${what}\n`);
}

/** Runs a part of the benchmark; stages of the same name count together. */
export async function stage<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
  const began = performance.now();
  progress(name);
  try {
    return await work();
  } finally {
    const seconds = (performance.now() - began) / 1000;
    stages.set(name, (stages.get(name) ?? 0) + seconds);
    progress(`${name}: took ${seconds.toFixed(0)} s`);
  }
}

/** Seconds of every stage so far. */
export function stageSeconds(): readonly (readonly [name: string, seconds: number])[] {
  return [...stages];
}
