/** `handset groups add`, `remove`, `admin`, `picture`, `invite`, `preview`, `join`, `requests` and `decide`. */
import { type Arguments, type Command, type Context, deviceId, flagOption, positional } from '../command/command.ts';
import { usageError } from '../client/failure.ts';
import { download } from '../command/download.ts';
import { fields, table } from '../terminal/output.ts';
import { groupPath, type Result, resultRows } from './groups.ts';
import { nameOf } from '../command/people.ts';

const memberPath = (given: Arguments): string =>
  `${groupPath(given)}/members/${encodeURIComponent(positional(given, 2))}`;

const change = async ({ client, out }: Context, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
  const { results } = await client().call<{ results: readonly Result[] }>(method, path, body);
  out.value(results);
  out.line(...table(['MEMBER', 'RESULT', ''], resultRows(results)));
};

const groupAdd: Command = {
  words: 'groups add',
  summary: 'Add a member to a group, or invite who does not let everybody add them',
  positionals: ['device', 'group', 'person'],
  run: (context, given) => change(context, 'POST', `${groupPath(given)}/members`, { members: [positional(given, 2)] }),
};

const groupRemove: Command = {
  words: 'groups remove',
  summary: 'Remove a member from a group',
  positionals: ['device', 'group', 'person'],
  run: (context, given) => change(context, 'DELETE', memberPath(given)),
};

const groupAdmin: Command = {
  words: 'groups admin',
  summary: 'Make a member an administrator (on), or no longer one (off)',
  positionals: ['device', 'group', 'person', 'state'],
  async run(context, given) {
    const state = positional(given, 3);
    if (state !== 'on' && state !== 'off') throw usageError('the last word is on or off');
    await change(context, 'PUT', memberPath(given), { admin: state === 'on' });
  },
};

const groupInvite: Command = {
  words: 'groups invite',
  summary: 'Show the link of a group',
  positionals: ['device', 'group'],
  options: { rotate: { type: 'boolean', help: 'revoke it, and make another one' } },
  async run({ client, out }, given) {
    const path = `${groupPath(given)}/invite`;
    const { invite } = flagOption(given, 'rotate')
      ? await client().call<{ invite: { link: string } }>('POST', `${path}/rotate`)
      : await client().call<{ invite: { link: string } }>('GET', path);
    out.value(invite);
    out.line(invite.link);
  },
};

interface Preview {
  readonly jid: string;
  readonly subject: string;
  readonly description: string | null;
  readonly size: number;
  readonly joinApproval: boolean;
}

const groupPreview: Command = {
  words: 'groups preview',
  summary: 'Show the group of a link without joining it',
  positionals: ['device', 'invite'],
  async run({ client, out }, given) {
    const code = positional(given, 1).split('/').at(-1) ?? '';
    const path = `/devices/${deviceId(given)}/invites/${encodeURIComponent(code)}`;
    const { group } = await client().call<{ group: Preview }>('GET', path);
    out.value(group);
    out.line(
      ...fields([
        ['Group', group.jid],
        ['Subject', group.subject],
        ['Description', group.description],
        ['Members', group.size],
        ['Approval', group.joinApproval ? 'needed' : null],
      ]),
    );
  },
};

const groupPicture: Command = {
  words: 'groups picture',
  summary: 'Save the picture of a group to a file',
  positionals: ['device', 'group', 'file'],
  run: (context, given) => download(context, `${groupPath(given)}/picture`, positional(given, 2)),
};

const groupJoin: Command = {
  words: 'groups join',
  summary: 'Join a group by its link',
  positionals: ['device', 'invite'],
  async run({ client, out }, given) {
    const path = `/devices/${deviceId(given)}/groups/join`;
    const joined = await client().call<{ group: string; waits: boolean }>('POST', path, {
      invite: positional(given, 1),
    });
    out.value(joined);
    out.line(joined.waits ? `An administrator of ${joined.group} has to approve it` : `Joined ${joined.group}`);
  },
};

interface Request {
  readonly person: { readonly jid: string; readonly number: string | null };
  readonly requestedAt: string | null;
}

const groupRequests: Command = {
  words: 'groups requests',
  summary: 'List who asks to join a group',
  positionals: ['device', 'group'],
  async run({ client, out }, given) {
    const { requests } = await client().call<{ requests: readonly Request[] }>('GET', `${groupPath(given)}/requests`);
    out.value(requests);
    const rows = requests.map(({ person, requestedAt }) => [nameOf(person), requestedAt ?? '']);
    out.line(...(rows.length === 0 ? ['Nobody asks to join'] : table(['PERSON', 'SINCE'], rows)));
  },
};

const groupDecide: Command = {
  words: 'groups decide',
  summary: 'Approve or reject a request to join a group',
  positionals: ['device', 'group', 'person', 'decision'],
  async run({ client, out }, given) {
    const decision = positional(given, 3);
    if (decision !== 'approve' && decision !== 'reject') throw usageError('the last word is approve or reject');
    const path = `${groupPath(given)}/requests/${encodeURIComponent(positional(given, 2))}`;
    out.value(await client().call('PUT', path, { approved: decision === 'approve' }));
    out.line(decision === 'approve' ? 'Request approved' : 'Request rejected');
  },
};

export const memberCommands: readonly Command[] = [
  groupAdd,
  groupRemove,
  groupAdmin,
  groupPicture,
  groupInvite,
  groupPreview,
  groupJoin,
  groupRequests,
  groupDecide,
];
