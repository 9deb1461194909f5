/** A group as needed for sending: stored, or queried. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';
import { refusalOf } from '../socket/query.ts';
import { SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import type { StoredGroups } from '../groups/stored-groups.ts';

const groupRefusal = (error: unknown): SendRefused | null => {
  const code = String(refusalOf(error));
  return code === noSuchChat || code === notAMember ? new SendRefused(code) : null;
};

/** Throws SendRefused for a group that does not exist, or that the account is not in. */
export const groupOf = (storedGroups: Pick<StoredGroups, 'current'>, group: Jid): Promise<KeptGroup> =>
  storedGroups.current(group).catch((error: unknown) => {
    throw groupRefusal(error) ?? error;
  });

/** Throws InvalidRequest for a group that does not exist, or that the account is not in. */
export const assertIn = async (storedGroups: Pick<StoredGroups, 'lastKnown'>, group: Jid): Promise<void> => {
  await storedGroups.lastKnown(group).catch((error: unknown) => {
    throw groupRefusal(error) === null
      ? error
      : invalidRequest('chat cannot be written to: the account is not in this group');
  });
};
