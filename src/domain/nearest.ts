/** The closest known name to a mistyped one, by edit distance relative to length. */

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
};

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** `far`: 0 for the same name, 1 without a common letter. */
export const nearest = (
  name: string,
  known: readonly string[],
): { readonly candidate: string; readonly far: number } => {
  const wanted = plain(name.slice(0, 64));
  const ranked = known.map((candidate) => ({
    candidate,
    far: distance(wanted, plain(candidate)) / Math.max(wanted.length, plain(candidate).length),
  }));
  return ranked.reduce((best, next) => (next.far < best.far ? next : best));
};

export const nearestName = (name: string, known: readonly string[]): string => nearest(name, known).candidate;
