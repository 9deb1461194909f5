/** An image as people send it. */
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

/** Noise does not compress: about 200 kB, like photographs reduced by the apps. */
export const photograph = (): Promise<Buffer> => {
  const [width, height] = [480, 360];
  const raw = { width, height, channels: 3 } as const;
  return sharp(randomBytes(width * height * 3), { raw })
    .resize(960, 720)
    .jpeg({ quality: 80 })
    .toBuffer();
};
