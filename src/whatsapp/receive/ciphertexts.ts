/** The ciphertexts of one stanza, decrypted in turn. */
import type { BinaryNode } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { Jid } from '../../domain/jid.ts';
import { statusJid } from '../../domain/messages/statuses.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { isReplay } from '../signal/bridge.ts';
import type { OnPlaintext } from '../signal/inbox.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { Repository } from '../signal/repository.ts';
import type { Socket } from '../socket/socket.ts';
import { unpadded } from '../translate/parts/decode.ts';

export interface DecryptParts {
  readonly sock: Pick<Socket, 'isOpen'>;
  readonly repository: Pick<
    Repository,
    'decryptMessage' | 'decryptGroupMessage' | 'processSenderKeyDistributionMessage'
  >;
  readonly lidMapping: Pick<LidMapping, 'getLIDForPN'>;
  readonly log: Logger;
}

export interface Origin {
  readonly author: Jid;
  /** Where its sender key belongs: the group, or the statuses. */
  readonly group: Jid;
}

/** A message to a group has two: with the sender key, and under it. */
const maxCiphertexts = 16;

export const encsIn = ({ content }: BinaryNode): readonly BinaryNode[] =>
  Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc').slice(0, maxCiphertexts) : [];

type SenderKey = NonNullable<proto.IMessage['senderKeyDistributionMessage']>;

const keepSenderKey = async ({ repository, log }: DecryptParts, authorJid: Jid, item: SenderKey): Promise<void> => {
  try {
    await repository.processSenderKeyDistributionMessage({ authorJid, item });
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'a sender key could not be kept');
  }
};

/** Null if one of them could not be decrypted, or the connection has ended meanwhile; those read before are left out. */
export const decryptAll = async (
  parts: DecryptParts,
  encs: readonly BinaryNode[],
  { author, group }: Origin,
  onPlaintext: OnPlaintext,
): Promise<readonly proto.IMessage[] | null> => {
  const { sock, repository, lidMapping, log } = parts;
  const jid = author.endsWith('lid') ? author : ((await lidMapping.getLIDForPN(author)) ?? author);
  const messages: proto.IMessage[] = [];
  let isWhole = true;
  for (const {
    attrs: { type = '' },
    content: ciphertext,
  } of encs) {
    if (!(ciphertext instanceof Uint8Array)) continue;
    try {
      let kept: Uint8Array;
      if (type === 'skmsg') {
        kept = await repository.decryptGroupMessage({ group, authorJid: author, msg: ciphertext }, onPlaintext);
      } else if (type === 'pkmsg' || type === 'msg') {
        kept = await repository.decryptMessage({ jid, type, ciphertext }, onPlaintext);
      } else throw new Error(`unknown type ${type} of a ciphertext`);
      const message = proto.Message.decode(unpadded(kept));
      const { senderKeyDistributionMessage: key } = message;
      // Of another group it would be one more row, as often as somebody likes.
      if (key && (key.groupId === group || key.groupId === statusJid)) await keepSenderKey(parts, author, key);
      messages.push(message);
    } catch (error) {
      // It ends by itself, or because the store fails. The stanza comes again.
      if (!sock.isOpen) return null;
      // The key was used and the inbox has no row: it was read long ago.
      if (isReplay(error)) continue;
      log.debug({ error: messageOf(error), type }, 'a stanza could not be decrypted');
      isWhole = false;
    }
  }
  return isWhole ? messages : null;
};
