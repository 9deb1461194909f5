/** A message to be sent as the protocol's own; an image is uploaded first. */
import { randomBytes } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import { proto } from '../engine/proto.ts';
import type { OutgoingContent } from '../../domain/message.ts';

import { type Uploader, uploadImage } from '../media/upload.ts';

/** Images of one device that are uploaded at a time. */
export const maxUploads = 4;

export interface Composer extends Uploader {
  readonly uploads: LimitFunction;
}

export interface Composed {
  readonly message: proto.IMessage;
  readonly bytes: Uint8Array;
}

/** Throws when no media host takes the image. */
export const composeMessage = async (composer: Composer, content: OutgoingContent): Promise<Composed> => {
  const body =
    content.kind === 'text'
      ? { extendedTextMessage: { text: content.text } }
      : await composer.uploads(() => uploadImage(composer, content.image));
  // The secret lets the network's apps report the message, and lets others refer to it.
  const message = proto.Message.create({ ...body, messageContextInfo: { messageSecret: randomBytes(32) } });
  return { message, bytes: proto.Message.encode(message).finish() };
};
