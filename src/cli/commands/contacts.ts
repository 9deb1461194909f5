/** `handset contact …`, `profile` and `suppressions …`. */
import {
  type Arguments,
  type Command,
  type Context,
  deviceId,
  noteNext,
  positional,
  queryOf,
  searchOptions,
  textOption,
} from '../command/command.ts';
import { download } from '../command/download.ts';
import { fields, table } from '../terminal/output.ts';
import { plainNumber } from '../../domain/typed-number.ts';
import { allOf } from '../client/client.ts';

interface Contact {
  readonly jid: string;
  readonly number: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  readonly pushName: string | null;
  readonly businessName: string | null;
  readonly about: string | null;
  readonly blocked: boolean;
}

const contactList: Command = {
  words: 'contact list',
  summary: 'List the people whom the account knows',
  positionals: ['device'],
  options: searchOptions,
  async run(context, given) {
    const path = `/devices/${deviceId(given)}/contacts${queryOf(given, Object.keys(searchOptions))}`;
    const page = await context.client().call<{ contacts: readonly Contact[]; nextCursor: string | null }>('GET', path);
    context.out.value(page);
    const rows = page.contacts.map((contact) => [
      contact.number ?? contact.jid,
      contact.blocked ? 'blocked' : '',
      contact.name ?? '',
      contact.businessName ?? contact.pushName ?? '',
    ]);
    if (rows.length === 0) context.out.line('No contacts');
    else context.out.line(...table(['PERSON', 'BLOCKED', 'NAME', 'OWN NAME'], rows));
    noteNext(context, page.nextCursor);
  },
};

const contactShow: Command = {
  words: 'contact show',
  summary: 'Show what is known of a person',
  positionals: ['device', 'person'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/contacts/${encodeURIComponent(positional(given, 1))}`;
    const { contact } = await client().call<{ contact: Contact }>('GET', path);
    out.value(contact);
    out.line(
      ...fields([
        ['JID', contact.jid],
        ['LID', contact.lid],
        ['name', contact.name],
        ['own name', contact.pushName],
        ['business', contact.businessName],
        ['about', contact.about],
        ['blocked', contact.blocked ? 'yes' : null],
      ]),
    );
  },
};

interface Found {
  readonly number: string;
  readonly exists: boolean;
  readonly jid: string | null;
}

const contactLookUp: Command = {
  words: 'contact lookup',
  summary: 'Look up which numbers have an account, at most 20',
  positionals: ['device', 'numbers'],
  async run({ client, out }, given) {
    const numbers = positional(given, 1).replaceAll(/[^\d,]/g, '');
    const path = `/devices/${deviceId(given)}/contacts/lookup?numbers=${numbers}`;
    const answer = await client().call<{ contacts: readonly Found[] }>('GET', path);
    out.value(answer);
    for (const { number, exists, jid } of answer.contacts) out.line(`${number}  ${exists ? jid : 'no account'}`);
  },
};

const change = async ({ client, out }: Context, given: Arguments, body: object, done: string): Promise<void> => {
  const path = `/devices/${deviceId(given)}/contacts/${encodeURIComponent(positional(given, 1))}`;
  out.value(await client().call('PUT', path, body));
  out.line(done);
};

const ofPerson = { positionals: ['device', 'person'], options: {} } as const;

const contactBlock: Command = {
  words: 'contact block',
  summary: 'Block a person',
  ...ofPerson,
  run: (context, given) => change(context, given, { blocked: true }, 'Blocked'),
};

const contactUnblock: Command = {
  words: 'contact unblock',
  summary: 'Unblock a person',
  ...ofPerson,
  run: (context, given) => change(context, given, { blocked: false }, 'Unblocked'),
};

const contactName: Command = {
  words: 'contact name',
  summary: 'Name a person in the address book of the account ("" removes the person)',
  ...ofPerson,
  positionals: ['device', 'person', 'name'],
  run: (context, given) => change(context, given, { name: positional(given, 2) || null }, 'Contact updated'),
};

const contactPicture: Command = {
  words: 'contact picture',
  summary: 'Save the profile picture of a person to a file',
  ...ofPerson,
  positionals: ['device', 'person', 'file'],
  run: (context, given) =>
    download(
      context,
      `/devices/${deviceId(given)}/contacts/${encodeURIComponent(positional(given, 1))}/picture`,
      positional(given, 2),
    ),
};

interface Profile {
  readonly number: string;
  readonly name: string | null;
  readonly about: string | null;
  readonly aboutExpiresAt: string | null;
  readonly picture: string | null;
}

const profile: Command = {
  words: 'profile',
  summary: 'Show or change the profile of the account',
  positionals: ['device'],
  options: {
    name: { type: 'string', help: 'the name that others see' },
    about: { type: 'string', help: 'the text below it' },
    'about-until': { type: 'string', help: 'when that text ends, such as 2030-01-07T06:00:00Z' },
    picture: { type: 'string', help: 'URL of a picture, or none' },
  },
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/profile`;
    const [name, about] = [textOption(given, 'name'), textOption(given, 'about')];
    const aboutExpiresAt = textOption(given, 'about-until');
    const picture = textOption(given, 'picture');
    if (picture === 'none') await client().call('DELETE', `${path}/picture`);
    else if (picture !== undefined) await client().call('PUT', `${path}/picture`, { mediaUrl: picture });
    const isChanged = (name ?? about ?? aboutExpiresAt) !== undefined;
    const answer = await client().call<{ profile: Profile }>(
      isChanged ? 'PUT' : 'GET',
      path,
      isChanged ? { name, about, aboutExpiresAt } : undefined,
    );
    out.value(answer);
    const { number, name: shown, about: text, aboutExpiresAt: end, picture: id } = answer.profile;
    out.line(
      ...fields([
        ['Number', number],
        ['Name', shown ?? ''],
        ['About', text ?? ''],
        ...(end === null ? [] : [['Until', end] as const]),
        ['Picture', id === null ? 'none' : 'set'],
      ]),
    );
  },
};

