// In-place sorting of a few entries.

/** Sorts `count` u64 at `entries`, least first. A Shell sort, because entries are few and often nearly sorted. */
export function sortEntries(entries: usize, count: i32): void {
  let gap = 1;
  while (3 * gap + 1 < count) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (let at = gap; at < count; at++) {
      const entry = load<u64>(entries + (<usize>at << 3));
      let to = at;
      for (; to >= gap; to -= gap) {
        const before = load<u64>(entries + (<usize>(to - gap) << 3));
        if (before <= entry) break;
        store<u64>(entries + (<usize>to << 3), before);
      }
      store<u64>(entries + (<usize>to << 3), entry);
    }
  }
}
