/** Messages between the service and the media process. */
import type { RandomAccessBytes } from '../../domain/messages/files.ts';
import { type ErrorName, HandsetError } from '../../errors.ts';
import type { Facts } from './containers/inspect.ts';

export type Task =
  | { readonly task: 'page'; readonly bytes: Uint8Array; readonly contentType: string | null }
  | { readonly task: 'image' | 'sticker' | 'picture'; readonly bytes: Uint8Array }
  | { readonly task: keyof Facts; readonly size: number };

export interface Piece {
  readonly id: number;
  readonly piece: Uint8Array | null;
}

export interface Wanted {
  readonly id: number;
  readonly offset: number;
  readonly length: number;
}

export type Prepared<Picture> = Omit<Picture, 'bytes'> & { readonly bytes: Uint8Array | null };

export type Answer<Result> =
  | { readonly result: Result }
  | { readonly refused: { readonly name: ErrorName; readonly message: string } }
  | { readonly failed: string };

const withoutGiven = <P extends { readonly bytes: Uint8Array }>(picture: P, given: Uint8Array): Prepared<P> => ({
  ...picture,
  bytes: picture.bytes === given ? null : picture.bytes,
});

/** Loads only what the task needs: the libraries are larger than the process. */
const resultOf = async (asked: Task, read: RandomAccessBytes['read']): Promise<unknown> => {
  switch (asked.task) {
    case 'image': {
      const { convertImage } = await import('./image.ts');
      return withoutGiven(await convertImage(asked.bytes), asked.bytes);
    }
    case 'page': {
      const { pageFactsIn } = await import('./page.ts');
      return pageFactsIn(asked.bytes, asked.contentType);
    }
    case 'picture': {
      const { preparePicture } = await import('./image.ts');
      return preparePicture(asked.bytes);
    }
    case 'sticker': {
      const { prepareSticker } = await import('./sticker.ts');
      return withoutGiven(await prepareSticker(asked.bytes), asked.bytes);
    }
    default: {
      const { inspect } = await import('./containers/inspect.ts');
      return inspect({ size: asked.size, read }, asked.task);
    }
  }
};

export const answerWith = async (asked: Task, read: RandomAccessBytes['read']): Promise<Answer<unknown>> => {
  try {
    return { result: await resultOf(asked, read) };
  } catch (error) {
    if (error instanceof HandsetError) return { refused: { name: error.name, message: error.message } };
    return { failed: String(error) };
  }
};
