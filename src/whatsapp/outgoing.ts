/** A message to be sent as the protocol's own: text at once, an image after its upload. */
import { proto } from 'baileys';
import type { OutgoingContent } from '../domain/message.ts';
import { randomOf } from './random.ts';
import { type Uploader, uploadImage } from './upload.ts';

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

/** Throws when no media host takes the image. */
export const composeMessage = async (composer: Composer, content: OutgoingContent): Promise<proto.IMessage> => {
  const message =
    content.kind === 'text'
      ? { extendedTextMessage: { text: content.text } }
      : await composer.uploads.run(() => uploadImage(composer, content.image));
  // The secret lets the network's apps report the message, and lets others refer to it.
  return proto.Message.create({ ...message, messageContextInfo: { messageSecret: randomOf(32) } });
};
