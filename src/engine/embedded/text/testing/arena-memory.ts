// Memory of a text index for tests: an arena of its own that grows, and nothing is given back.
import { Arena } from '../../memory/arena.ts';
import type { TextMemory } from '../layout.ts';

export const newArena = (): Arena =>
  new Arena(new WebAssembly.Memory({ initial: 2, maximum: 4_096, shared: true }));

export function arenaMemory(arena: Arena): TextMemory {
  return {
    frames: (count) => arena.grow(count) ?? 0,
    block: () => arena.grow(1) ?? 0,
    epochs: { advance: () => 0, oldestPinned: () => 0 },
    retire: () => {},
    words: (endByte) => arena.words(endByte),
    bytes: (endByte) => arena.bytes(endByte),
  };
}
