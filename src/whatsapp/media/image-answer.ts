/** Messages between the service and its image process. */
import type { OutgoingImage } from '../../domain/messages/outgoing.ts';
import { HandsetError } from '../../errors.ts';
import { prepareImage } from './image.ts';

export interface Asked {
  readonly bytes: Uint8Array;
  readonly caption: string | null;
}

/** `bytes` null: those that were given. */
export type Prepared = Omit<OutgoingImage, 'bytes'> & { readonly bytes: Uint8Array | null };

export type Answer = { readonly image: Prepared } | { readonly refused: string } | { readonly failed: string };

export const answerWith = async ({ bytes, caption }: Asked): Promise<Answer> => {
  try {
    const image = await prepareImage(bytes, caption);
    return { image: { ...image, bytes: image.bytes === bytes ? null : image.bytes } };
  } catch (error) {
    if (error instanceof HandsetError && error.name === 'InvalidImage') return { refused: error.message };
    return { failed: String(error) };
  }
};
