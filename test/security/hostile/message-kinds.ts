/** Kinds of messages, and the places in them that are read: new kinds and new readings are found by themselves. */
import { proto } from 'baileys';
import { readers } from '../../../src/whatsapp/translate/content.ts';
import { translateMessage } from '../../../src/whatsapp/translate/message.ts';
import { context, fromAnn, knowsAnn, stanza } from '../../whatsapp/driver.people.ts';
import { type Fill, messageOf, textsRead } from './message-fields.ts';

export type Shape = (fill: Fill) => proto.IMessage;

export const encoded = (message: proto.IMessage): Uint8Array => proto.Message.encode(message).finish();

/** Without the budget, which would end what takes long; with `bytes`, as nothing is encoded again. */
export const translated = (message: proto.Message, bytes: Uint8Array, attrs = {}) =>
  translateMessage(stanza({ ...fromAnn, ...attrs }), message, context(knowsAnn), bytes);

/** A context is read alike in messages of all kinds: those of texts stand for all. */
const isTakenElsewhere = (place: string): boolean =>
  place.includes('.contextInfo.') && !place.startsWith('extendedTextMessage.');

export const readOf = (shape: Shape): readonly string[] => {
  const bytes = encoded(shape(() => '1'));
  const places = textsRead(proto.Message.decode(bytes), (message) => void translated(message, bytes));
  return places.filter((place) => !isTakenElsewhere(place));
};

export const kinds = new Map(
  [...readers.keys()].map((field): [string, Shape] => [field, (fill) => messageOf(field, fill)]),
);

/** A text in some places, and one letter in the others that are read. */
export const filledWith = (
  shape: Shape,
  places: readonly string[],
  hostile: readonly string[],
  text: string,
): Uint8Array =>
  encoded(
    shape((place) => {
      if (hostile.includes(place)) return text;
      return places.includes(place) ? '1' : undefined;
    }),
  );
