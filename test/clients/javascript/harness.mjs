// Runs the tests of a driver in order and prints their results in the form that the command reads.

/** Each test is a named function; it fails by throwing. */
export async function runTests(tests) {
  let failed = false;
  for (const [name, test] of Object.entries(tests)) {
    let [outcome, message] = ['passed', ''];
    try {
      await test();
    } catch (error) {
      [outcome, message] = ['failed', String(error?.stack ?? error).slice(0, 800)];
      failed = true;
    }
    process.stdout.write(`\n@result ${JSON.stringify({ name, outcome, message })}\n`);
  }
  process.exit(failed ? 1 : 0);
}

/** A vector of three components that depends on the words of a text. */
export function embed(text) {
  const has = (word) => (text.toLowerCase().includes(word) ? 1 : 0);
  return [has('moon') + 0.1, has('bread') + 0.1, 0.1];
}

export const indexBody = {
  dimension: 3,
  metric: 'cosine',
  spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
  waitUntilReady: true,
};
