/** Facts about a page, from the elements of its head: Open Graph first, then what HTML itself has. */
import { Parser } from 'htmlparser2';

export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  /** As it is written, maybe relative to the page. */
  readonly picture: string | null;
}

const mostTitle = 300;
const mostDescription = 1_000;

const plain = (text: string | undefined, most: number): string | null =>
  text?.replaceAll(/\s+/g, ' ').trim().toWellFormed().slice(0, most).toWellFormed() || null;

/** `<meta>` by name or property, and the title. */
const elementsOf = (html: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  let isTitle = false;
  let isHead = true;
  const keep = (name: string | undefined, value: string | undefined): void => {
    if (name && value && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  };
  const parser = new Parser({
    onopentag(tag, { name, property, content, charset }) {
      if (tag === 'body') isHead = false;
      if (!isHead) return;
      isTitle = tag === 'title' && !found.has('title');
      if (tag !== 'meta') return;
      keep(property ?? name, content);
      keep('charset', charset);
    },
    ontext(text) {
      if (isHead && isTitle) found.set('title', (found.get('title') ?? '') + text);
    },
    onclosetag(tag) {
      if (tag === 'title') isTitle = false;
    },
  });
  parser.end(html);
  return found;
};

/** Null for an encoding that nobody knows. */
const decoderOf = (label: string): InstanceType<typeof TextDecoder> | null => {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
};

/** Null for what is no HTML, or has no title. */
export const pageFactsIn = (bytes: Uint8Array): PageFacts | null => {
  let text = new TextDecoder().decode(bytes);
  if (!text.trimStart().startsWith('<')) return null;
  let elements = elementsOf(text);
  const label = elements.get('charset') ?? 'utf-8';
  const decoder = /^utf-?8$/i.test(label) ? null : decoderOf(label);
  if (decoder !== null) {
    text = decoder.decode(bytes);
    elements = elementsOf(text);
  }
  const title = plain(elements.get('og:title') ?? elements.get('title'), mostTitle);
  if (title === null) return null;
  return {
    title,
    description: plain(elements.get('og:description') ?? elements.get('description'), mostDescription),
    picture: elements.get('og:image:secure_url') ?? elements.get('og:image') ?? null,
  };
};
