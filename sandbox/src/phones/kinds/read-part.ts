/** Reads the content of a message, whichever kind it is. */
import type { Message } from '../context/context.ts';
import { readAlbum } from './album.ts';
import { readOrder, readPayment, readProduct } from './commerce.ts';
import { readContacts } from './contacts.ts';
import { readEvent } from './event.ts';
import { readGroupInvite } from './group-invite.ts';
import { readCallLog, readSystem } from './lines.ts';
import { readLocation } from './location.ts';
import { mediaOf } from './read-media.ts';
import type { Part, PartReader } from './part.ts';
import { readPoll } from './poll.ts';
import { readChoices, readSelection } from './selection.ts';
import { readText } from './text.ts';
import type { Quoted } from './types.ts';
import { normalizeMessageContent } from 'baileys';

const readers: readonly PartReader[] = [
  readText,
  readLocation,
  readContacts,
  readPoll,
  readEvent,
  readGroupInvite,
  readAlbum,
  readSelection,
  readChoices,
  readProduct,
  readOrder,
  readPayment,
  readCallLog,
  readSystem,
];

/** Null: media, or nothing that is shown. */
export const partOf = (content: Message): Part | null => {
  for (const reader of readers) {
    const part = reader(content);
    if (part !== null) return part;
  }
  return null;
};

/** A message in short, as it is shown where it is quoted. */
export const summaryOf = (message: Message): Pick<Quoted, 'type' | 'text'> => {
  const content = normalizeMessageContent(message) ?? {};
  const file = mediaOf(content);
  if (file !== null) return { type: file.kind, text: file.fields.caption || null };
  const part = partOf(content);
  return { type: part?.type ?? 'unknown', text: part?.members.text ?? null };
};
