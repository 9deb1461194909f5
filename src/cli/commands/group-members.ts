/** `handset group add`, `remove`, `admin`, `picture`, `invite`, `preview`, `join`, `requests` and `decide`. */
import { type Arguments, type Command, positional } from '../command/command.ts';
import { usageError, type Things } from '../../mcp/client.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields } from '../terminal/output.ts';
import { type Result, resultTable } from './groups.ts';
import { nameOf } from '../../mcp/people.ts';

const memberCommand = (
  id: 'addMembers' | 'removeMember' | 'setAdmin',
  body?: (given: Arguments) => object,
  summary?: string,
): Command =>
  callCommand(id, {
    ...(summary !== undefined && { summary }),
    ...(body !== undefined && { body }),
    value: ({ results }: { readonly results: readonly Result[] }) => results,
    done: ({ results }) => resultTable(results),
  });

const groupAdd = memberCommand(
  'addMembers',
  (given) => ({ members: [positional(given, 2)] }),
  'Add a person to a group, or invite them if their privacy settings do not let you add them',
);

const groupRemove = memberCommand('removeMember');

const groupAdmin = memberCommand(
  'setAdmin',
  (given) => {
    const state = positional(given, 3);
    if (state !== 'on' && state !== 'off') throw usageError('<state> is on or off');
    return { admin: state === 'on' };
  },
  'Make a member an administrator (on), or no longer one (off)',
);

const groupInvite = callCommand('rotateInvite', {
  summary: 'Show the link of a group, or make a new one',
  value: ({ invite }: { readonly invite: { readonly link: string } }) => invite,
  done: ({ invite }) => [invite.link],
});

const groupPreview = callCommand('previewInvite', {
  summary: 'Show the group of a link without joining it',
  value: ({ group }: { readonly group: Things['GroupPreview'] }) => group,
  done: ({ group }) =>
    fields([
      ['Group', group.jid],
      ['Subject', group.subject],
      ['Description', group.description],
      ['Members', group.size],
      ['Approval', group.joinApproval ? 'needed' : null],
    ]),
});

const groupJoin = callCommand('joinGroup', {
  done: ({ group, waits }: { readonly group: string; readonly waits: boolean }) => [
    waits ? `An administrator of ${group} has to approve it` : `Joined ${group}`,
  ],
});

type Request = Things['JoinRequest'];

const groupRequests = callCommand('listJoinRequests', {
  value: ({ requests }: { readonly requests: readonly Request[] }) => requests,
  done: ({ requests }) =>
    listed(requests, 'Nobody asks to join', {
      PERSON: ({ person }) => nameOf(person),
      SINCE: ({ requestedAt }) => requestedAt,
    }),
});

const isApproved = (given: Arguments): boolean => {
  const decision = positional(given, 3);
  if (decision !== 'approve' && decision !== 'reject') throw usageError('<decision> is approve or reject');
  return decision === 'approve';
};

const groupDecide = callCommand('decideRequest', {
  body: (given) => ({ approved: isApproved(given) }),
  done: (_, given) => [isApproved(given) ? 'Request approved' : 'Request rejected'],
});

export const memberCommands: readonly Command[] = [
  groupAdd,
  groupRemove,
  groupAdmin,
  callCommand('getGroupPicture'),
  groupInvite,
  groupPreview,
  groupJoin,
  groupRequests,
  groupDecide,
];
