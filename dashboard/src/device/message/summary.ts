/** A message in one line, as in the list of conversations. */
import type { Message } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { fileNameOf } from './media/file-name.ts';
import { mentionedBy, type NameOf } from '../shown/people.ts';

const kinds = texts.chat.type;

/** Null for the text of the message or the name of its kind. */
const subjectOf = ({ type, location, contacts, poll, event, groupInvite, media }: Message): string | null => {
  switch (type) {
    case 'location':
      return location?.name ?? location?.address ?? null;
    case 'contact':
      return contacts.length === 0
        ? null
        : contacts.map(({ name }) => name ?? texts.message.contact.unnamed).join(', ');
    case 'poll':
      return poll?.question ?? null;
    case 'event':
      return event?.name ?? null;
    case 'groupInvite':
      return groupInvite?.subject ?? null;
    case 'document':
      return fileNameOf(media);
    default:
      return null;
  }
};

const kindOf = ({ type, media, location }: Message): string => {
  if (type === 'audio' && media?.voice === true) return texts.message.sound.voice;
  if (media?.note === true) return texts.compose.kinds.note;
  return location?.live === true ? texts.message.location.live : kinds[type];
};

const textOf = ({ text, mentions }: Message, nameOf: NameOf): string | null => {
  if (mentions.length === 0) return text;
  const people = mentionedBy(mentions);
  const named = (mark: string, digits: string): string => {
    const person = people.get(digits);
    return person === undefined ? mark : `@${nameOf(person)}`;
  };
  return text?.replace(/@(\d{5,20})/g, named) ?? null;
};

export const summaryOf = (message: Message, nameOf: NameOf): string => {
  const { deletedAt, unavailable, viewOnce, type } = message;
  const text = textOf(message, nameOf);
  if (deletedAt !== null) return texts.chat.deleted;
  if (unavailable !== null) return texts.chat.unavailable[unavailable];
  if (viewOnce) return message.direction === 'out' ? texts.chat.viewOnceSent : texts.chat.viewOnce;
  const subject = subjectOf(message);
  if (subject !== null) return `${kindOf(message)}: ${subject}`;
  return type === 'text' ? (text ?? kinds.text) : text === null ? kindOf(message) : `${kindOf(message)}: ${text}`;
};
