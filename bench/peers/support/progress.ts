// Tells on standard error what the benchmark is doing.

const started = performance.now();

export function progress(what: string): void {
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(6)} s  ${what}\n`);
}
