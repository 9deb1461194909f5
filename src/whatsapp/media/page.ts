/** Facts about a page from its head: Open Graph first, then plain HTML. Runs in the media process. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import type { PageFacts } from '../../domain/messages/links.ts';

const maxTitle = 300;
const maxDescription = 1_000;
const maxValue = 4_096;

const replacement = '\ufffd';

const plain = (text: string | undefined, max: number): string | null =>
  text?.replaceAll(/\s+/g, ' ').trim().slice(0, max).toWellFormed().replaceAll(replacement, '').trim() || null;

/** Reads `<meta>`, charset and title up to the end of the head. A tokenizer keeps no stack, so its time is linear in any nesting. */
class HeadReader implements TokenizerCallbacks {
  readonly found = new Map<string, string>();
  readonly #html: string;
  readonly #tokenizer = new Tokenizer({ decodeEntities: true }, this);
  #tag = '';
  #isTitle = false;
  #attribute = '';
  #value = '';
  #attributes = new Map<string, string>();

  constructor(html: string) {
    this.#html = html;
    this.#tokenizer.write(html);
    // No-op once the head has ended.
    this.#tokenizer.end();
  }

  #name(start: number, end: number): string {
    return end - start > 64 ? '' : this.#html.slice(start, end).toLowerCase();
  }

  #keep(name: string | undefined, value: string | undefined): void {
    const key = name?.toLowerCase();
    if (key && value && !this.found.has(key)) this.found.set(key, value);
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#name(start, end);
    this.#attributes.clear();
    if (this.#tag === 'body') this.#tokenizer.pause();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#name(start, end);
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#tag === 'meta' && this.#value.length < maxValue)
      this.#value += this.#html.slice(start, Math.min(end, start + maxValue));
  }

  onattribentity(codepoint: number): void {
    if (this.#tag === 'meta' && this.#value.length < maxValue) this.#value += String.fromCodePoint(codepoint);
  }

  onattribend(): void {
    if (this.#tag === 'meta' && this.#attributes.size < 16 && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#isTitle = this.#tag === 'title' && !this.found.has('title');
    if (this.#tag !== 'meta') return;
    const given = this.#attributes;
    const content = given.get('content');
    this.#keep(given.get('property') ?? given.get('name') ?? given.get('http-equiv'), content);
    this.#keep('charset', given.get('charset'));
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#name(start, end);
    if (tag === 'title') this.#isTitle = false;
    if (tag === 'head') this.#tokenizer.pause();
  }

  ontext(start: number, end: number): void {
    if (this.#isTitle) this.#addToTitle(this.#html.slice(start, Math.min(end, start + maxValue)));
  }

  ontextentity(codepoint: number): void {
    if (this.#isTitle) this.#addToTitle(String.fromCodePoint(codepoint));
  }

  #addToTitle(text: string): void {
    const before = this.found.get('title') ?? '';
    if (before.length < maxValue) this.found.set('title', before + text);
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
}

type Elements = ReadonlyMap<string, string>;

const titleOf = (elements: Elements): string => elements.get('og:title') ?? elements.get('title') ?? '';

const readAs = (label: string | null | undefined, bytes: Uint8Array): Elements | null => {
  if (!label) return null;
  try {
    const html = new TextDecoder(label).decode(bytes);
    return html.trimStart().startsWith('<') ? new HeadReader(html).found : null;
  } catch {
    return null;
  }
};

/** By byte order mark (Encoding Standard, BOM sniff). */
const markOf = ([first, second, third]: Uint8Array): string | null => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
};

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
};

const charsetIn = (type: string | null | undefined): string | null =>
  /charset\s*=\s*["']?([^\s;"']{1,40})/i.exec(type?.slice(0, 256) ?? '')?.[1] ?? null;

/** The first encoding by bytes, header or page (HTML Standard) that yields a valid title; else UTF-8, or Windows-1252, which accepts every byte. */
const elementsOf = (bytes: Uint8Array, contentType: string | null): Elements | null => {
  const utf8 = readAs('utf-8', bytes);
  const inPage = utf8?.get('charset') ?? charsetIn(utf8?.get('content-type'));
  for (const label of [markOf(bytes), charsetIn(contentType), inPage]) {
    const elements = readAs(label, bytes);
    if (elements !== null && titleOf(elements) !== '' && !titleOf(elements).includes(replacement)) return elements;
  }
  // A UTF-8 title truncated within a character still counts.
  const isCut = utf8 !== null && /[\u0080-\ufffc]/.test(titleOf(utf8));
  return isCut || isUtf8(bytes) ? utf8 : readAs('windows-1252', bytes);
};

export const pageFactsIn = (bytes: Uint8Array, contentType: string | null): PageFacts | null => {
  const elements = elementsOf(bytes, contentType);
  const title = elements === null ? null : plain(titleOf(elements), maxTitle);
  if (elements === null || title === null) return null;
  return {
    title,
    description: plain(elements.get('og:description') ?? elements.get('description'), maxDescription),
    picture: elements.get('og:image:secure_url') ?? elements.get('og:image') ?? null,
  };
};
