// Entry of a writer thread: steps back first, so that loading does not keep the serving thread from its start.
import { takePriority } from '../../platform/thread-priority.ts';

takePriority('writer');
await import('./serve-writes.ts');
