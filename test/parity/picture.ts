/** A small photo. */
import sharp from 'sharp';

export const jpeg = (): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 240, channels: 3, background: '#2a6' } })
    .jpeg()
    .toBuffer();
