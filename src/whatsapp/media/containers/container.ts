/** Reads a video's or audio file's container: format, tracks and duration. */
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputFormat,
  type InputVideoTrack,
  MP3,
  MP4,
  OGG,
  QTFF,
} from 'mediabunny';
import type { RandomAccessBytes } from '../../../domain/messages/files.ts';

/** A container is read at most twice: its tables or pages, and then its sound. */
const maxReads = 2;
const spareBytes = 1_048_576;
/** Larger tables and packets are not read. */
const maxPiece = 16 * 1_048_576;

export interface VideoTrack {
  readonly codec: string | null;
  /** RFC 6381 string such as `avc1.64001f`. Null if unknown. */
  readonly parameters: string | null;
  readonly width: number;
  readonly height: number;
}

export interface AudioTrack {
  readonly codec: string | null;
  readonly channels: number;
}

export interface Container {
  readonly form: 'mp4' | 'mov' | 'ogg' | 'mp3' | 'aac';
  readonly seconds: number;
  readonly video: readonly VideoTrack[];
  readonly audio: readonly AudioTrack[];
}

export class BrokenContainer extends Error {}

const forms: readonly (readonly [InputFormat, Container['form']])[] = [
  [MP4, 'mp4'],
  [QTFF, 'mov'],
  [OGG, 'ogg'],
  [MP3, 'mp3'],
  [ADTS, 'aac'],
];

/** Limits the bytes that `mediabunny` reads. */
const open = (file: RandomAccessBytes): Input => {
  let left = maxReads * file.size + spareBytes;
  return new Input({
    formats: forms.map(([format]) => format),
    source: new CustomSource({
      getSize: () => file.size,
      read: (start, end) => {
        left -= end - start;
        if (end - start > maxPiece || left < 0) throw new BrokenContainer('the container claims too much');
        return file.read(start, end - start);
      },
      prefetchProfile: 'fileSystem',
    }),
  });
};

/** A packet without its bytes is missing from the file. */
const assertWhole = async (track: InputVideoTrack | InputAudioTrack): Promise<void> => {
  const last = await new EncodedPacketSink(track).getPacket(Number.MAX_VALUE);
  if (last === null || last.data.length === 0) throw new BrokenContainer('a track ends too early');
};

const videoTrack = async (track: InputVideoTrack): Promise<VideoTrack> => ({
  codec: await track.getCodec(),
  parameters: await track.getCodecParameterString(),
  width: await track.getDisplayWidth(),
  height: await track.getDisplayHeight(),
});

const audioTrack = async (track: InputAudioTrack): Promise<AudioTrack> => ({
  codec: await track.getCodec(),
  channels: await track.getNumberOfChannels(),
});

const formOf = async (input: Input): Promise<Container['form'] | null> => {
  const format = await input.getFormat().catch(() => null);
  return forms.find(([known]) => known === format)?.[1] ?? null;
};

/** A file of 100 MB can have millions of frames. */
const countedFrames = 2_000;

/** From the header, else extrapolated from the first frames. Exact if all frames were counted or have the same size. */
const secondsOfFrames = async (input: Input, size: number): Promise<number> => {
  const track = await input.getPrimaryAudioTrack();
  const told = await track?.getDurationFromMetadata();
  if (track === null || (typeof told === 'number' && told > 0)) return told ?? 0;
  let frames = 0;
  let seconds = 0;
  let bytes = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    frames += 1;
    seconds = packet.timestamp + packet.duration;
    bytes += packet.byteLength;
    if (frames === countedFrames) return (seconds * size) / bytes;
  }
  return seconds;
};

const read = async (input: Input, form: Container['form'], size: number): Promise<Container> => {
  const [video, audio] = [await input.getVideoTracks(), await input.getAudioTracks()];
  const tracks = [...video, ...audio];
  if (tracks.length === 0) throw new BrokenContainer('the container has no track');
  const isRaw = form === 'mp3' || form === 'aac';
  if (!isRaw) for (const track of tracks) await assertWhole(track);
  return {
    form,
    seconds: isRaw ? await secondsOfFrames(input, size) : await input.computeDuration(tracks),
    video: await Promise.all(video.map(videoTrack)),
    audio: await Promise.all(audio.map(audioTrack)),
  };
};

export const withInput = async <T>(file: RandomAccessBytes, use: (input: Input) => Promise<T>): Promise<T> => {
  const input = open(file);
  try {
    return await use(input);
  } catch (cause) {
    throw cause instanceof BrokenContainer ? cause : new BrokenContainer('the container is damaged', { cause });
  } finally {
    input.dispose();
  }
};

export const readContainer = (file: RandomAccessBytes): Promise<Container | null> =>
  withInput(file, async (input) => {
    const form = await formOf(input);
    if (form === null || (form === 'ogg' && (await input.getTracks()).length === 0)) return null;
    return read(input, form, file.size);
  });

/** `wanted` describes the required format; `keep`: which of the first tracks comply. */
export interface Unfit {
  readonly wanted: string;
  readonly keep: { readonly video: boolean; readonly audio: boolean };
}

export type Judged<Facts> = { readonly fit: Facts } | Unfit;

export const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds));