interface Suppression {
  readonly number: string | null;
  readonly lid: string | null;
  readonly reason: string | null;
  readonly source: string;
  readonly createdAt: string;
}

const suppressionsList: Command = {
  words: 'suppressions list',
  summary: 'List the people who are not written to',
  positionals: [],
  async run({ client, out }) {
    const suppressions = await allOf<Suppression>(client(), 'suppressions');
    out.value({ suppressions });
    for (const { number, lid, reason, createdAt } of suppressions)
      out.line([number ?? lid, createdAt, reason ?? ''].join('  ').trimEnd());
  },
};

const suppressionsAdd: Command = {
  words: 'suppressions add',
  summary: 'Add a number to the suppression list',
  positionals: ['number'],
  options: { reason: { type: 'string', help: 'a note for yourself' } },
  async run({ client, out }, given) {
    const number = plainNumber(positional(given, 0));
    const reason = textOption(given, 'reason');
    out.value(await client().call('POST', '/suppressions', reason === undefined ? { number } : { number, reason }));
    out.line(`${number} is not written to any more`);
  },
};

const suppressionsRemove: Command = {
  words: 'suppressions remove',
  summary: 'Take a number off the list of those who are not written to',
  positionals: ['number'],
  async run({ client, out }, given) {
    const number = plainNumber(positional(given, 0));
    out.value(await client().call('DELETE', `/suppressions/${encodeURIComponent(number)}`));
    out.line(`${number} may be written to`);
  },
};

export const contactCommands: readonly Command[] = [
  contactList,
  contactShow,
  contactLookUp,
  contactBlock,
  contactUnblock,
  contactName,
  contactPicture,
  profile,
  suppressionsList,
  suppressionsAdd,
  suppressionsRemove,
];
