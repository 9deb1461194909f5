/** Styled text for the terminal. */

export type Style = 'good' | 'warn' | 'bad' | 'faint' | 'strong';

export interface Painted {
  readonly style: Style;
  readonly text: string;
}

export type Part = string | Painted;

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  faint: [2, 22],
  strong: [1, 22],
};

export const paint = (style: Style, text: string): Painted => ({ style, text });

export const plain = (part: Part): string => (typeof part === 'string' ? part : part.text);

/** Replaces control characters, so that foreign text cannot send escape sequences. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it removes
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

export const render = (parts: readonly Part[], colours: boolean): string =>
  parts
    .map((part) => {
      const text = printable(plain(part));
      if (!colours || typeof part === 'string') return text;
      const [begin, end] = codes[part.style];
      return `\u001b[${begin}m${text}\u001b[${end}m`;
    })
    .join('');

export const painted = (state: string): Part => {
  if (state === 'connected' || state === 'open') return paint('good', state);
  return paint(state === 'timeout' || state === 'closed' ? 'bad' : 'warn', state);
};
