/** A group as the driver needs it for a message: as it is kept, or asked for. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { Jid } from '../../domain/jid.ts';
import { invalidRequest } from '../../errors.ts';
import { SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import type { GroupKeeper } from '../groups/keeper.ts';

/** The network's answer for a group that does not exist, or not for this account: nothing was sent to it. */
const groupRefusal = (error: unknown): SendRefused | null => {
  const code = error instanceof Error && 'data' in error ? String(error.data) : '';
  return code === noSuchChat || code === notAMember ? new SendRefused(code) : null;
};

/** Throws SendRefused for a group that does not exist, or that the account is not in. */
export const groupOf = (keeper: Pick<GroupKeeper, 'current'>, group: Jid): Promise<KeptGroup> =>
  keeper.current(group).catch((error: unknown) => {
    throw groupRefusal(error) ?? error;
  });

/** Throws InvalidRequest for a group that does not exist, or that the account is not in. */
export const assertIn = async (keeper: Pick<GroupKeeper, 'lastKnown'>, group: Jid): Promise<void> => {
  await keeper.lastKnown(group).catch((error: unknown) => {
    throw groupRefusal(error) === null
      ? error
      : invalidRequest('chat cannot be written to: the account is not in this group');
  });
};
