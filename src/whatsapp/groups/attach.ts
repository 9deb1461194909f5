/** Lets a connection keep its groups: by notices, before Baileys acknowledges them, and by asking where the network says that they are stale. */
import { type BinaryNode, getBinaryNodeChild } from '../engine/nodes.ts';
import { type Earlier, runBefore } from '../engine/stanza-hooks.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf } from '../identity/account.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { myself } from '../identity/people.ts';
import { askAll, askOne } from './ask.ts';
import { GroupKeeper, type KeeperParts } from './keeper.ts';
import { isGroupNotice } from './notices.ts';

type Parts = Omit<KeeperParts, 'me' | 'peek' | 'learn' | 'askAll' | 'askOne'> & {
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  readonly onStoreFailure: (error: unknown) => void;
  readonly log: Logger;
  readonly lidMapping: LidMapping;
};

export const makeGroupKeeper = (parts: Parts): GroupKeeper => {
  const { sock, lidMapping, creds } = parts;
  return new GroupKeeper({
    ...parts,
    me: () => myself(meOf(creds)),
    peek: (jid) => lidMapping.peek(jid),
    learn: (node) => lidMapping.learn(node),
    askAll: () => askAll({ sock, lidMapping }),
    askOne: (group) => askOne({ sock, lidMapping }, group),
  });
};

export const attachGroups = (keeper: GroupKeeper, parts: Parts & { readonly earlier: Earlier }): void => {
  const { sock, lidMapping, earlier, memory, onStoreFailure: onFailure, log } = parts;
  // Another connection, maybe of another node, may have changed them since.
  memory.groups.clear();
  const first = (node: BinaryNode): Promise<void> => keeper.notice(node);
  runBefore(sock.ws, { event: 'CB:notification', only: isGroupNotice, earlier, first, onFailure });
  sock.ws.on('CB:notification,from', (node: BinaryNode) => {
    if (isGroupNotice(node)) return;
    lidMapping
      .learn(node)
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'failed to keep the LIDs that a notice tells'));
  });
  sock.ws.on('CB:ib,,dirty', (node: BinaryNode) => {
    if (getBinaryNodeChild(node, 'dirty')?.attrs['type'] !== 'groups') return;
    keeper.doubt().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'failed to ask for groups again'));
  });
};
