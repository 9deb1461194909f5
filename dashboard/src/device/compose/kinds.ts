/** The kinds that a file can be sent as, by its type. */
import type { MessageType } from '../../api/message.ts';
import { maxBase64Bytes, type NewEntry } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';

const kinds = ['image', 'video', 'gif', 'note', 'audio', 'voice', 'sticker', 'document'] as const;

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
  note: { path: 'video', type: 'video', takes: /^video\//, hasCaption: false, body: () => ({ note: true }) },
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

/** Kinds that a member of the request marks. */
const marks = ['gif', 'note', 'voice'] as const satisfies readonly FileKind[];

/** The kind that the file of an unsent message was to be sent as. */
export const kindOf = ({ path, body }: Pick<NewEntry, 'path' | 'body'>): FileKind | undefined =>
  kinds.find((kind) => ways[kind].path === path && marks.every((mark) => (kind === mark) === mark in body));

export const problemWith = (file: File): string | null => (file.size === 0 ? texts.compose.empty(file.name) : null);

export const hasCaption = (kind: FileKind): boolean => ways[kind].hasCaption;

/** Whether it can be sent to be opened once. */
export const canBeOnce = (kind: FileKind): boolean => kind !== 'sticker' && kind !== 'document';

/** The request and the bubble of a file, without its recipient. */
export const entryOf = (
  { kind, file, isOnce }: { readonly kind: FileKind; readonly file: File; readonly isOnce: boolean },
  caption: string,
): Pick<NewEntry, 'path' | 'type' | 'text' | 'body'> => {
  const { path, type, body } = ways[kind];
  const text = caption === '' || !ways[kind].hasCaption ? null : caption;
  const once = isOnce && canBeOnce(kind) ? { viewOnce: true } : {};
  return { path, type, text, body: { ...body?.(file), ...once, ...(text !== null && { mediaCaption: text }) } };
};
