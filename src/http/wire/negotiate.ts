/** Content negotiation by `Accept` (RFC 9110, section 12.5.1). */

interface Range {
  readonly type: string;
  readonly quality: number;
}

const rangesOf = (accept: string): readonly Range[] =>
  accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    return { type, quality: Number.isFinite(quality) ? quality : 0 };
  });

const covers = (range: string, type: string): boolean =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

/** The offered type that the caller likes best, the first of equals; null when there is no header or nothing fits. */
export const preferredType = (accept: string | undefined, offered: readonly string[]): string | null => {
  if (accept === undefined) return null;
  const ranges = rangesOf(accept);
  let best: { readonly type: string; readonly quality: number } | null = null;
  for (const type of offered) {
    const exact = ranges.find((range) => range.type === type);
    const quality = exact?.quality ?? Math.max(0, ...ranges.filter((r) => covers(r.type, type)).map((r) => r.quality));
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? null;
};
