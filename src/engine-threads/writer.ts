// Entry of a writer thread: steps back first, so that loading does not keep the serving thread from its start.
import { takePriority } from '../vectors/embedded/threads/thread-main.ts';

takePriority('writer');
await import('./serve-writes.ts');
