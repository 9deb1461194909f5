/** `handset contact lookup`, `block`, `unblock`, `name` and `picture`, and `profile`. */
import { type Arguments, type Command, type Context, deviceId, positional, textOption } from '../../command/command.ts';
import { download } from '../../command/download.ts';
import { fields } from '../../terminal/output.ts';

interface Found {
  readonly number: string;
  readonly exists: boolean;
  readonly jid: string | null;
}

export const contactLookUp: Command = {
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

export const contactBlock: Command = {
  words: 'contact block',
  summary: 'Block a person',
  ...ofPerson,
  run: (context, given) => change(context, given, { blocked: true }, 'Blocked'),
};

export const contactUnblock: Command = {
  words: 'contact unblock',
  summary: 'Unblock a person',
  ...ofPerson,
  run: (context, given) => change(context, given, { blocked: false }, 'Unblocked'),
};

export const contactName: Command = {
  words: 'contact name',
  summary: 'Name a person in the address book of the account ("" removes the person)',
  ...ofPerson,
  positionals: ['device', 'person', 'name'],
  run: (context, given) => change(context, given, { name: positional(given, 2) || null }, 'Contact updated'),
};

export const contactPicture: Command = {
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

export const profile: Command = {
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
