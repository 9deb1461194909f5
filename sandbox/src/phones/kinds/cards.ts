/** Places and people: locations, contact cards and group invitations. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import { type PartReader, seconds, timeOf } from './part.ts';
import type { Place, ContactCard, GroupInvite } from './types.ts';

export const locationMessage = (place: Place): Message => {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name, address, accuracyMeters } = place;
  const position = { degreesLatitude, degreesLongitude, accuracyInMeters: accuracyMeters };
  if (place.live) return { liveLocationMessage: { ...position, caption: name, sequenceNumber: Date.now() } };
  return { locationMessage: { ...position, name, address } };
};

export const placeOf = (said: proto.Message.ILocationMessage, live = said.isLive === true): Place => ({
  latitude: said.degreesLatitude ?? null,
  longitude: said.degreesLongitude ?? null,
  name: said.name || null,
  address: said.address || null,
  live,
  accuracyMeters: said.accuracyInMeters ?? null,
});

export const readLocation: PartReader = ({ locationMessage: fixed, liveLocationMessage: live }) => {
  const said = fixed ?? live;
  if (!said) return null;
  const location = fixed ? placeOf(fixed) : placeOf(said, true);
  const { latitude, longitude, name } = location;
  const text = (live?.caption ?? fixed?.comment) || null;
  return {
    type: 'location',
    members: { text, location, details: { latitude, longitude, name } },
    context: said.contextInfo,
  };
};

/** The format of the apps' own cards: `waid` names the account of the number. */
export const vcardOf = (name: string, numbers: readonly string[], organization: string | null): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name};;;`,
    `FN:${name}`,
    ...(organization === null ? [] : [`ORG:${organization};`]),
    ...numbers.map((number) => `TEL;type=CELL;waid=${number}:+${number}`),
    'END:VCARD',
  ].join('\n');

const asProto = ({ name, vcard }: ContactCard): proto.Message.IContactMessage => ({ displayName: name, vcard });

export const contactsMessage = (cards: readonly ContactCard[]): Message => {
  const [first, ...more] = cards.map(asProto);
  if (first !== undefined && more.length === 0) return { contactMessage: first };
  const displayName = `${cards.length} contacts`;
  return { contactsArrayMessage: { displayName, contacts: cards.map(asProto) } };
};

/** Limit on the characters parsed of a card, and of the head of a line. */
const maxCharacters = 65_536;
const maxHead = 1_024;

const propertiesOf = (vcard: string): readonly { readonly name: string; readonly value: string }[] =>
  vcard.split(/\r?\n/).flatMap((line) => {
    const colon = line.slice(0, maxHead).indexOf(':');
    const [, name] = /^(?:item\d+\.)?([\w-]+)/.exec(line.slice(0, Math.max(0, colon))) ?? [];
    return name === undefined ? [] : [{ name: name.toUpperCase(), value: line.slice(colon + 1) }];
  });

const withoutEnd = (text: string, mark: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
};

const cardOf = ({ displayName, vcard }: proto.Message.IContactMessage): ContactCard => {
  const properties = propertiesOf((vcard ?? '').slice(0, maxCharacters));
  const all = (wanted: string): string[] => properties.filter(({ name }) => name === wanted).map(({ value }) => value);
  return {
    name: displayName || all('FN')[0] || '',
    numbers: all('TEL').map((number) => number.replace(/\D/g, '')),
    organization: withoutEnd(all('ORG')[0] ?? '', ';') || null,
    vcard: vcard ?? '',
  };
};

export const readContacts: PartReader = ({ contactMessage: one, contactsArrayMessage: several }) => {
  if (one) {
    const details = { name: one.displayName ?? null, vcard: one.vcard ?? null };
    return { type: 'contact', members: { contacts: [cardOf(one)], details }, context: one.contextInfo };
  }
  if (!several) return null;
  const contacts = (several.contacts ?? []).map(cardOf);
  return { type: 'contact', members: { contacts }, context: several.contextInfo };
};

export const groupInviteMessage = (invite: GroupInvite, caption: string | null): Message => {
  const { group: groupJid, subject: groupName, code: inviteCode, expiresAt } = invite;
  const inviteExpiration = expiresAt === null ? null : seconds(new Date(expiresAt));
  return { groupInviteMessage: { groupJid, groupName, inviteCode, inviteExpiration, caption } };
};

export const readGroupInvite: PartReader = ({ groupInviteMessage: said }) => {
  if (!said) return null;
  const groupInvite: GroupInvite = {
    group: said.groupJid ?? '',
    subject: said.groupName || null,
    code: said.inviteCode || null,
    expiresAt: timeOf(said.inviteExpiration),
  };
  return { type: 'groupInvite', members: { text: said.caption || null, groupInvite }, context: said.contextInfo };
};
