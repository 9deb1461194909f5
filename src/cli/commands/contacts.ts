/** `handset contact …`, `profile` and `suppressions …`. */
import { type Arguments, type Command, positional } from '../command/command.ts';
import { withPicture } from '../command/media.ts';
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

const profile = callCommand('updateProfile', {
  summary: 'Show or change the profile of the account',
  ...withPicture,
  done: ({
    profile: { number, username, name, about, aboutExpiresAt, picture },
  }: {
    readonly profile: Things['Profile'];
  }) =>
    fields([
      ['Number', number],
      ['Username', username && `@${username}`],
      ['Name', name ?? ''],
      ['About', about ?? ''],
      ['Until', aboutExpiresAt],
      ['Picture', picture === null ? 'none' : 'set'],
    ]),
});

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
