// Extracts long lists of numbers from JSON text as 32-bit floats, and replaces each by a marker.
import { spaceEnd, stringEnd } from './grammar';
import { NO_NUMBER, readNumber } from './number';

/** Shorter lists stay: a marker would not be shorter, nor faster to read. */
const LIST_NUMBERS_MIN: usize = 16;
const MARK_BYTES: i32 = 18;

const mark: usize = memory.data(MARK_BYTES);
let lists: u32 = 0;

/** Address of the marker, which the caller writes once: a JSON string of MARK_BYTES bytes, quotes included. */
export function markAddress(): usize {
  return mark;
}

/** Memory from here on belongs to the caller. */
export function freeAddress(): usize {
  return (__heap_base + 15) & ~15;
}

/** The number of lists that the last call of `takeLists` extracted. */
export function listCount(): u32 {
  return lists;
}

/**
 * Extracts the lists at nesting `depth` from the text between `start` and `end`, in place. The text must be followed
 * by 64 bytes without digits, brackets or commas. Writes the numbers of all lists to `floats` and their lengths to
 * `lengths` (u32 each). Lists that contain anything but finite numbers stay, and invalid JSON remains invalid.
 * @returns the new end of the text
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
 * Reads a list that starts after its bracket.
 * @returns its end, and in `listFloats` the end of its floats; 0 when the list stays
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
