/** `handset contact …`, `profile` and `suppressions …`. */
import { type Arguments, type Command, deviceId, positional, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields } from '../terminal/output.ts';
import { plainNumber } from '../../domain/typed-number.ts';
import { allOf } from '../client/client.ts';
import type { Things } from '../../mcp/client.ts';

type Contact = Things['KnownContact'];

const contactList = callCommand('listContacts', {
  done: ({ contacts }: { readonly contacts: readonly Contact[] }) =>
    listed(contacts, 'No contacts', {
      PERSON: ({ number, jid }) => number ?? jid,
      USERNAME: ({ username }) => username && `@${username}`,
      BLOCKED: ({ blocked }) => (blocked ? 'blocked' : ''),
      NAME: ({ name }) => name,
      'OWN NAME': ({ businessName, pushName }) => businessName ?? pushName,
    }),
});

const contactShow = callCommand('getContact', {
  value: ({ contact }: { readonly contact: Contact }) => contact,
  done: ({ contact }) =>
    fields([
      ['JID', contact.jid],
      ['LID', contact.lid],
      ['Username', contact.username && `@${contact.username}`],
      ['Name', contact.name],
      ['Own name', contact.pushName],
      ['Business', contact.businessName],
      ['About', contact.about],
      ['Blocked', contact.blocked ? 'yes' : null],
    ]),
});

type Found = Things['FoundAccount'];

const contactLookUp = callCommand('lookUpNumbers', {
  done: ({ contacts }: { readonly contacts: readonly Found[] }) => [
    contacts.map(({ number, exists, jid }) => `${number}  ${exists ? jid : 'no account'}`).join('\n'),
  ],
});

type Named = Things['FoundUsername'];

const shownName = ({ username, exists, keyRequired, jid, number }: Named): string => {
  if (!exists) return `@${username}  nobody has this name`;
  if (keyRequired) return `@${username}  asks for a key: @${username}:1234`;
  return `@${username}  ${jid}${number === null ? '' : `  ${number}`}`;
};

const contactFind = callCommand('lookUpUsernames', {
  body: (given) => ({ usernames: positional(given, 1).split(',') }),
  done: ({ contacts }: { readonly contacts: readonly Named[] }) => [contacts.map(shownName).join('\n')],
});

const changeOf = (
  words: string,
  summary: string,
  done: string,
  body: (given: Arguments) => object,
  more: readonly string[] = [],
): Command => callCommand('updateContact', { words, summary, positionals: ['device', 'person', ...more], body, done });

const contactBlock = changeOf('contact block', 'Block a person', 'Blocked', () => ({ blocked: true }));
const contactUnblock = changeOf('contact unblock', 'Unblock a person', 'Unblocked', () => ({ blocked: false }));
const contactName = changeOf(
  'contact name',
  'Name a person in the address book of the account ("" removes the person)',
  'Contact updated',
  (given) => ({ name: positional(given, 2) || null }),
  ['name'],
);

type Profile = Things['Profile'];

const profile: Command = {
  words: 'profile',
  summary: 'Show or change the profile of the account',
  positionals: ['device'],
  options: {
    name: { type: 'string', help: 'the name that others see' },
    about: { type: 'string', help: 'the text below it' },
    'about-until': { type: 'string', help: 'when that text ends, such as 2030-01-07T06:00:00Z' },
    username: { type: 'string', help: 'the username, or none' },
    'username-key': { type: 'string', help: '4 digits that people need to find it, or none' },
    picture: { type: 'string', help: 'URL of a picture, or none' },
  },
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/profile`;
    const [name, about] = [textOption(given, 'name'), textOption(given, 'about')];
    const aboutExpiresAt = textOption(given, 'about-until');
    const picture = textOption(given, 'picture');
    if (picture === 'none') await client().call('DELETE', `${path}/picture`);
    else if (picture !== undefined) await client().call('PUT', `${path}/picture`, { mediaUrl: picture });
    const orNull = (option: string): string | null | undefined => {
      const text = textOption(given, option);
      return text === 'none' ? null : text;
    };
    const body = { name, about, aboutExpiresAt, username: orNull('username'), usernameKey: orNull('username-key') };
    const isChanged = Object.values(body).some((value) => value !== undefined);
    const answer = await client().call<{ profile: Profile }>(
      isChanged ? 'PUT' : 'GET',
      path,
      isChanged ? body : undefined,
    );
    out.value(answer);
    const { number, username, name: shown, about: text, aboutExpiresAt: end, picture: id } = answer.profile;
    out.line(
      ...fields([
        ['Number', number],
        ...(username === null ? [] : [['Username', `@${username}`] as const]),
        ['Name', shown ?? ''],
        ['About', text ?? ''],
        ...(end === null ? [] : [['Until', end] as const]),
        ['Picture', id === null ? 'none' : 'set'],
      ]),
    );
  },
};

type Suppression = Things['Suppression'];

const suppressionsList: Command = {
  words: 'suppression list',
  summary: 'List the people whom your devices refuse to write to',
  positionals: [],
  async run({ client, out }) {
    const suppressions = await allOf<Suppression>(client(), 'suppressions');
    out.value({ suppressions });
    if (suppressions.length === 0) out.line('Nobody is on the suppression list');
    for (const { number, lid, reason, createdAt } of suppressions)
      out.line([number ?? lid, createdAt, reason ?? ''].join('  ').trimEnd());
  },
};

const suppressionsAdd = callCommand('createSuppression', {
  done: (_, given) => [`${plainNumber(positional(given, 0))} is on the suppression list`],
});

const suppressionsRemove = callCommand('deleteSuppression', {
  summary: 'Remove a number from the suppression list',
  done: (_, given) => [`${plainNumber(positional(given, 0))} is off the suppression list`],
});

export const contactCommands: readonly Command[] = [
  contactList,
  contactShow,
  contactLookUp,
  contactFind,
  contactBlock,
  contactUnblock,
  contactName,
  callCommand('getContactPicture'),
  profile,
  suppressionsList,
  suppressionsAdd,
  suppressionsRemove,
];
