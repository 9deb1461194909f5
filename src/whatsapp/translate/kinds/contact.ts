/** Shared contacts, as vCards. */
import type { proto } from '../../library/proto.ts';
import type { OutgoingContact } from '../../../domain/messages/outgoing.ts';
import type { SharedContact } from '../../../domain/messages/parts.ts';
import { cut, cutOrNull, maxName, type Room } from '../parts/limits.ts';
import { type Kinds, withoutEnd } from '../parts/kind.ts';

const maxContacts = 257;
const maxNumbers = 32;
const maxCharacters = 65_536;
/** Read of a card even if there is no space left; pictures come after names and numbers. */
const alwaysRead = 2_048;
const maxHead = 1_024;
const maxNumber = 256;
const maxValue = 2 * maxName;

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, mark: string) => (mark === 'n' || mark === 'N' ? '\n' : mark));

interface Property {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** Null for an invalid line (RFC 6350; the apps write `item1.TEL;waid=…:`). */
const propertyOf = (line: string): Property | null => {
  const colon = line.slice(0, maxHead).indexOf(':');
  if (colon === -1) return null;
  const head = line.slice(0, colon);
  const end = head.includes(';') ? head.indexOf(';') : colon;
  const name = head.slice(head.lastIndexOf('.', end) + 1, end).toUpperCase();
  return { name, parameters: head.slice(end), value: line.slice(colon + 1) };
};

const propertiesOf = (vcard: string): readonly Property[] =>
  vcard
    .replace(/\r?\n[ \t]/g, '')
    .split(/[\r\n]/)
    .flatMap((line) => propertyOf(line) ?? []);

const numberOf = ({ parameters, value }: Property): string =>
  /;waid=(\d{5,20})/i.exec(parameters)?.[1] ??
  value
    .slice(0, maxNumber)
    .trim()
    .replace(/^tel:/i, '')
    .replace(/[^\d+]/g, '')
    .replace(/^\+/, '');

const organizationOf = (value: string): string | null => {
  const units = withoutEnd(cut(value, maxValue).trim(), ';');
  return cutOrNull(unescaped(units.replace(/(?<!\\);/g, ', ')));
};

const contactOf = ({ displayName, vcard }: proto.Message.IContactMessage, room: Room): SharedContact => {
  const kept = room.cut(vcard ?? '', maxCharacters);
  const properties = propertiesOf(kept.length < alwaysRead ? cut(vcard ?? '', alwaysRead) : kept);
  const valueOf = (wanted: string): string => properties.find(({ name }) => name === wanted)?.value ?? '';
  const numbers = properties
    .filter(({ name }) => name === 'TEL')
    .map(numberOf)
    .filter((number) => number.length > 0 && number.length <= 32);
  return {
    name: cutOrNull(displayName || unescaped(cut(valueOf('FN'), maxValue).trim())),
    numbers: [...new Set(numbers)].slice(0, maxNumbers),
    organization: organizationOf(valueOf('ORG')),
    vcard: kept,
  };
};

const contactsOf = (contacts: readonly proto.Message.IContactMessage[], room: Room): readonly SharedContact[] =>
  contacts.slice(0, maxContacts).map((contact) => contactOf(contact, room));

export const contactKinds: Kinds = {
  contactMessage: ({ contactMessage: contact }) => ({
    type: 'contact',
    text: contact!.displayName,
    lists: (room) => ({ contacts: contactsOf([contact!], room) }),
    context: contact!.contextInfo,
  }),
  contactsArrayMessage: ({ contactsArrayMessage: all }) => ({
    type: 'contact',
    text: all!.displayName,
    lists: (room) => ({ contacts: contactsOf(all!.contacts ?? [], room) }),
    context: all!.contextInfo,
  }),
};

/** So that a value cannot end its line or field (RFC 6350, 3.4). */
const escaped = (text: string): string =>
  text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '\\n');

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
