/** Fields that say nothing by themselves, each with the reason. */
import type { proto } from '../../engine/proto.ts';

export const silentFields: Readonly<Partial<Record<keyof proto.IMessage, string>>> = {
  senderKeyDistributionMessage: 'a key',
  fastRatchetKeySenderKeyDistributionMessage: 'a key',
  messageContextInfo: 'the secret of the message and its devices, beside the content',
  stickerSyncRmrMessage: 'asks the own devices for stickers',
  keepInChatMessage: 'keeps a message that is to disappear on the phone',
  messageHistoryBundle: 'a file of old messages for a new member of a group',
  messageHistoryNotice: 'tells a group that old messages were sent to a new member',
};
