/** Contacts that somebody shares, as vCards. */
import type { proto } from '../../engine/proto.ts';
import type { OutgoingContact } from '../../../domain/messages/outgoing.ts';
import type { SharedContact } from '../../../domain/messages/parts.ts';
import { cut, cutOrNull, type Kinds } from '../kind.ts';

/** As many as the network's apps share at once. */
const mostContacts = 257;
const mostNumbers = 32;
/** The limits of one vCard, and of all in a message: pictures in them can be as large as the message. */
const mostCharacters = 65_536;
const mostCharactersTogether = 262_144;

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' || mark === 'N' ? '\n' : mark));

/** Values of a property with its parameters, in order (RFC 6350; the apps write `item1.TEL;waid=…:`). */
const valuesOf = (vcard: string, property: string): { readonly parameters: string; readonly value: string }[] =>
  [...vcard.matchAll(new RegExp(`^(?:[\\w-]+\\.)?${property}((?:;[^:\\r\\n]*)?):(.*)$`, 'gim'))].map(
    ([, parameters = '', value = '']) => ({ parameters, value: value.trim() }),
  );

const numberOf = ({ parameters, value }: { readonly parameters: string; readonly value: string }): string =>
  /;waid=(\d{5,20})/i.exec(parameters)?.[1] ??
  value
    .replace(/^tel:/i, '')
    .replace(/[^\d+]/g, '')
    .replace(/^\+/, '');

const contactOf = ({ displayName, vcard }: proto.Message.IContactMessage, room: number): SharedContact => {
  const kept = cut(vcard ?? '', Math.min(mostCharacters, room));
  // Long lines are folded.
  const lines = cut(vcard ?? '', mostCharacters).replace(/\r?\n[ \t]/g, '');
  const numbers = valuesOf(lines, 'TEL')
    .map(numberOf)
    .filter((number) => number.length > 0 && number.length <= 32);
  const [organization] = valuesOf(lines, 'ORG');
  const [name] = valuesOf(lines, 'FN');
  return {
    name: cutOrNull(displayName || unescaped(name?.value ?? '')),
    numbers: [...new Set(numbers)].slice(0, mostNumbers),
    organization: cutOrNull(unescaped((organization?.value ?? '').replace(/;+$/, '').replace(/(?<!\\);/g, ', '))),
    vcard: kept,
  };
};

const contactsOf = (contacts: readonly proto.Message.IContactMessage[]): readonly SharedContact[] => {
  let room = mostCharactersTogether;
  return contacts.slice(0, mostContacts).map((each) => {
    const contact = contactOf(each, room);
    room -= contact.vcard.length;
    return contact;
  });
};

export const contactKinds: Kinds = {
  contactMessage: ({ contactMessage: contact }) => ({
    type: 'contact',
    text: contact!.displayName,
    parts: { contacts: contactsOf([contact!]) },
    context: contact!.contextInfo,
  }),
  contactsArrayMessage: ({ contactsArrayMessage: all }) => ({
    type: 'contact',
    text: all!.displayName,
    parts: { contacts: contactsOf(all!.contacts ?? []) },
    context: all!.contextInfo,
  }),
};

/** A value of a vCard, which cannot end its line or its field (RFC 6350, 3.4). */
const escaped = (text: string): string =>
  text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\\n');

/** As the network's apps write it: `waid` makes a number of the network out of one to call. */
const vcardOf = ({ name, numbers, organization }: OutgoingContact): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...(organization === null ? [] : [`ORG:${escaped(organization)}`]),
    ...numbers.map((number) => `TEL;type=CELL;type=VOICE;waid=${number}:+${number}`),
    'END:VCARD',
  ].join('\n');

export const composeContacts = (people: readonly OutgoingContact[]): proto.IMessage => {
  const contacts = people.map((person) => ({ displayName: person.name, vcard: vcardOf(person) }));
  const [only] = contacts;
  if (contacts.length === 1 && only !== undefined) return { contactMessage: only };
  return { contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts } };
};
