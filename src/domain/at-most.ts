/** Options of an `LRUCache` of at most so many entries, which grows as they come: with `max` it would allocate arrays of that length at once. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
