/** Links in texts, and the title, text and picture named by a page. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  readonly picture: string | null;
}

const maxLink = 2_048;

const closing = new Set('.,;:!?\'"»›>*_~');
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

const count = (text: string, mark: string): number => text.split(mark).length - 1;

const withoutMarks = (link: string): string => {
  const surplus = new Map<string, number>();
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link[end - 1]!;
    const opening = brackets[last];
    if (opening === undefined) {
      if (!closing.has(last)) break;
      continue;
    }
    const left = surplus.get(last) ?? count(link, last) - count(link, opening);
    if (left <= 0) break;
    surplus.set(last, left - 1);
  }
  return link.slice(0, end);
};

/** As written, with `http` or `https`; null if there is none or it exceeds 2,048 characters. */
export const firstLink = (text: string): string | null => {
  const found = /\bhttps?:\/\/[^\s<]+/i.exec(text)?.[0] ?? '';
  if (found.length > maxLink) return null;
  const link = withoutMarks(found);
  return URL.canParse(link) ? link : null;
};
