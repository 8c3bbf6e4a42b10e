// A process that fills new memory from a snapshot with several threads, as a start does, and reports when it is done.
import '../../src/boot/runtime-flags.ts';
import { readHeader } from '../../src/engine/embedded/storage/derived-files/read-header.ts';
import { emptySample } from '../../src/engine/embedded/storage/derived-files/testing/sample.ts';
import { filledByThreads } from './threads.ts';

const [path = '', threads = '1'] = process.argv.slice(2);
const snapshot = readHeader(path);
if (!snapshot.usable) throw new Error(snapshot.detail);
await filledByThreads(snapshot, emptySample(snapshot.parts, 2), Number(threads));
process.stdout.write('filled\n');
