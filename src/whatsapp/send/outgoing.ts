/** A message to be sent as the protocol's own: text at once, an image after its upload. */
import { randomBytes } from 'node:crypto';
import { proto } from '../engine/proto.ts';
import type { OutgoingContent, OutgoingImage } from '../../domain/message.ts';
import { textMessage } from './message-bytes.ts';
import { type Uploader, uploadImage } from '../media/upload.ts';

/** Images of one device that are on their way to the media hosts at a time. */
const maxUploads = 4;

/** The uploads of one connection. */
export class Uploads {
  #free = maxUploads;
  readonly #waiting: (() => void)[] = [];

  async run<T>(upload: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await upload();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export interface Composer extends Uploader {
  readonly uploads: Uploads;
}

export interface Composed {
  readonly message: proto.IMessage;
  readonly bytes: Uint8Array;
}

// The secret lets the network's apps report the message, and lets others refer to it.
const newSecret = (): Uint8Array => randomBytes(32);

const composeText = (text: string): Composed => {
  const messageSecret = newSecret();
  return {
    message: proto.Message.create({ extendedTextMessage: { text }, messageContextInfo: { messageSecret } }),
    bytes: textMessage(text, messageSecret),
  };
};

const composeImage = async (composer: Composer, image: OutgoingImage): Promise<Composed> => {
  const uploaded = await composer.uploads.run(() => uploadImage(composer, image));
  const message = proto.Message.create({ ...uploaded, messageContextInfo: { messageSecret: newSecret() } });
  return { message, bytes: proto.Message.encode(message).finish() };
};

/** Throws when no media host takes the image. A text is ready at once. */
export const composeMessage = (composer: Composer, content: OutgoingContent): Composed | Promise<Composed> =>
  content.kind === 'text' ? composeText(content.text) : composeImage(composer, content.image);
