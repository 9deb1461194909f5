/** Images: `POST /messages/media` with base64, converted, encrypted, uploaded and acked, against a bare Baileys socket. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { compare } from '../support/compare.ts';
import { type Measured, type Scale, rounded } from '../support/measured.ts';
import { photograph } from '../support/photograph.ts';
import { peakDuring } from '../support/peak.ts';
import { Stage } from '../support/stage.ts';
import { numbersFrom } from '../../test/system/support/settings.ts';
import { inLines } from '../../test/system/support/lines.ts';

const inFlight = 4;

/** Serialised once: the bare socket gets the image as it is, and the client's cost of writing JSON is not the service's. */
const json = (body: object): Uint8Array => Buffer.from(JSON.stringify(body));

const peer = '4915000000001';

/** Almost 10 MB, the largest accepted: a PNG of noise is as large as its pixels. */
const largest = (): Promise<Buffer> => {
  const raw = { width: 1860, height: 1860, channels: 3 } as const;
  return sharp(randomBytes(raw.width * raw.height * 3), { raw })
    .png()
    .toBuffer();
};

/** Copies of a 10 MB image in memory at the peak, the maximum over some sends in new processes; null if the system does not report it. */
const copies = async (): Promise<number | null> => {
  const image = await largest();
  await using stage = await Stage.open();
  const numbers = numbersFrom(4_916_000_000_000, 1);
  await stage.addPhones([peer, ...numbers]);
  const [device] = await stage.connectOurs(numbers);
  const body = json({ toNumber: peer, mediaBase64: image.toString('base64') });
  const peaks: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    // After collecting earlier garbage.
    await stage.ours.ask('memory');
    const send = (): Promise<unknown> => stage.ask(`/devices/${device!}/messages/media`, body);
    const peak = await peakDuring(stage.ours.process.pid!, send);
    if (peak === null) return null;
    peaks.push(peak / (image.length / 1_048_576));
  }
  return Math.max(...peaks);
};

export const measure = async ({ short }: Scale): Promise<Measured> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-images-'));
  try {
    await using stage = await Stage.open();
    const [ours, bare] = [numbersFrom(4_916_000_000_000, 1), numbersFrom(4_917_000_000_000, 1)];
    await stage.addPhones([peer, ...ours, ...bare]);
    const [id] = await stage.connectOurs(ours);
    await stage.connectBare(bare);
    const image = await photograph();
    const path = join(folder, 'photograph.jpg');
    await writeFile(path, image);
    const body = json({ toNumber: peer, mediaBase64: image.toString('base64') });
    const { ratio, ratioByCpu, ...figures } = await compare(
      {
        work: ({ count }) => inLines(count, inFlight, () => stage.ask(`/devices/${id!}/messages/media`, body)),
        cpu: () => stage.ours.ask('cpu'),
      },
      {
        work: ({ count }) => stage.bare.ask('sendImages', { count, inFlight, to: `${peer}@s.whatsapp.net`, path }),
        cpu: () => stage.bare.ask('cpu'),
      },
      { count: short ? 24 : 100 },
      3,
    );
    const held = await copies();
    return {
      figures: {
        ...(held !== null && { imageCopies: rounded(held) }),
        imageRatio: rounded(ratio),
        imagesPerSecond: rounded(figures.ours),
        bareImagesPerSecond: rounded(figures.bare),
        imageCpuMs: rounded(figures.cpuOurs),
        bareImageCpuMs: rounded(figures.cpuBare),
      },
      byCpu: { imageRatio: ratioByCpu },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
