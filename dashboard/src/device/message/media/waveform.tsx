/** The loudness of a recording as bars; those that were played are coloured. */

const bars = 40;
const height = 24;

/** The loudest value of each bar; a flat line where there are none. */
const heightsOf = (loudness: readonly number[]): readonly number[] =>
  Array.from({ length: bars }, (_, bar) => {
    const start = Math.floor((bar * loudness.length) / bars);
    const end = Math.max(start + 1, Math.floor(((bar + 1) * loudness.length) / bars));
    return Math.max(2, (Math.max(0, ...loudness.slice(start, end)) / 100) * height);
  });

/** `played`: 0 to 1. */
export const Waveform = ({ loudness, played }: { readonly loudness: readonly number[]; readonly played: number }) => (
  <svg viewBox={`0 0 ${bars * 4} ${height}`} preserveAspectRatio="none" aria-hidden="true">
    {heightsOf(loudness).map((tall, bar) => (
      <rect
        key={bar}
        className={bar / bars < played ? 'played' : ''}
        x={bar * 4 + 0.5}
        y={(height - tall) / 2}
        width={3}
        height={tall}
        rx={1.5}
      />
    ))}
  </svg>
);
