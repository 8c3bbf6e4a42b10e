// A process that writes generations: path, first one, last one, and optionally the call at which it kills itself.

import { breakFiles, type Fault } from './faulty-disk.ts';
import { writeGeneration } from './generations.ts';

const [path = '', first = '', last = '', call, nth = '1'] = process.argv.slice(2);
if (call !== undefined) {
  const act = () => process.kill(process.pid, 'SIGKILL');
  breakFiles({ call: call as Fault['call'], nth: Number(nth), act });
}
for (let generation = Number(first); generation <= Number(last); generation++) {
  await writeGeneration(path, generation);
  process.stdout.write(`${generation}\n`);
}
