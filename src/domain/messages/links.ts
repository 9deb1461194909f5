/** The first link of a text. */

/** Marks that end a sentence, and belong to no link that they stand behind. */
const closing = new Set('.,;:!?\'"»›>*_~');
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const count = (text: string, mark: string): number => text.split(mark).length - 1;

/** A bracket stays where the link itself has opened it. */
const isOutside = (link: string): boolean => {
  const last = link.at(-1)!;
  const opening = brackets[last];
  return closing.has(last) || (opening !== undefined && count(link, last) > count(link, opening));
};

/** As it stands in the text, with `http` or `https`; null where there is none. */
export const firstLink = (text: string): string | null => {
  let link = /\bhttps?:\/\/[^\s<]+/i.exec(text)?.[0] ?? '';
  while (link !== '' && isOutside(link)) link = link.slice(0, -1);
  return link.length <= 2_048 && URL.canParse(link) ? link : null;
};
