// Takes the long lists of numbers out of JSON text: into 32-bit floats, with a mark left in the place of each.
import { spaceEnd, stringEnd } from './grammar';
import { NO_NUMBER, readNumber } from './number';

/** Shorter lists stay: a mark would not be shorter, and reading it no faster. */
const LIST_NUMBERS_MIN: usize = 16;
const MARK_BYTES: i32 = 18;

const mark: usize = memory.data(MARK_BYTES);
let lists: u32 = 0;

/** Where the mark is to be written once: a JSON string of MARK_BYTES bytes, quotes included. */
export function markAddress(): usize {
  return mark;
}

/** From here on memory is the caller's. */
export function freeAddress(): usize {
  return (__heap_base + 15) & ~15;
}

/** How many lists the last call of `takeLists` took. */
export function listCount(): u32 {
  return lists;
}

/**
 * Takes the lists that `depth` brackets enclose out of the text from `start` to `end`, in place. Behind the text must be 64
 * bytes of no digit, bracket or comma. Their numbers go to `floats`, one list after another, their lengths to
 * `lengths` (u32 each). Lists with anything but finite numbers stay, and text that is not JSON stays no JSON.
 * @returns where the text ends now
 */
export function takeLists(start: usize, end: usize, depth: i32, lengths: usize, floats: usize): usize {
  let open = 0;
  let kept = start;
  let to = start;
  lists = 0;
  for (let at = start; at < end; ) {
    const byte = load<u8>(at++);
    if (byte == 0x22) at = stringEnd(at, end);
    else if (byte == 0x5d || byte == 0x7d) open--;
    else if (byte == 0x7b) open++;
    else if (byte == 0x5b) {
      open++;
      if (open != depth + 1) continue;
      const list = readList(at, floats);
      if (list == 0) continue;
      to = keep(kept, at - 1, to);
      memory.copy(to, mark, MARK_BYTES);
      to += MARK_BYTES;
      store<u32>(lengths + (<usize>lists << 2), <u32>((listFloats - floats) >> 2));
      floats = listFloats;
      lists++;
      open--;
      kept = at = list;
    }
  }
  return keep(kept, end, to);
}

function keep(from: usize, end: usize, to: usize): usize {
  if (to != from) memory.copy(to, from, end - from);
  return to + (end - from);
}

let listFloats: usize = 0;

/**
 * Reads a list from behind its bracket.
 * @returns where it ends, and in `listFloats` where its floats do; 0 when it is none to take
 */
function readList(at: usize, floats: usize): usize {
  const first = floats;
  for (;;) {
    at = spaceEnd(at);
    at = readNumber(at, floats);
    if (at == NO_NUMBER) return 0;
    floats += 4;
    if (load<u8>(at) != 0x2c) at = spaceEnd(at);
    const byte = load<u8>(at++);
    if (byte == 0x2c) continue;
    if (byte != 0x5d || floats - first < LIST_NUMBERS_MIN << 2) return 0;
    listFloats = floats;
    return at;
  }
}
