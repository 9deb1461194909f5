/**
 * The message that an image or a video says it belongs to: an album, or the same picture in standard quality. It says so beside its content, or inside
 * its wrappers (whatsapp-rust `proto_helpers.rs`, Baileys rc14; 2026-08).
 *
 * HD: apps send the picture twice, in standard quality first, and then in HD as `associatedChildMessage` of type 10 (images) or 5 (videos). Source:
 * mautrix-whatsapp #818 (seen live 2025-07). Type 19 is the same for HEVC, by its name in the protobufs alone.
 */
import type { MessageParts } from '../../domain/messages/parts.ts';
import { proto } from '../engine/proto.ts';
import { plainId } from './parts/envelope.ts';
import { unwrap } from './parts/unwrap.ts';

const { MEDIA_ALBUM, HD_IMAGE_DUAL_UPLOAD, HD_VIDEO_DUAL_UPLOAD, HEVC_VIDEO_DUAL_UPLOAD } =
  proto.MessageAssociation.AssociationType;

type Associated = Partial<Pick<MessageParts, 'album' | 'hdOf'>>;

const members = new Map<unknown, keyof Associated>([
  [MEDIA_ALBUM, 'album'],
  [HD_IMAGE_DUAL_UPLOAD, 'hdOf'],
  [HD_VIDEO_DUAL_UPLOAD, 'hdOf'],
  [HEVC_VIDEO_DUAL_UPLOAD, 'hdOf'],
]);

export const associatedIn = (message: proto.IMessage): Associated | null => {
  // Most messages are plain texts.
  if (typeof message.conversation === 'string') return null;
  for (const each of [message, message.deviceSentMessage?.message, unwrap(message)]) {
    const { associationType, parentMessageKey } = each?.messageContextInfo?.messageAssociation ?? {};
    const member = members.get(associationType);
    if (member !== undefined && parentMessageKey?.id) return { [member]: { messageId: plainId(parentMessageKey.id) } };
  }
  return null;
};
