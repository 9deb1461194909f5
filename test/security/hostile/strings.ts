/** Texts that cost their readers much, where a pattern, a parser or `normalize` takes time that grows faster than the text. */
import * as fc from 'fast-check';

/** As long as a text of a message may be. */
export const longest = 65_536;

const marks = [
  ';',
  ':',
  '\\',
  ',',
  '.',
  ')',
  ']',
  '(',
  '[',
  '<',
  ' ',
  '\n',
  '\u0000',
  // Combining marks out of order, a Devanagari sign, a byte order mark.
  '\u0315\u0300',
  '\u0900',
  '\uFEFF',
];

export interface Hostile {
  readonly name: string;
  /** The run of characters, as long as it says. */
  of(length: number): string;
  /** A run alone and one behind `head`, where that means something, together as long as it says. */
  text(length: number, head?: string): string;
}

const hostile = (unit: string): Hostile => {
  // What follows the run keeps patterns with `$` from ending at it.
  const of = (length: number): string => `${unit.repeat(Math.ceil((length - 1) / unit.length)).slice(0, length - 1)}x`;
  const made = new Map<string, string>();
  const text = (length: number, head = 'http://x.co/'): string => {
    const half = Math.floor((length - head.length - 1) / 2);
    const known = made.get(`${length} ${head}`) ?? `${of(half)}\n${head}${of(half)}`;
    made.set(`${length} ${head}`, known);
    return known;
  };
  return { name: JSON.stringify(unit), of, text };
};

/** Others each time; the name of a run has all that is needed to see a failure again. */
const strings = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), 3);

export const hostiles: readonly Hostile[] = [...marks, ...strings].map(hostile);
/** One with which nothing begins. */
export const harmless: Hostile = hostile('a');
