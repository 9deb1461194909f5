/** Keeps stored groups up to date: from notifications, and by queries when the network reports stale ones. */
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import type { Notices } from '../receive/notices.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf, myself } from '../identity/people.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { markClean } from '../socket/account-queries.ts';
import { askAll, askOne } from './ask.ts';
import { StoredGroups, type StoredGroupsParts } from './stored-groups.ts';
import { isGroupNotice } from './notices.ts';

type Parts = Omit<StoredGroupsParts, 'me' | 'peek' | 'learn' | 'askAll' | 'askOne'> & {
  readonly sock: Socket;
  readonly creds: AuthenticationCreds;
  readonly onStoreFailure: (error: unknown) => void;
  readonly log: Logger;
  readonly lidMapping: LidMapping;
};

export const makeStoredGroups = (parts: Parts): StoredGroups => {
  const { sock, lidMapping, creds } = parts;
  return new StoredGroups({
    ...parts,
    me: () => myself(meOf(creds)),
    peek: (jid) => lidMapping.peek(jid),
    learn: (node) => lidMapping.learn(node),
    askAll: () => askAll({ sock, lidMapping }),
    askOne: (group) => askOne({ sock, lidMapping }, group),
  });
};

interface AttachParts extends Pick<Parts, 'sock' | 'memory' | 'log'> {
  readonly notices: Notices;
  readonly groupTimer: (node: BinaryNode) => Promise<void>;
}

export const attachGroups = (storedGroups: StoredGroups, parts: AttachParts): void => {
  const { sock, notices, groupTimer, memory, log } = parts;
  // Another connection, possibly on another node, may have changed them.
  memory.groups.clear();
  const heed = async (node: BinaryNode): Promise<void> => {
    if (!isGroupNotice(node)) return;
    await storedGroups.notice(node);
    await groupTimer(node);
  };
  for (const type of ['w:gp2', 'picture']) notices.on(type, heed, { strict: true });
  sock.stanzas.on(
    'ib',
    (node) => {
      if (getBinaryNodeChild(node, 'dirty')?.attrs['type'] !== 'groups') return;
      storedGroups
        .doubt()
        .then(() => markClean(sock, 'groups'))
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'failed to ask for groups again'));
    },
    { child: 'dirty' },
  );
};
