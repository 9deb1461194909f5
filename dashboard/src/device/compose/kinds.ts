/** The kinds that a file can be sent as, by its type. */
import type { MessageType } from '../../api/message.ts';
import { maxBase64Bytes, type NewEntry } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';

const kinds = ['image', 'video', 'gif', 'audio', 'voice', 'sticker', 'document'] as const;

export type FileKind = (typeof kinds)[number];

interface How {
  /** The path below `/messages`. */
  readonly path: string;
  readonly type: MessageType;
  readonly takes: RegExp;
  readonly hasCaption: boolean;
  readonly body?: (file: File) => Readonly<Record<string, unknown>>;
}

const picture = /^image\/(?:png|jpeg|gif|webp)$/;

const ways: Readonly<Record<FileKind, How>> = {
  image: { path: 'media', type: 'image', takes: picture, hasCaption: true },
  video: { path: 'video', type: 'video', takes: /^video\//, hasCaption: true },
  gif: {
    path: 'video',
    type: 'video',
    takes: /^video\/|^image\/gif$/,
    hasCaption: true,
    body: () => ({ gif: true }),
  },
  audio: { path: 'audio', type: 'audio', takes: /^audio\//, hasCaption: false },
  voice: { path: 'audio', type: 'audio', takes: /^audio\//, hasCaption: false, body: () => ({ voice: true }) },
  sticker: { path: 'sticker', type: 'sticker', takes: picture, hasCaption: false },
  document: {
    path: 'document',
    type: 'document',
    takes: /^/,
    hasCaption: true,
    body: ({ name, type }) => ({ fileName: name, ...(/^[\w.+-]+\/[\w.+-]+$/.test(type) && { mimetype: type }) }),
  },
};

/** The usual one first. */
export const kindsOf = ({ type, size }: Pick<File, 'type' | 'size'>): readonly FileKind[] =>
  kinds.filter(
    (kind) => ways[kind].takes.test(type) && (size <= maxBase64Bytes || !['image', 'sticker'].includes(kind)),
  );

/** The kind that the file of an unsent message was to be sent as. */
export const kindOf = ({ path, body }: Pick<NewEntry, 'path' | 'body'>): FileKind | undefined =>
  kinds.find(
    (kind) => ways[kind].path === path && (kind === 'gif') === 'gif' in body && (kind === 'voice') === 'voice' in body,
  );

export const problemWith = (file: File): string | null => (file.size === 0 ? texts.compose.empty(file.name) : null);

export const hasCaption = (kind: FileKind): boolean => ways[kind].hasCaption;

/** The request and the bubble of a file, without its recipient. */
export const entryOf = (
  kind: FileKind,
  file: File,
  caption: string,
): Pick<NewEntry, 'path' | 'type' | 'text' | 'body'> => {
  const { path, type, body } = ways[kind];
  const text = caption === '' || !ways[kind].hasCaption ? null : caption;
  return { path, type, text, body: { ...body?.(file), ...(text !== null && { mediaCaption: text }) } };
};
