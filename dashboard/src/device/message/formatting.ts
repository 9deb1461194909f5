/** WhatsApp's marks in a text: `*bold*`, `_italic_`, `~struck~`, `` `code` ``, links and mentions. One pass, whatever somebody sends. */

export type Span =
  | string
  | { readonly kind: 'strong' | 'em' | 's'; readonly parts: readonly Span[] }
  | { readonly kind: 'code' | 'block' | 'link' | 'mention'; readonly text: string };

const kinds = { '*': 'strong', _: 'em', '~': 's' } as const;
type Mark = keyof typeof kinds;

const isMark = (character: string): character is Mark => character in kinds;

/** What follows is shown as it is: the page gets an element for each mark. */
const maxFormatted = 20_000;

/** What no mark begins or ends in. */
const atoms = /(```[^`]+```|`[^`\n]+`|@\d{5,20}|https?:\/\/[^\s<>"]+)/;
/** Punctuation at the end of a URL belongs to the sentence, and so do marks. */
const sentenceEnd = /(?<![.,;:!?'")\]*_~])[.,;:!?'")\]*_~]+$/;
const wordCharacter = /[\p{L}\p{N}]/u;
const space = /\s/;

/** A mark that waits for its end, and what follows it. */
interface Open {
  readonly mark: Mark;
  readonly parts: Span[];
}

class Reader {
  readonly #top: Span[] = [];
  /** At most one of each mark, the outermost first. */
  readonly #open: Open[] = [];

  add(span: Span): void {
    if (span !== '') (this.#open.at(-1)?.parts ?? this.#top).push(span);
  }

  /** Marks without an end are characters. */
  #giveUp(): void {
    const { mark, parts } = this.#open.pop()!;
    this.add(mark);
    for (const part of parts) this.add(part);
  }

  #begin(mark: Mark): void {
    this.#open.push({ mark, parts: [] });
  }

  #close(mark: Mark): void {
    while (this.#open.at(-1)?.mark !== mark) this.#giveUp();
    const { parts } = this.#open.pop()!;
    this.add({ kind: kinds[mark], parts });
  }

  end(): readonly Span[] {
    while (this.#open.length > 0) this.#giveUp();
    return this.#top;
  }

  /** `before` and `after`: the characters around the text. */
  read(text: string, before: string, after: string): void {
    let from = 0;
    for (const { index, 0: mark } of text.matchAll(/[*_~\n]/g)) {
      this.add(text.slice(from, index));
      from = index + 1;
      const [left, right] = [text[index - 1] ?? before, text[index + 1] ?? after];
      if (!isMark(mark)) this.end();
      const isOpen = this.#open.some((one) => one.mark === mark);
      const isEmpty = isOpen && this.#open.at(-1)?.mark === mark && this.#open.at(-1)?.parts.length === 0;
      if (isMark(mark) && isOpen && !isEmpty && !space.test(left) && !wordCharacter.test(right)) this.#close(mark);
      else if (isMark(mark) && !isOpen && /\S/.test(right) && !wordCharacter.test(left)) this.#begin(mark);
      else this.add(mark);
    }
    this.add(text.slice(from));
  }
}

export const spansOf = (text: string): readonly Span[] => {
  const reader = new Reader();
  const end =
    text.length > maxFormatted && text.codePointAt(maxFormatted - 1)! > 0xffff ? maxFormatted - 1 : maxFormatted;
  const pieces = text.slice(0, end).split(atoms);
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      // The end of a URL that is none of it.
      reader.read(piece, pieces[index - 1]?.at(-1) ?? '', pieces[index + 1]?.[0] ?? '');
    } else if (piece.startsWith('```')) {
      reader.add({ kind: 'block', text: piece.slice(3, -3) });
    } else if (piece.startsWith('`')) {
      reader.add({ kind: 'code', text: piece.slice(1, -1) });
    } else if (piece.startsWith('@')) {
      reader.add({ kind: 'mention', text: piece });
    } else {
      const url = piece.replace(sentenceEnd, '');
      reader.add({ kind: 'link', text: url });
      reader.read(piece.slice(url.length), url.at(-1) ?? '', pieces[index + 1]?.[0] ?? '');
    }
  }
  return [...reader.end(), text.slice(end)].filter((span) => span !== '');
};
