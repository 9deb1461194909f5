/** Options of ffmpeg for each output format. */
import type { Unfit } from '../containers/judged.ts';

const words = (options: string): readonly string[] => options.split(' ');

/** Phones decode H.264 up to 1080 lines, with even dimensions. */
const fitted = 'scale=w=min(1920\\,iw):h=min(1920\\,ih):force_original_aspect_ratio=decrease:force_divisible_by=2';
const h264 = words('-c:v libx264 -preset veryfast -crf 24 -profile:v high -pix_fmt yuv420p');
const aac = words('-c:a aac -b:a 128k -ac 2');
const copiedVideo = words('-c:v copy');
const copiedAudio = words('-c:a copy');
/** The index comes first, for playback while loading. ffmpeg then opens its output twice, which works here only on Linux. */
const mp4 = words(process.platform === 'linux' ? '-movflags +faststart -f mp4' : '-f mp4');

/** Compliant tracks are copied; `isGif`: without sound. */
export const toVideo = ({ keep }: Unfit, isGif: boolean): readonly string[] => [
  ...words(isGif ? '-map 0:v:0' : '-map 0:v:0 -map 0:a:0?'),
  ...(keep.video ? copiedVideo : ['-vf', fitted, ...h264]),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

/** The largest square around the middle, of at most as many pixels as a video note has on phones. */
const squared = [
  'scale=w=trunc(iw*sar/2)*2:h=trunc(ih/2)*2',
  'crop=w=min(iw\\,ih):h=min(iw\\,ih)',
  'scale=w=min(640\\,iw):h=min(640\\,ih)',
  'setsar=1',
].join(',');

/** As `toVideo`, for a video note: cut to a square. */
export const toNote = ({ keep }: Unfit): readonly string[] => [
  ...words('-map 0:v:0 -map 0:a:0?'),
  ...(keep.video ? copiedVideo : ['-vf', squared, ...h264]),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

/** M4A with AAC. */
export const toAudio = ({ keep }: Unfit): readonly string[] => [
  ...words('-map 0:a:0'),
  ...(keep.audio ? copiedAudio : aac),
  ...mp4,
];

export const toVoice = words('-map 0:a:0 -c:a libopus -b:a 32k -vbr on -application voip -ac 1 -ar 48000 -f ogg');

export const toThumbnail = (size: number): readonly string[] => [
  ...words('-map 0:v:0 -an -frames:v 1 -vf'),
  `thumbnail=24,scale=${size}:${size}:force_original_aspect_ratio=decrease`,
  ...words('-c:v mjpeg -pix_fmt yuvj420p -q:v 6 -f image2pipe'),
];
